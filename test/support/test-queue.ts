/** How long a file takes that was never measured, milliseconds. */
const unknownMs = 2000;
/** So much work makes a process, and at the end of the run less: to load the program takes one about a second. */
const batchMs = 40_000;
const leastBatchMs = 4000;
const mostFiles = 25;

/**
 * The files of a run, which hands them out in batches, the slowest first: so no process is left alone with one of them at
 * the end, and what one file breaks or leaks in its process meets few others.
 */
export class TestQueue {
  readonly #files: { readonly name: string; readonly ms: number }[];

  constructor(
    names: readonly string[],
    durations: Readonly<Record<string, number>>,
    private readonly processes: number,
  ) {
    this.#files = names
      .map((name) => ({ name, ms: durations[name] ?? unknownMs }))
      .sort((a, b) => b.ms - a.ms || (a.name < b.name ? -1 : 1));
  }

  /** The files for the next process; none when all are handed out. */
  take(): string[] {
    const left = this.#files.reduce((sum, { ms }) => sum + ms, 0);
    const enough = Math.max(leastBatchMs, Math.min(batchMs, left / (2 * this.processes)));
    const names: string[] = [];
    for (let taken = 0; names.length === 0 || (taken < enough && names.length < mostFiles);) {
      const next = this.#files.shift();
      if (next === undefined) {
        break;
      }
      names.push(next.name);
      taken += next.ms;
    }
    return names;
  }

  /** How many files are not handed out. */
  get length(): number {
    return this.#files.length;
  }

  /** Takes back what a process did not come to. */
  giveBack(names: readonly string[]): void {
    this.#files.push(...names.map((name) => ({ name, ms: unknownMs })));
  }
}

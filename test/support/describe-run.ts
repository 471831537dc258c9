/** A run of `bun test` with everything that it printed. */
export interface TestRun {
  readonly output: string;
  readonly exitCode: number;
  readonly milliseconds: number;
  readonly processes: number;
  /** how long each file took, milliseconds */
  readonly durations: readonly (readonly [file: string, milliseconds: number])[];
  /** files that failed beside others, and passed when they were run again alone */
  readonly unsteady?: readonly string[];
}

/** A test says so when a program that it needs is missing, and why. */
const leftOutMark = "LEFT OUT: ";
const shownFiles = 10;
const slowMs = 1000;

/** A failure as `bun test` prints it below the name of its file. */
interface Failure {
  readonly file: string;
  readonly line: string;
}

/** The failures of a run, each once: a long run names them again at its end. */
function failuresOf(output: string): Failure[] {
  const found = new Map<string, Failure>();
  let file = "";
  for (const line of output.split("\n").map((text) => text.trimEnd())) {
    const [, named] = /^(\S+\.test\.ts):$/.exec(line) ?? [];
    const [, crashed] = /^✗ (\S+)/.exec(line) ?? [];
    if (named !== undefined) {
      file = named;
    } else if ((crashed !== undefined || line.startsWith("(fail) ")) && !found.has(line)) {
      found.set(line, { file: crashed ?? file, line });
    }
  }
  return [...found.values()];
}

/** The files in which something failed. */
export function failedFiles(output: string): string[] {
  return [...new Set(failuresOf(output).map(({ file }) => file))];
}

/** What a reader needs of a run, in lines: what failed, what was left out and why, how long it took. */
export function describeRun(run: TestRun): string {
  const lines = run.output.split("\n").map((line) => line.trimEnd());
  const [unsteady, failures] = [new Set(run.unsteady), failuresOf(run.output)];
  const passedAlone = failures.filter(({ file }) => unsteady.has(file));
  const leftOut = new Set(
    lines.filter((line) => line.startsWith(leftOutMark)).map((line) => line.slice(leftOutMark.length)),
  );
  const slowest = run.durations
    .filter(([, ms]) => ms >= slowMs)
    .sort(([, a], [, b]) => b - a)
    .slice(0, shownFiles);
  const moved: Readonly<Record<string, number>> = { pass: passedAlone.length, fail: -passedAlone.length };
  const counts = ["pass", "fail", "skip", "todo"].map(
    (name) => [name, countOf(lines, name) + (moved[name] ?? 0)] as const,
  );
  return [
    "",
    ...section(
      "Slowest",
      slowest.map(([file, ms]) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`),
    ),
    ...section(
      "Left out",
      [...leftOut].map((reason) => `${leftOutMark}${reason}`),
    ),
    ...section("Failed beside others, passed alone: unsteady, to be mended", passedAlone.map(describeFailure)),
    ...section("Failed", failures.filter(({ file }) => !unsteady.has(file)).map(describeFailure)),
    ...(run.exitCode !== 0 && failures.length === 0 ? [`bun test ended with ${run.exitCode}`] : []),
    `Tests: ${counts.map(([name, count]) => `${count} ${name}`).join(", ")}; ${leftOut.size} left out; ${durationOf(run.milliseconds)} in ${run.processes} processes`,
  ].join("\n");
}

function describeFailure({ file, line }: Failure): string {
  return line.startsWith("✗ ") || file === "" ? line : `${line} in ${file}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`), ""];
}

/** The number in the last line of the form ` 12 pass`; 0 without one. */
function countOf(lines: readonly string[], name: string): number {
  const found = lines.findLast((line) => new RegExp(`^ *\\d+ ${name}$`).test(line));
  return found === undefined ? 0 : Number.parseInt(found, 10);
}

function durationOf(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/*
 * `bun run test` tries each rule, `bun run test:long` also what only repeats it: more seeds, more rounds, other values that
 * take the same way. A file takes its repetitions through `repeated` or `times`, and a file `NAME.long.test.ts` beside it
 * runs it again with all of them:
 *
 *     await runThoroughly(import.meta.resolve("./NAME.test.ts"));
 */

let isRunningThoroughly = false;

/** Whether the file that is being loaded is to try everything. To be asked while it is loaded. */
export function isThorough(): boolean {
  return isRunningThoroughly;
}

/** Returns the first cases of those that repeat each other, as many as the short run needs, or all of them. */
export function repeated<Case>(cases: readonly Case[], needed: number): Case[] {
  return isThorough() ? [...cases] : cases.slice(0, needed);
}

/** Returns how often something is done that differs each time by chance only: in the long run `all` times. */
export function times(needed: number, all: number): number {
  return isThorough() ? all : needed;
}

/** Loads the tests of another file, at this address, with everything that they repeat. */
export async function runThoroughly(address: string): Promise<void> {
  isRunningThoroughly = true;
  try {
    // Not the module that the same process may have loaded for the short run.
    await import(`${Bun.fileURLToPath(address)}?thorough`);
  } finally {
    isRunningThoroughly = false;
  }
}

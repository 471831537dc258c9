/**
 * How often tests do what costs time: as the suite does it, which has to be quick. By hand it is as often as the
 * environment variable of the same name says. `test/git/README.md` says which numbers are worth a run.
 */
const leanNumbers = {
  /** rounds of pushes in which the server is killed */
  STITHY_KILLS: 12,
  /** rounds of pushes, writes by API and jobs in which the server is killed */
  STITHY_KILL_ROUNDS: 20,
  /** the same of repacks */
  STITHY_REPACK_KILLS: 6,
  /** rounds of merges in which the server is killed */
  STITHY_MERGE_KILLS: 5,
  /** rounds of events for webhooks in which the server is killed */
  STITHY_HOOK_KILLS: 20,
  /** rounds of uploads to a registry of packages in which the server is killed */
  STITHY_PACKAGE_KILLS: 20,
  /** rounds of a migration in which the server is killed */
  STITHY_MIGRATION_KILLS: 8,
  /** rounds of mirrors that are synchronized in which the server is killed */
  STITHY_MIRROR_KILLS: 6,
  /** clients that read slowly, at once */
  STITHY_CLIENTS: 200,
  /** places in a conversation at which a client hangs up; all of them if there are no more */
  STITHY_HANG_UPS: 60,
  /** rounds of clients that move one ref at the same time */
  STITHY_RACES: 2,
  /** megabytes of a pack that is taken in */
  STITHY_PACK_MEGABYTES: 60,
  /** milliseconds that somebody may wait at the 99th percentile beside what another one does */
  STITHY_WAIT_MS: 3000,
  /** megabytes that the server may hold then */
  STITHY_HELD_MEGABYTES: 1200,
} as const;

/** As this file is loaded, before every test: after that the tests see no such variable. */
const given = { ...process.env };

export function fullNumber(variable: keyof typeof leanNumbers): number {
  const text = given[variable];
  if (text === undefined) {
    return leanNumbers[variable];
  }
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new Error(`${variable} is "${text}", which is no number of times`);
  }
  return number;
}

/** What the moments and bytes of a test with `STITHY_SEED` are made from: another one in each run, unless it is to be repeated. */
export function testSeed(): number {
  return Number(given["STITHY_SEED"] ?? Date.now() % 2 ** 32);
}

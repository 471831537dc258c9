/*
 * How long tests wait before they give up. The limits only end what hangs: a machine with thirty other processes is fifteen
 * times slower than an idle one, and what takes it more than a test is a matter for a benchmark.
 */

/** The limit of a test and of a hook that name none, milliseconds. */
export const testLimitMs = 240_000;

/** The limit of a wait for a condition (`until`), milliseconds: less than a test's, so that the test says what did not come. */
export const waitLimitMs = 120_000;

/** What is below it must not limit a test or a wait: it would measure the machine (`test/tidy.test.ts`). */
export const leastLimitMs = 60_000;

import { afterAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { openDatabase } from "../../src/db/client.ts";
import { parseConnectionUrl } from "../../src/db/connection-options.ts";
import { createTestDatabase } from "../support/cluster.ts";
import { until } from "../support/until.ts";

const database = await createTestDatabase();
afterAll(() => database[Symbol.asyncDispose]());

/** Watches, on a connection of its own, how many others there are. */
function watch() {
  const watcher = open(1);
  const others = async (): Promise<number> => {
    const [row] = await watcher.sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    return row?.count ?? 0;
  };
  return { others, [Symbol.asyncDispose]: () => watcher[Symbol.asyncDispose]() };
}

const open = (connections: number, closeIdleSeconds?: number) =>
  openDatabase({
    target: parseConnectionUrl(database.url),
    connections,
    statementTimeoutMs: 30_000,
    ...(closeIdleSeconds === undefined ? {} : { closeIdleSeconds }),
  });

test("connections that are not used are closed, and made anew with their prepared queries", async () => {
  await using watcher = watch();
  await using client = open(4, 1);
  const prepared = client.db
    .select({ value: sql<number>`1 + ${sql.placeholder("n")}::int` })
    .from(sql`(select 1) as one`)
    .prepare("plus_one");
  const ask = () => Promise.all([1, 2, 3, 4].map(async (n) => (await prepared.execute({ n }))[0]?.value));
  for (let round = 0; round < 2; round++) {
    expect(await ask()).toEqual([2, 3, 4, 5]);
    await until("no connection is left", async () => (await watcher.others()) === 0);
  }
});

test("what little there is to do after a burst keeps one connection, not all by turns", async () => {
  await using watcher = watch();
  await using client = open(4, 1);
  const pids = await Promise.all(
    Array.from(
      { length: 4 },
      async () => (await client.sql`select pg_backend_pid() as pid, pg_sleep(0.1)`)[0]?.["pid"],
    ),
  );
  expect(new Set(pids).size).toBe(4);
  await until("one connection is left", async () => {
    // Often enough that none of four would ever be idle for a second, if each had its turn.
    await client.sql`select 1`;
    return (await watcher.others()) === 1;
  });
});

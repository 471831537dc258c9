import { afterAll, beforeEach, expect, test } from "bun:test";
import { parseConnectionUrl } from "../../src/db/connection-options.ts";
import { openDatabase } from "../../src/db/client.ts";
import { createTestDatabase } from "../support/cluster.ts";
import { until } from "../support/until.ts";

/**
 * The database ends a connection in the middle of a transaction, as it does when it is restarted, or when another of its
 * processes crashes. The process goes on, and so does the connection's place in the pool; nothing of the transaction is
 * written, neither before nor after. What patches/ changes of the client is for this.
 */

const database = await createTestDatabase();
const target = parseConnectionUrl(database.url);
const open = (connections: number) => openDatabase({ target, connections, statementTimeoutMs: 30_000 });
const { sql, ...client } = open(1);
const other = open(1);
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

await sql`create table written (word text)`;
beforeEach(async () => {
  await sql`delete from written`;
});

const words = async () => (await other.sql`select word from written order by word`).map((row) => String(row["word"]));
const terminate = (pid: unknown) => other.sql`select pg_terminate_backend(${Number(pid)})`;
const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "done",
    (error: Error & { code?: string }) => error.code ?? error.message,
  );

test("while a statement runs", async () => {
  for (let round = 0; round < 10; round++) {
    const failed = messageOf(
      sql.begin(async (tx) => {
        await tx`insert into written values ('lost')`;
        await tx`select pg_sleep(60)`;
      }),
    );
    const asleep = () =>
      other.sql`select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
    await until("the transaction sleeps", async () => (await asleep()).length === 1);
    await terminate((await asleep())[0]?.["pid"]);
    expect(await failed).toMatch(/57P01|CONNECTION_CLOSED/);
    expect(await messageOf(sql.begin((tx) => tx`insert into written values (${String(round)})`))).toBe("done");
  }
  expect(await words()).toEqual([..."0123456789"]);
});

test("between two statements, whose second goes nowhere else", async () => {
  for (let round = 0; round < 10; round++) {
    const { promise: gone, resolve: isGone } = Promise.withResolvers<void>();
    const { promise: idle, resolve: isIdle } = Promise.withResolvers<unknown>();
    let second = "";
    const failed = messageOf(
      sql.begin(async (tx) => {
        await tx`insert into written values ('lost')`;
        isIdle((await tx`select pg_backend_pid() as pid`)[0]?.["pid"]);
        await gone;
        second = await messageOf(tx`insert into written values ('astray')`);
        throw new Error(second);
      }),
    );
    const pid = await idle;
    await terminate(pid);
    // The next one has the only connection of the pool when the second statement comes.
    const next = messageOf(
      sql.begin(async (tx) => {
        isGone();
        await tx`select pg_sleep(0.05)`;
        await tx`insert into written values (${String(round)})`;
      }),
    );
    expect(await failed).toBe("CONNECTION_CLOSED");
    expect(await next).toBe("done");
    expect(second).toBe("CONNECTION_CLOSED");
  }
  expect(await words()).toEqual([..."0123456789"]);
});

test("while a new connection asks for the types of arrays", async () => {
  const fresh = open(1);
  // The question waits for the lock.
  const { first } = await other.sql.begin(async (tx) => {
    await tx`lock table pg_catalog.pg_type in access exclusive mode`;
    const first = messageOf(fresh.sql`select 1`);
    const asking = async () => {
      await tx`select pg_stat_clear_snapshot()`;
      return tx`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    };
    await until("it asks", async () => (await asking()).length === 1);
    await tx`select pg_terminate_backend(${Number((await asking())[0]?.["pid"])})`;
    return { first };
  });
  // It was not sent yet, so it may go on over another connection.
  expect(await first).toMatch(/^(done|57P01|CONNECTION_CLOSED)$/);
  expect([...(await fresh.sql`select array['a', 'b'] as words`)]).toEqual([{ words: ["a", "b"] }]);
  await fresh[Symbol.asyncDispose]();
});

import { afterAll, expect, test } from "bun:test";
import { openDatabase, type DatabaseClient } from "../../src/db/client.ts";
import { parseConnectionUrl } from "../../src/db/connection-options.ts";
import { ChangedMigration, UnknownMigration, migrate, pendingMigrations } from "../../src/db/migrate.ts";
import { migrations } from "../../src/db/migrations.ts";
import { createTestDatabase } from "../support/cluster.ts";

const database = await createTestDatabase();
const open = (): DatabaseClient =>
  openDatabase({ target: parseConnectionUrl(database.url), connections: 2, statementTimeoutMs: 30_000 });
const client = open();
const other = open();
afterAll(async () => {
  await Promise.all([client[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
  await database[Symbol.asyncDispose]();
});

const names = migrations.map((migration) => migration.name);

/** An empty database, as before the first start. */
async function empty(): Promise<void> {
  await client.sql.unsafe("drop schema public, queue cascade; create schema public").simple();
}

test("two servers that start at once migrate once, and a later start has nothing to do", async () => {
  await empty();
  expect(await pendingMigrations(client.sql)).toEqual(names);
  const ran = await Promise.all([migrate(client.sql), migrate(other.sql)]);
  expect(ran.flat().toSorted()).toEqual(names.toSorted());
  expect(await pendingMigrations(client.sql)).toEqual([]);
  expect(await migrate(client.sql)).toEqual([]);
});

test("a database of a newer version is left alone", async () => {
  await client.sql`insert into migration (name, sha256) values ('9999_future', 'x')`;
  await expect(migrate(client.sql)).rejects.toThrow(UnknownMigration);
  await client.sql`delete from migration where name = '9999_future'`;
});

test("a migration whose text changed after it ran is noticed", async () => {
  const [first = ""] = names;
  await client.sql`update migration set sha256 = 'other' where name = ${first}`;
  await expect(pendingMigrations(client.sql)).rejects.toThrow(ChangedMigration);
  await empty();
});

test("a migration that fails leaves nothing behind, and runs once its cause is gone", async () => {
  await client.sql`create table owner (id integer)`;
  await expect(migrate(client.sql)).rejects.toThrow("owner");
  const tables = await client.sql<
    { name: string }[]
  >`select tablename as name from pg_tables where schemaname = 'public'`;
  expect(tables.map((table) => table.name)).toEqual(["owner"]);
  await client.sql`drop table owner`;
  expect(await migrate(client.sql)).toEqual(names);
});

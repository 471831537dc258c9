import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type DatabaseClient } from "../../src/db/client.ts";
import { parseConnectionUrl } from "../../src/db/connection-options.ts";
import { ChangedMigration, UnknownMigration, migrate, pendingMigrations } from "../../src/db/migrate.ts";
import { migrations } from "../../src/db/migrations.ts";
import { routines } from "../../src/db/routines.ts";
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

const names = [...migrations.map((migration) => migration.name), "routines"];
const [first] = migrations;

/** An empty database, as before the first start. */
async function empty(): Promise<void> {
  await client.sql.unsafe("drop schema if exists public cascade; create schema public").simple();
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

test("routines of another version are replaced, and a later start leaves them", async () => {
  await client.sql`update migration set sha256 = 'other' where name = 'routines'`;
  await client.sql`create or replace function owner_class(visibility text) returns smallint language sql as 'select 7::smallint'`;
  await client.sql`drop trigger star_counted on star`;
  expect(await pendingMigrations(client.sql)).toEqual(["routines"]);
  const ran = await Promise.all([migrate(client.sql), migrate(other.sql)]);
  expect(ran.flat()).toEqual(["routines"]);
  expect(await client.sql`select owner_class('limited')::integer as class`).toEqual([{ class: 1 }] as never);
  expect(await client.sql`select tgname from pg_trigger where tgname = 'star_counted'`).toHaveLength(1);
  expect(await migrate(client.sql)).toEqual([]);
});

test("unchanged routines run after a migration, too: it may have dropped one", async () => {
  const [recorded] = await client.sql`select name, sha256 from migration where name = 'routines'`;
  await empty();
  await client.sql`create table migration (name text collate "C" primary key, sha256 text not null, at timestamptz not null default now())`;
  await client.sql`insert into migration ${client.sql(recorded!)}`;
  expect(await migrate(client.sql)).toEqual(names);
  expect(await client.sql`select tgname from pg_trigger where tgname = 'star_counted'`).toHaveLength(1);
});

test("a migration whose text changed after it ran is noticed", async () => {
  await client.sql`update migration set sha256 = 'other' where name = ${first.name}`;
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

test("routines that fail take the migrations back with them", async () => {
  await empty();
  // Another kind of thing than the function that the routines define by this name and these types.
  await client.sql`create aggregate owner_class(text) (sfunc = textcat, stype = text)`;
  await expect(migrate(client.sql)).rejects.toThrow("cannot change routine kind");
  expect(await client.sql`select 1 from pg_tables where schemaname = 'public'`).toHaveLength(0);
  await client.sql`drop aggregate owner_class(text)`;
  expect(await migrate(client.sql)).toEqual(names);
});

test("every SQL file of the schema is in a list", async () => {
  const root = join(import.meta.dir, "../..");
  const listed = [...migrations.map(({ sql }) => sql), routines].join("\n");
  const files = ["drizzle", "src/db"].flatMap((folder) =>
    Array.from(new Bun.Glob(`${folder}/**/*.sql`).scanSync(root)),
  );
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((file) => !listed.includes(readFileSync(join(root, file), "utf8").trim()))).toEqual([]);
});

test("every function and trigger of a new database has one definition", async () => {
  const text = [...migrations.map(({ sql }) => sql), routines].join("\n");
  const found = [...text.matchAll(/^create (?:or replace )?(?:function|trigger) "?(?<name>[\w.]+)"?/gim)];
  const existing = await client.sql<{ name: string }[]>`
    select case nspname when 'public' then proname else nspname || '.' || proname end as name
      from pg_proc join pg_namespace n on n.oid = pronamespace where nspname not in ('pg_catalog', 'information_schema')
    union all select tgname from pg_trigger where not tgisinternal`;
  expect(existing.length).toBeGreaterThan(100);
  expect(found.map(({ groups }) => groups!["name"]!).toSorted()).toEqual(existing.map(({ name }) => name).toSorted());
});

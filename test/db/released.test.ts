import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../src/db/client.ts";
import { parseConnectionUrl } from "../../src/db/connection-options.ts";
import { migrate } from "../../src/db/migrate.ts";
import { insertUser } from "../../src/domain/identity/users/queries.ts";
import { createTestDatabase } from "../support/cluster.ts";
import { describeSchema, restoreDatabase, writeDatabase } from "./released/database-text.ts";

/** A database of each released version migrates to the schema of a new database. `released/README.md` says how one is added. */

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

async function newDatabase() {
  const { url } = stack.use(await createTestDatabase());
  return stack.use(openDatabase({ target: parseConnectionUrl(url), connections: 1, statementTimeoutMs: 60_000 }));
}

const restored = await newDatabase();
const fresh = await newDatabase();
const schema = await describeSchema(fresh.sql);
const directory = join(import.meta.dir, "released");
const versions = [...new Bun.Glob("*.sql").scanSync(directory)].map((file) => file.slice(0, -".sql".length)).toSorted();

test("every version of the changelog that is released has a database", () => {
  const changelog = readFileSync(join(import.meta.dir, "../../CHANGELOG.md"), "utf8");
  const headings = [...changelog.matchAll(/^## (?<version>\d+\.\d+\.\d+)(?<rest>.*)$/gm)];
  expect(headings.length).toBeGreaterThan(0);
  const released = headings.filter(({ groups }) => !groups!["rest"]!.includes("not released yet"));
  expect(versions).toEqual(released.map(({ groups }) => groups!["version"]!).toSorted());
});

for (const version of versions) {
  test(`a database of ${version} gets the schema of a new one, and keeps its users`, async () => {
    await restoreDatabase(restored.sql, readFileSync(join(directory, `${version}.sql`), "utf8"));
    const before = await restored.sql`select id, name from owner order by id`;
    expect(before.length).toBeGreaterThan(2);
    await migrate(restored.sql);
    expect(await describeSchema(restored.sql)).toEqual(schema);
    expect(await restored.sql`select id, name from owner order by id`).toEqual(before as never);
  });
}

test("a database of this version is written and restored with its rows, and has nothing to migrate", async () => {
  const user = { fullName: "", passwordHash: null, isAdmin: true, mustChangePassword: false };
  const id = await fresh.db.transaction((tx) => insertUser(tx, { name: "ann", email: "ann@example.com", ...user }));
  await restoreDatabase(restored.sql, await writeDatabase(fresh.sql));
  expect(await migrate(restored.sql)).toEqual([]);
  expect(await describeSchema(restored.sql)).toEqual(schema);
  expect(await restored.sql`select * from owner`).toEqual((await fresh.sql`select * from owner`) as never);
  expect(await restored.sql`select * from list_total`).toEqual((await fresh.sql`select * from list_total`) as never);
  const next = await restored.db.transaction((tx) =>
    insertUser(tx, { name: "ben", email: "ben@example.com", ...user }),
  );
  expect(next).toBe(id + 1);
});

test("what a migration leaves in another way is seen", async () => {
  await restored.sql`create function left_behind() returns integer language sql as 'select 1'`;
  await restored.sql`drop trigger star_counted on star`;
  await restored.sql`alter table star add column left_behind integer`;
  await restored.sql`alter table pull reset (fillfactor)`;
  const found = await describeSchema(restored.sql);
  const first = (line: string) => line.split(/[ (]/).slice(0, 3).join(" ");
  expect(found.filter((line) => !schema.includes(line)).map(first)).toEqual([
    "column public.star.left_behind integer",
    "function CREATE OR",
    "table public.pull ",
  ]);
  expect(schema.filter((line) => !found.includes(line)).map(first)).toEqual([
    "table public.pull {fillfactor=50}",
    "trigger CREATE TRIGGER",
  ]);
});

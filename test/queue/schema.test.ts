import { afterAll, expect, test } from "bun:test";
import { Logger, runMigrations } from "graphile-worker";
import { Pool } from "pg";
import { createTestDatabase } from "../support/cluster.ts";

/** The queue's tables come with our migrations: they have to be what the library would have made. */

const database = await createTestDatabase();
const pool = new Pool({
  connectionString: database.url.replace(/^postgres:\/\/(\w+)@\/(\w+)\?host=(.*)$/, "postgres://$1@$3/$2"),
});
pool.on("error", () => {});
pool.on("connect", (client) => client.on("error", () => {}));
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});
const logger = new Logger(() => () => {});

/** Everything of a schema, with its own name left out. */
async function describeSchema(schema: string): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(
    `select 'column ' || table_name || ' ' || ordinal_position || ' ' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' ||
        coalesce(column_default, '') || ' ' || is_identity || ' ' || coalesce(generation_expression, '') as line
       from information_schema.columns where table_schema = $1
     union all select 'index ' || indexdef from pg_indexes where schemaname = $1
     union all select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = $1::regnamespace and contype <> 'n'
     union all select 'function ' || pg_get_functiondef(oid) from pg_proc where pronamespace = $1::regnamespace
     union all select 'view ' || viewname || ' ' || definition from pg_views where schemaname = $1
     union all select 'row security ' || relname || ' ' || relrowsecurity from pg_class where relnamespace = $1::regnamespace and relkind = 'r'
     union all select 'migration ' || id || ' ' || breaking from ${schema}.migrations`,
    [schema],
  );
  return rows
    .map(({ line }) => line.replaceAll(new RegExp(`\\b${schema}\\b`, "g"), "SCHEMA").replaceAll('"SCHEMA"', "SCHEMA"))
    .sort();
}

test("the migration makes what the library's own migrations make", async () => {
  await runMigrations({ pgPool: pool, schema: "made_by_library", logger });
  const ours = await describeSchema("queue");
  expect(ours.length).toBeGreaterThan(80);
  expect(ours).toEqual(await describeSchema("made_by_library"));
});

test("the library finds nothing to migrate", async () => {
  const before = await pool.query("select * from queue.migrations order by id");
  await runMigrations({ pgPool: pool, schema: "queue", logger });
  expect((await pool.query("select * from queue.migrations order by id")).rows).toEqual(before.rows);
});

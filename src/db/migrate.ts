import type postgres from "postgres";
import { StithyError } from "../lib/errors.ts";
import { migrations, type Migration } from "./migrations.ts";
import { routines } from "./routines.ts";

/** The database was written by a newer Stithy than this one. */
export class UnknownMigration extends StithyError {
  constructor(names: string[]) {
    super(
      "fault",
      "unknown-migration",
      `The database has migrations that this version does not know: ${names.join(", ")}. Start the newer version instead`,
      { names },
    );
  }
}

/** A migration's text differs from the one that ran: the history was edited. */
export class ChangedMigration extends StithyError {
  constructor(name: string) {
    super("fault", "changed-migration", `The migration "${name}" has run with another text than this version carries`, {
      name,
    });
  }
}

/** Any fixed number serves, as long as nothing else in the database locks it. */
const lockKey = 7_484_811_479;

/** The routines have a row beside the migrations, with the digest of those that the database has. */
const routinesName = "routines";

function digest(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/** Returns the digests of what has run, by names. Throws UnknownMigration and ChangedMigration. */
async function appliedDigests(sql: postgres.ISql): Promise<Map<string, string>> {
  const [table] = await sql<{ there: boolean }[]>`select to_regclass('migration') is not null as there`;
  if (!table?.there) {
    return new Map();
  }
  const rows = await sql<{ name: string; sha256: string }[]>`select name, sha256 from migration order by name`;
  const applied = new Map(rows.map((row) => [row.name, row.sha256]));
  const known = new Map(migrations.map((migration) => [migration.name, migration.sql]));
  const unknown = [...applied.keys()].filter((name) => name !== routinesName && !known.has(name));
  if (unknown.length > 0) {
    throw new UnknownMigration(unknown);
  }
  for (const [name, text] of known) {
    if (applied.has(name) && applied.get(name) !== digest(text)) {
      throw new ChangedMigration(name);
    }
  }
  return applied;
}

/**
 * Returns what has not run yet, in the order in which it has to run. The routines come last: they run again after each
 * migration, which may have dropped one, and if their text differs from that of the database.
 */
async function pendingSteps(sql: postgres.ISql): Promise<Migration[]> {
  const applied = await appliedDigests(sql);
  const pending = migrations.filter(({ name }) => !applied.has(name));
  return pending.length > 0 || applied.get(routinesName) !== digest(routines)
    ? [...pending, { name: routinesName, sql: routines }]
    : [];
}

/**
 * Returns the names of the migrations that have not run yet, and "routines" if the database has others than this version.
 * Throws UnknownMigration and ChangedMigration.
 */
export async function pendingMigrations(sql: postgres.Sql): Promise<string[]> {
  return (await pendingSteps(sql)).map(({ name }) => name);
}

/**
 * Runs what `pendingMigrations` returns, all in one transaction: a database has the schema of one version or of the other.
 * An advisory lock lets two processes that start at once migrate once. Returns the names that ran.
 */
export async function migrate(sql: postgres.Sql): Promise<string[]> {
  const connection = await sql.reserve();
  try {
    // Another process may migrate for as long as it takes.
    await connection`set statement_timeout = 0`;
    await connection`select pg_advisory_lock(${lockKey})`;
    try {
      const pending = await pendingSteps(connection);
      if (pending.length > 0) {
        await runSteps(connection, pending);
      }
      return pending.map(({ name }) => name);
    } finally {
      await connection`select pg_advisory_unlock(${lockKey})`;
      await connection`reset statement_timeout`;
    }
  } finally {
    connection.release();
  }
}

async function runSteps(connection: postgres.ReservedSql, steps: readonly Migration[]): Promise<void> {
  await connection.unsafe("begin").simple();
  try {
    await connection`create table if not exists migration (name text collate "C" primary key, sha256 text not null, at timestamptz not null default now())`.simple();
    for (const { name, sql } of steps) {
      await connection.unsafe(sql).simple();
      await connection`insert into migration (name, sha256) values (${name}, ${digest(sql)}) on conflict (name) do update set sha256 = excluded.sha256, at = now()`;
    }
    await connection.unsafe("commit").simple();
  } catch (error) {
    await connection.unsafe("rollback").simple();
    throw error;
  }
}

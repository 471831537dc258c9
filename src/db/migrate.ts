import type postgres from "postgres";
import { StithyError } from "../lib/errors.ts";
import { migrations } from "./migrations.ts";

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

function digest(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

async function appliedMigrations(sql: postgres.ISql): Promise<Map<string, string>> {
  const [table] = await sql<{ there: boolean }[]>`select to_regclass('migration') is not null as there`;
  if (!table?.there) {
    return new Map();
  }
  const rows = await sql<{ name: string; sha256: string }[]>`select name, sha256 from migration order by name`;
  return new Map(rows.map((row) => [row.name, row.sha256]));
}

function checkHistory(applied: Map<string, string>): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration.sql]));
  const unknown = [...applied.keys()].filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new UnknownMigration(unknown);
  }
  for (const [name, sha256] of applied) {
    if (digest(known.get(name) ?? "") !== sha256) {
      throw new ChangedMigration(name);
    }
  }
}

/** The names of the migrations that have not run yet. Throws UnknownMigration and ChangedMigration. */
export async function pendingMigrations(sql: postgres.Sql): Promise<string[]> {
  const applied = await appliedMigrations(sql);
  checkHistory(applied);
  return migrations.filter((migration) => !applied.has(migration.name)).map((migration) => migration.name);
}

/**
 * Runs what has not run yet, each in a transaction of its own, under an advisory lock, so that two processes started
 * at once migrate once. A failed migration leaves the version it failed at. Answers the names that ran.
 */
export async function migrate(sql: postgres.Sql, report: (name: string) => void = () => {}): Promise<string[]> {
  const connection = await sql.reserve();
  try {
    // Another process may migrate for as long as it takes.
    await connection`set statement_timeout = 0`;
    await connection`select pg_advisory_lock(${lockKey})`;
    try {
      const applied = await appliedMigrations(connection);
      checkHistory(applied);
      const ran: string[] = [];
      for (const migration of migrations.filter((candidate) => !applied.has(candidate.name))) {
        await runMigration(connection, migration);
        report(migration.name);
        ran.push(migration.name);
      }
      return ran;
    } finally {
      await connection`select pg_advisory_unlock(${lockKey})`;
      await connection`reset statement_timeout`;
    }
  } finally {
    connection.release();
  }
}

async function runMigration(connection: postgres.ReservedSql, migration: { name: string; sql: string }): Promise<void> {
  await connection.unsafe("begin").simple();
  try {
    await connection.unsafe(migration.sql).simple();
    await connection`create table if not exists migration (name text collate "C" primary key, sha256 text not null, at timestamptz not null default now())`.simple();
    await connection`insert into migration (name, sha256) values (${migration.name}, ${digest(migration.sql)})`;
    await connection.unsafe("commit").simple();
  } catch (error) {
    await connection.unsafe("rollback").simple();
    throw error;
  }
}

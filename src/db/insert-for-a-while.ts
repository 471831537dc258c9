import { sql, type SQL } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Database } from "./client.ts";
import { findPostgresError } from "./pg-errors.ts";

/** The row that stands for something, such as a file of that name, and how it is found. */
export interface NamingRow<Table extends PgTable> {
  table: Table;
  row: Table["$inferInsert"];
  is: SQL;
}

const lockTimeout = "55P03";

/**
 * Runs `work` while no row exists that names a thing, such as a file, and none can be inserted. It inserts such a row and
 * deletes it before the commit, so other transactions that would insert one wait. Returns false without running `work` if
 * the row exists, or if another transaction has been inserting one for two seconds.
 */
export async function insertForAWhile<Table extends PgTable>(
  db: Database,
  { table, row, is }: NamingRow<Table>,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    return await db.transaction(async (tx) => {
      await tx.execute(sql`set local lock_timeout = '2s'`);
      const inserted = await tx
        .insert(table)
        .values(row)
        .onConflictDoNothing()
        .returning({ one: sql`1` });
      if (inserted.length === 0) {
        return false;
      }
      await work();
      await tx.delete(table).where(is);
      return true;
    });
  } catch (error) {
    if (findPostgresError(error)?.code === lockTimeout) {
      return false;
    }
    throw error;
  }
}

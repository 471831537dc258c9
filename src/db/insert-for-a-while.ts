import { sql } from "drizzle-orm";
import type { Database, Transaction } from "./client.ts";
import { findPostgresError } from "./pg-errors.ts";

export interface InsertedForAWhile {
  /** Inserts a row unless there is one of its key; answers whether it did. */
  insert(tx: Transaction): Promise<boolean>;
  /** What is done meanwhile; its answer is that of the whole. */
  work(): Promise<boolean>;
  /** Removes the row that was inserted. */
  remove(tx: Transaction): Promise<unknown>;
}

const lockTimeout = "55P03";

/**
 * Does something with what the row of a key stands for, such as a file of that name, while there is no such row and none
 * can come: nobody ever sees the one that is inserted for so long, but whoever would insert one waits for it. False, with
 * nothing done, where there is a row, or a transaction has been about to make one for two seconds.
 */
export async function insertForAWhile(db: Database, { insert, work, remove }: InsertedForAWhile): Promise<boolean> {
  try {
    return await db.transaction(async (tx) => {
      await tx.execute(sql`set local lock_timeout = '2s'`);
      if (!(await insert(tx))) {
        return false;
      }
      const done = await work();
      await remove(tx);
      return done;
    });
  } catch (error) {
    if (findPostgresError(error)?.code === lockTimeout) {
      return false;
    }
    throw error;
  }
}

import type { DatabaseClient } from "../../src/db/client.ts";

/** Locks a table until it is disposed of: whoever reads or writes it waits. */
export async function lockTable(database: DatabaseClient, table: string): Promise<AsyncDisposable> {
  const connection = await database.sql.reserve();
  await connection`begin`;
  await connection.unsafe(`lock table ${table} in access exclusive mode`);
  return {
    async [Symbol.asyncDispose]() {
      await connection`rollback`;
      connection.release();
    },
  };
}

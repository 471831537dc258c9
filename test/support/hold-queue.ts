import type { Sql } from "postgres";
import { claimLock } from "../../src/queue/claim.ts";

/** No job begins until the result is disposed of. */
export async function holdQueue(sql: Sql): Promise<AsyncDisposable> {
  const holder = await sql.reserve();
  await holder`select pg_advisory_lock(${claimLock})`;
  return {
    async [Symbol.asyncDispose]() {
      await holder`select pg_advisory_unlock(${claimLock})`;
      holder.release();
    },
  };
}

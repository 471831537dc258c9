import { afterAll, beforeEach } from "bun:test";
import { openDatabase } from "../../src/db/client.ts";
import { parseConnectionUrl } from "../../src/db/connection-options.ts";
import { createTestDatabase } from "../support/cluster.ts";

/** A database of its own for a test file, and how to reach it. Each test begins without jobs. Call it at the top of the file with `await`. */
export async function useQueueDatabase(connections: number) {
  const testDatabase = await createTestDatabase();
  const target = parseConnectionUrl(testDatabase.url);
  const database = openDatabase({ target, connections, statementTimeoutMs: 30_000 });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
    await testDatabase[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await database.sql`delete from job`;
  });
  return { target, database };
}

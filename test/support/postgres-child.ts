import { createInterface } from "node:readline";
import postgres from "postgres";
import { StithyError } from "../../src/lib/errors.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { EmbeddedPostgres } from "../../src/postgres/embedded-postgres.ts";

// A process of its own that runs an embedded server: `postgres-child.ts <directory> <cache directory>`.
// Each line on standard input is SQL, answered by a line of JSON; the end of the input stops everything.
const [directory = "", cacheDirectory = ""] = process.argv.slice(2);
try {
  await using server = await EmbeddedPostgres.start({ directory, cacheDirectory, durable: true, log: silentLogger });
  const sql = postgres({ ...server.connection, max: 1, onnotice: () => {} });
  console.log(JSON.stringify({ pid: server.pid }));
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await sql.unsafe(line)));
  }
  await sql.end();
} catch (error) {
  console.log(JSON.stringify({ code: error instanceof StithyError ? error.code : String(error) }));
  process.exitCode = 1;
}

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { closeTestDatabases, createTestDatabase } from "../../support/cluster.ts";
import { quickDirectory } from "../../support/quick-directory.ts";
import { runStithy } from "../../support/stithy.ts";
import { writeDatabase } from "./database-text.ts";

/** Writes VERSION.sql: a database of the version that is checked out. See README.md. */

const seed = {
  users: [{ username: "ann" }, { username: "ben" }],
  organizations: [{ name: "guild", owner: "ann" }],
  repositories: [
    { owner: "ann", name: "demo", commits: [{ message: "First", files: { "README.md": "text" } }] },
    { owner: "guild", name: "tool", private: true },
  ],
  issues: [{ repository: "ann/demo", title: "It fails", comments: [{ body: "Yes" }] }],
};

const [version] = process.argv.slice(2);
if (version === undefined) {
  throw new Error("Usage: bun test/db/released/write.ts VERSION");
}
const directory = mkdtempSync(quickDirectory("stithy-released-"));
try {
  await using database = await createTestDatabase();
  const file = join(directory, "seed.json");
  writeFileSync(file, JSON.stringify(seed));
  const run = await runStithy(["admin", "seed", file, "--data", join(directory, "data")], {
    env: { DATABASE_URL: database.url },
  });
  if (run.code !== 0) {
    throw new Error(run.stderr);
  }
  const url = new URL(database.url.replace("@/", "@localhost/"));
  const sql = postgres({
    host: url.searchParams.get("host")!,
    database: url.pathname.slice(1),
    user: url.username,
    max: 1,
  });
  await Bun.write(join(import.meta.dir, `${version}.sql`), await writeDatabase(sql));
  await sql.end();
} finally {
  rmSync(directory, { recursive: true, force: true });
  await closeTestDatabases();
}

import baselineTables from "../../drizzle/0000_baseline.sql" with { type: "text" };
import baselineApplications from "../../drizzle/0000_baseline/default-applications.sql" with { type: "text" };
import baselineFunctions from "../../drizzle/0000_baseline/indexed-functions.sql" with { type: "text" };
import baselineStorage from "../../drizzle/0000_baseline/storage.sql" with { type: "text" };

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/**
 * The migrations in the order in which they run: one for each release, made of the file that drizzle-kit generated and of
 * the files of the folder with its name, which are written by hand. The migration of a released version is never changed.
 * The list is kept by hand because a compiled executable has no directory to read.
 */
export const migrations: readonly [Migration, ...Migration[]] = [
  {
    name: "0000_baseline",
    sql: [baselineFunctions, baselineTables, baselineStorage, baselineApplications].join("\n"),
  },
];

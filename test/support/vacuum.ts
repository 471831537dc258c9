import type { Sql } from "postgres";

/** Much longer than a vacuum takes on a busy machine. */
const deadlineMs = 120_000;

/**
 * Vacuums a table until the database has noted of each of its pages that everybody sees it, then analyzes it. The database
 * notes that only of what no older transaction may still have to see, so it takes some rounds; index-only scans look at
 * the table for the other pages. Throws with what may have kept it from that.
 */
export async function vacuumWhole(sql: Sql, table: string): Promise<void> {
  for (const deadline = Date.now() + deadlineMs; ;) {
    await sql`vacuum ${sql(table)}`;
    const [row] =
      await sql`select relallvisible as visible, relpages as pages from pg_class where oid = ${table}::regclass`;
    if (row?.["visible"] === row?.["pages"]) {
      // Once, at the end: it makes the words of each text that is searched by index, which may take seconds.
      await sql`analyze ${sql(table)}`;
      return;
    }
    if (Date.now() > deadline) {
      const sessions =
        await sql`select datname, backend_type, state, backend_xmin, xact_start, query from pg_stat_activity
        where backend_xmin is not null and pid <> pg_backend_pid()`;
      throw new Error(`Not all pages of ${table} are visible to everybody: ${JSON.stringify([row, sessions])}`);
    }
  }
}

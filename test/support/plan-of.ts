import type { Sql } from "postgres";
import type { Database, Reader } from "../../src/db/client.ts";

/** What the statements of a query read. */
export interface ReadPlan {
  statements: number;
  /** Rows of tables that were looked at, those included that a condition left out. */
  rows: number;
  /** Pages of tables and indexes. */
  pages: number;
  /** Each `Node Type table`. */
  scans: string[];
}

/** Runs a query, and again each of its statements by EXPLAIN ANALYZE; returns what the database read. */
export async function planOf(sql: Sql, db: Database, run: (db: Reader) => Promise<unknown>): Promise<ReadPlan> {
  const statements: { sql: string; params: unknown[] }[] = [];
  await run(db);
  const logged = Reflect.get(db, "session") as { logger: { logQuery: (query: string, params: unknown[]) => void } };
  const { logger } = logged;
  logged.logger = { logQuery: (query, params) => void statements.push({ sql: query, params }) };
  await run(db);
  logged.logger = logger;
  let rows = 0;
  let pages = 0;
  const scans: string[] = [];
  for (const statement of statements) {
    const [answer] = await sql.unsafe(
      `explain (analyze, buffers, format json) ${statement.sql}`,
      statement.params as never[],
    );
    const visit = (node: Record<string, unknown>) => {
      if (typeof node["Relation Name"] === "string") {
        scans.push(`${node["Node Type"]} ${node["Relation Name"]}`);
        rows +=
          Number(node["Actual Rows"]) * Number(node["Actual Loops"]) + Number(node["Rows Removed by Filter"] ?? 0);
      }
      ((node["Plans"] ?? []) as Record<string, unknown>[]).forEach(visit);
    };
    const [found] = (answer?.["QUERY PLAN"] ?? []) as { Plan: Record<string, unknown> }[];
    const plan = found?.Plan ?? {};
    visit(plan);
    pages += Number(plan["Shared Hit Blocks"]) + Number(plan["Shared Read Blocks"]);
  }
  return { statements: statements.length, rows, pages, scans };
}

import type postgres from "postgres";

export interface Statement {
  sql: string;
  params: readonly unknown[];
}

/** What statements read when they run. */
export interface Plan {
  /** Node and table, such as `Seq Scan issue`. */
  scans: string[];
  /** Rows of tables that were looked at, those among them that a filter took away. */
  rows: number;
}

/** The statements that are sent while `run` does, outside of transactions. */
export async function statementsOf(sql: postgres.Sql, run: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const asked = sql.unsafe.bind(sql);
  Object.assign(sql, {
    unsafe: (text: string, params: unknown[] = [], options?: object) => {
      statements.push({ sql: text, params });
      return asked(text, params as never[], options as never);
    },
  });
  try {
    await run();
  } finally {
    Object.assign(sql, { unsafe: asked });
  }
  return statements;
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value))
    return `'${JSON.stringify(value).replace("[", "{").replace("]", "}").replaceAll("'", "''")}'`;
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString("hex")}'`;
  const text = value instanceof Date ? value.toISOString() : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Runs statements again, by the plans that the server has for them: of prepared ones, which do not know their values. For a
 * database of one connection.
 */
export async function planOf(sql: postgres.Sql, statements: readonly Statement[]): Promise<Plan> {
  const plan: Plan = { scans: [], rows: 0 };
  const visit = (node: Record<string, unknown>) => {
    if (typeof node["Relation Name"] === "string" && Number(node["Actual Loops"]) > 0) {
      plan.scans.push(`${String(node["Node Type"])} ${node["Relation Name"]}`);
      const rows = Number(node["Actual Rows"]) + Number(node["Rows Removed by Filter"] ?? 0);
      plan.rows += rows * Number(node["Actual Loops"]);
    }
    ((node["Plans"] ?? []) as Record<string, unknown>[]).forEach(visit);
  };
  for (const statement of statements) {
    await sql.unsafe(`prepare planned as ${statement.sql}`);
    const values = statement.params.length === 0 ? "" : `(${statement.params.map(literal).join(", ")})`;
    const [answer] = await sql.unsafe(`explain (analyze, format json) execute planned${values}`);
    await sql.unsafe("deallocate planned");
    const [found] = (answer?.["QUERY PLAN"] ?? []) as { Plan: Record<string, unknown> }[];
    visit(found?.Plan ?? {});
  }
  return plan;
}

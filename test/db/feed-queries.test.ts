import { expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp({ database: { connections: 1 } });
const alice = await app.user("alice");
const { sql } = app.forge.database;
const commit = (name: string, number: number) =>
  alice.api.post(`/repos/alice/${name}/contents/file-${number}`, {
    content: "eA==",
    message: `m${number}`,
    branch: "main",
  });

for (const [name, pushes] of [
  ["few", 2],
  ["many", 14],
] as const) {
  await app.repository(alice, name, { auto_init: true });
  for (let number = 0; number < pushes; number++) {
    expect((await commit(name, number)).status).toBe(201);
  }
}

/** How many transactions the database ran for a request; a query by itself is one. */
async function transactionsOf(path: string): Promise<{ transactions: number; rows: number }> {
  const count = async () => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await sql`select xact_commit::int as value from pg_stat_database where datname = current_database()`;
    return Number(row?.["value"]);
  };
  const before = await count();
  const { body } = await alice.api.get<{ content: string; op_type: string }[]>(path);
  const transactions = (await count()) - before;
  const pushes = body.filter(({ op_type: kind }) => kind === "commit_repo");
  // The first commit brought nothing that the default branch has not.
  const lengths = pushes.map(({ content }) => (JSON.parse(content) as { Len: number }).Len);
  expect(lengths).toEqual([...pushes.slice(1).map(() => 1), 0]);
  return { transactions, rows: pushes.length };
}

test("a feed asks the database as often for many pushes as for few", async () => {
  const few = await transactionsOf("/repos/alice/few/activities/feeds");
  const many = await transactionsOf("/repos/alice/many/activities/feeds");
  expect([few.rows, many.rows]).toEqual([3, 15]);
  expect(many.transactions).toBeLessThanOrEqual(few.transactions + 1);
});

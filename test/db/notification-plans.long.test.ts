import { expect, test } from "bun:test";
import type { Database } from "../../src/db/client.ts";
import {
  countNotifications,
  findNotifications,
  listNotifications,
} from "../../src/domain/work/notifications/queries.ts";
import { planOf as planOfStatements, statementsOf } from "../support/prepared-plans.ts";
import { useTestApp } from "../support/test-app.ts";

/** What is read of a user's notifications does not grow with those of others, nor a page with their own. */

const app = await useTestApp({ database: { connections: 1 } });
const { sql, db } = app.forge.database;
const alice = await app.user("alice");
const few = await app.user("few");
const many = await app.user("many");
const { id: repositoryId } = await app.repository(alice, "tree");
const credential = { kind: "none" } as const;
const viewerOf = async (user: { id: number }) => ({
  actor: (await app.forge.identity.findSubject({ userId: user.id }, {})).actor,
  credential,
});
// To count 20,000 of one statement one by one takes longer than all that is asked here.
await sql`alter table issue disable trigger issue_counted`;
await sql`insert into issue (repository_id, number, title, author_id)
  select ${repositoryId}, n, 'number ' || n, ${alice.id} from generate_series(1, 20000) n`;
await sql`insert into comment (repository_id, issue_id, kind, author_id, body)
  select ${repositoryId}, id, 'comment', ${alice.id}, 'x' from issue`;
const fill = (user: { id: number }, count: number) => sql`
  insert into notification (user_id, repository_id, subject, issue_id, status, reason, updated_at)
  select ${user.id}, ${repositoryId}, 'issue', id, case when number % 2 = 0 then 'read' else 'unread' end, 'watching', now() - number * interval '1 second'
  from issue where number <= ${count}`;
await fill(alice, 20_000);
await fill(many, 20_000);
await fill(few, 40);
await sql`analyze`;

/** How many statements a query sends, what they scan whole, and the rows that they read. */
async function planOf(run: (from: Database) => Promise<unknown>) {
  const statements = await statementsOf(sql, () => run(db));
  const { rows, scans } = await planOfStatements(sql, statements);
  const large = scans.filter((scan) => /^Seq Scan (notification|issue|comment)$/.test(scan));
  return { statements: statements.length, rows, large };
}

const page = { size: 30, offset: 0 };
const [viewerOfFew, viewerOfMany] = [await viewerOf(few), await viewerOf(many)];
// The rows of repositories and their owners are remembered from here on.
await listNotifications(db, viewerOfFew, { statuses: ["unread"] }, page);

test.each([
  ["unread", { statuses: ["unread", "pinned"] }],
  ["all", { statuses: ["unread", "read", "pinned"] }],
  ["of a repository", { statuses: ["unread", "pinned"], repositoryId }],
  ["since a time", { statuses: ["unread", "pinned"], since: new Date(Date.now() - 3_600_000) }],
] as const)("a list of those that are %s reads no table whole", async (_, filter) => {
  const small = await planOf((from) => listNotifications(from, viewerOfFew, filter, page));
  const large = await planOf((from) => listNotifications(from, viewerOfMany, filter, page));
  expect(small.statements).toBe(3);
  expect({ statements: large.statements, large: large.large }).toEqual({ statements: 3, large: [] });
});

test("a page reads as much of 20,000 as of 40; only the total counts them", async () => {
  const filter = { statuses: ["unread", "pinned"] } as const;
  const read = async (viewer: typeof viewerOfFew) => {
    const list = await planOf((from) => listNotifications(from, viewer, filter, page));
    const total = await planOf((from) => countNotifications(from, viewer, filter));
    return { page: list.rows - total.rows, total: total.rows };
  };
  const small = await read(viewerOfFew);
  const large = await read(viewerOfMany);
  expect(large.page).toBeLessThanOrEqual(small.page + 40);
  expect(large.total).toBeLessThanOrEqual(10_010);
});

test("single ones are found by their ids", async () => {
  const rows = await sql<{ id: string }[]>`select id from notification where user_id = ${many.id} limit 50`;
  const ids = rows.map(({ id }) => Number(id));
  const plan = await planOf((from) => findNotifications(from, viewerOfMany, ids, 50));
  expect({ statements: plan.statements, large: plan.large }).toEqual({ statements: 2, large: [] });
});

test("a request asks as often for 30 of one repository as for one", async () => {
  const count = async (path: string) => {
    const before = await transactions();
    expect((await many.api.get(path)).status).toBe(200);
    return (await transactions()) - before;
  };
  const transactions = async () => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await sql`select xact_commit::int as value from pg_stat_database where datname = current_database()`;
    return Number(row?.["value"]);
  };
  await count("/notifications");
  expect(await count("/notifications?limit=30")).toBeLessThanOrEqual((await count("/notifications?limit=1")) + 1);
});

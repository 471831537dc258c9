import { expect, test } from "bun:test";
import type { Viewer } from "../../src/auth/viewer-of.ts";
import { listIssues } from "../../src/domain/work/issues/list-queries.ts";
import type { IssueFilter, IssueOrderName, IssuePlace } from "../../src/domain/work/issues/list-filter.ts";
import { useTestApp } from "../support/test-app.ts";
import { vacuumWhole } from "../support/vacuum.ts";

/** What a list of issues reads does not grow with the number of issues: the rows that the database reads are counted. */

const app = await useTestApp({ database: { connections: 1 } });
const { sql, db } = app.forge.database;
const alice = await app.user("alice");
const { id: repositoryId } = await app.repository(alice, "many");
const issues = 20_000;
await sql`alter table issue disable trigger issue_counted`;
await sql`insert into issue (repository_id, number, title, body, author_id, is_pull, closed_at, comments, due_at, created_at, updated_at)
  select ${repositoryId}, n, 'number ' || n, case when n % 1000 = 0 then 'needle' else 'hay' end, ${alice.id}, n % 5 = 0,
    case when n % 3 = 0 then now() end, n % 7, case when n % 4 = 0 then now() + n * interval '1 minute' end,
    now() - n * interval '1 minute', now() - (n * 7919 % 20000) * interval '1 minute'
  from generate_series(1, ${issues}) n`;
await sql`insert into label (repository_id, name, color) values (${repositoryId}, 'rare', 'ff0000')`;
await sql`insert into issue_label (issue_id, label_id) select issue.id, label.id from issue, label where number % 500 = 0`;
await sql`insert into issue_mention (issue_id, user_id) select id, ${alice.id} from issue where number % 500 = 0`;
const { id: smallId } = await app.repository(alice, "small");
await sql`insert into issue (repository_id, number, title, body, author_id, is_pull)
  select ${smallId}, n, 'one of few', '', ${alice.id}, false from generate_series(1, 3) n`;
await sql`insert into comment (repository_id, issue_id, kind, author_id, body)
  select repository_id, id, 'comment', ${alice.id}, 'often said' from issue`;
await vacuumWhole(sql, "issue");
await vacuumWhole(sql, "comment");
await sql`analyze issue_label, issue_mention, label`;

const viewer: Viewer = { actor: null, credential: { kind: "none" } };
const page = { size: 30, offset: 0 };
const all: IssueFilter = { kinds: [false, true], states: [true, false] };
const here: IssuePlace = { repositoryId, ownerId: alice.id };
const everywhere: IssuePlace = { repositoryId: null };

async function rowsRead(
  run: () => Promise<unknown>,
  table: "issue" | "comment" = "issue",
): Promise<{ scanned: number; fetched: number }> {
  const read = async () => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] =
      await sql`select sum(seq_tup_read)::int as scanned, sum(idx_tup_fetch)::int as fetched from pg_stat_user_tables where relname = ${table}`;
    return { scanned: Number(row?.["scanned"]), fetched: Number(row?.["fetched"]) };
  };
  await run();
  const before = await read();
  await run();
  const after = await read();
  return { scanned: after.scanned - before.scanned, fetched: after.fetched - before.fetched };
}

const cases: [string, IssuePlace, IssueFilter, IssueOrderName][] = [
  ...(
    [
      "latest",
      "oldest",
      "recentupdate",
      "leastupdate",
      "mostcomment",
      "leastcomment",
      "nearduedate",
      "farduedate",
    ] as const
  ).map((order): [string, IssuePlace, IssueFilter, IssueOrderName] => [order, here, all, order]),
  ["open issues", here, { kinds: [false], states: [true] }, "latest"],
  ["a word", here, { ...all, text: "needle" }, "relevance"],
  ["a label", here, { ...all, labels: ["rare"] }, "latest"],
  ["a mention", here, { ...all, mentionedId: alice.id }, "latest"],
  ["everywhere", everywhere, all, "latest"],
  ["a word everywhere", everywhere, { ...all, text: "needle" }, "latest"],
  ["a mention everywhere", everywhere, { ...all, mentionedId: alice.id }, "latest"],
];

test.each(cases)("%s", async (_, place, filter, order) => {
  const read = await rowsRead(() => listIssues(db, viewer, place, filter, order, page));
  expect(read.scanned).toBe(0);
  expect(read.fetched).toBeLessThan(1000);
});

test("a word of comments in one repository, whatever is said in others", async () => {
  const small: IssuePlace = { repositoryId: smallId, ownerId: alice.id };
  const search = () => listIssues(db, viewer, small, { ...all, text: "often" }, "latest", page);
  expect((await search()).total).toBe(3);
  const read = await rowsRead(search, "comment");
  expect(read.scanned).toBe(0);
  expect(read.fetched).toBeLessThan(100);
});

test("a word that more issues have than are remembered is counted in full, again and again", async () => {
  const filter: IssueFilter = { ...all, text: "hay" };
  const totals: number[] = [];
  for (const offset of [0, 30, 19_960]) {
    const { rows, total } = await listIssues(db, viewer, everywhere, filter, "latest", { size: 30, offset });
    totals.push(total, rows.length);
  }
  expect(totals).toEqual([19_980, 30, 19_980, 30, 19_980, 20]);
});

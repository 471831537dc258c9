import { expect, test } from "bun:test";
import { planOf, statementsOf } from "../support/prepared-plans.ts";
import { useTestApp } from "../support/test-app.ts";

/** What a request about issues asks the database: as often for a page of fifty as for one row, and never a large table whole. */

const app = await useTestApp({ database: { connections: 1 } });
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const repository = await app.repository(alice, "many");
const other = await app.repository(alice, "other");
const issues = 20_000;
// Half of the issues are elsewhere: a plan that walks an index of all would read these.
await sql`with made as (insert into owner (kind, name, lower_name) select 'user', 'user-' || n, 'user-' || n from generate_series(1, 200) n returning id)
  insert into account (owner_id) select id from made`;
await sql`insert into label (repository_id, name, color) select ${repository.id}, 'label ' || n, '00aabb' from generate_series(1, 2000) n`;
await sql`insert into label (owner_id, name, color) select id, 'label ' || n, '00aabb' from owner, generate_series(1, 100) n where lower_name like 'user-%'`;
await sql`insert into milestone (repository_id, title, due_at) select case when n <= 2000 then ${repository.id}::bigint else ${other.id}::bigint end, 'goal ' || n, now() + n * interval '1 day' from generate_series(1, 20000) n`;
await sql`alter table issue disable trigger issue_counted`;
await sql`insert into issue (repository_id, number, title, body, author_id, closed_at, milestone_id, created_at, updated_at)
  select case n % 2 when 0 then ${repository.id}::bigint else ${other.id}::bigint end, (n + 1) / 2, 'number ' || n, case when n % 40 = 0 then 'needle' else 'hay' end, ${alice.id},
    case when n % 3 = 0 then now() end, (select id from milestone order by id limit 1 offset 7), now() - n * interval '1 minute', now() - n * interval '1 minute'
  from generate_series(1, ${issues}) n`;
await sql`insert into issue_label (issue_id, label_id) select issue.id, label.id from issue join label on label.name = 'label ' || number % 20 + 1
  where issue.repository_id = ${repository.id} and label.repository_id = ${repository.id}`;
// All issues of one label have a second one, too.
await sql`insert into issue_label (issue_id, label_id) select issue_id, (select id from label where repository_id = ${repository.id} and name = 'label 8')
  from issue_label join label on label.id = label_id where label.repository_id = ${repository.id} and label.name = 'label 7'`;
await sql`insert into issue_assignee (issue_id, user_id) select issue.id, owner.id from issue join owner on lower_name = 'user-' || number % 200 + 1`;
await sql`insert into issue_mention (issue_id, user_id) select issue_id, case when issue_id % 60 = 0 then ${alice.id}::bigint else user_id end from issue_assignee`;
await sql`insert into comment (repository_id, issue_id, kind, author_id, body, created_at)
  select repository_id, id, 'comment', ${bob.id}, 'said', created_at + interval '1 second' from issue`;
await sql`insert into comment (repository_id, issue_id, kind, author_id, body, created_at)
  select repository_id, id, case n % 3 when 0 then 'comment' when 1 then 'close' else 'reopen' end, ${alice.id}, 'again', created_at + n * interval '1 minute'
  from issue, generate_series(1, 500) n where repository_id = ${repository.id} and number = 1`;
await sql`insert into tracked_time (repository_id, issue_id, user_id, seconds) select repository_id, id, ${bob.id}, 60 from issue where number <= 500 or repository_id = ${other.id}`;
await sql`insert into tracked_time (repository_id, issue_id, user_id, seconds) select repository_id, id, ${alice.id}, n from issue, generate_series(1, 100) n
  where repository_id = ${repository.id} and number = 1`;
await sql`insert into notification (user_id, repository_id, subject, issue_id, reason, updated_at)
  select ${alice.id}, repository_id, 'issue', id, 'watching', updated_at from issue where number <= 500`;
await sql`insert into notification (user_id, repository_id, subject, issue_id, reason, updated_at)
  select ${bob.id}, repository_id, 'issue', id, 'watching', updated_at from issue`;
await sql`vacuum analyze`;

const large = /^Seq Scan (issue|comment|notification|tracked_time|label|milestone|issue_(label|assignee|mention))$/;
const at = "/repos/alice/many";

/** The path, and the most rows that a page of fifty and its total may read. Of many thousands, each time. */
const cases: [string, number][] = [
  [`${at}/issues`, 700],
  [`${at}/issues?state=closed&sort=oldest`, 700],
  [`${at}/issues?q=needle`, 2500],
  // The labels of the repository, of which an index has no names, and those issues of one that are counted.
  [`${at}/issues?labels=label 7`, 3200],
  [`${at}/issues?labels=label 7,label 8`, 10_500],
  ["/repos/issues/search?q=needle", 2500],
  ["/repos/issues/search?state=open", 700],
  ["/repos/issues/search?mentioned=true&state=all", 2500],
  [`${at}/issues/1`, 100],
  [`${at}/issues/1/timeline`, 2000],
  [`${at}/issues/1/comments`, 1200],
  [`${at}/issues/comments`, 700],
  [`${at}/issues/1/times?user_name=alice`, 800],
  [`${at}/times`, 3500],
  ["/notifications", 2500],
  [`${at}/notifications`, 2000],
  [`${at}/milestones`, 2300],
  [`${at}/labels`, 2300],
];

test.each(cases)("%s", async (path, mostRows) => {
  const sent = (limit: number) =>
    statementsOf(sql, async () => {
      const { status, body } = await alice.api.get(`${path}${path.includes("?") ? "&" : "?"}limit=${limit}`);
      expect(status).toBe(200);
      if (Array.isArray(body)) expect(body.length).toBe(limit);
    });
  // What is remembered from one request to the next is read here.
  await sent(50);
  const [one, fifty] = [await sent(1), await sent(50)];
  expect(fifty.length).toBe(one.length);
  expect(fifty.length).toBeLessThanOrEqual(8);
  const { scans, rows } = await planOf(sql, fifty);
  expect(scans.filter((scan) => large.test(scan))).toEqual([]);
  expect(rows).toBeLessThanOrEqual(mostRows);
});

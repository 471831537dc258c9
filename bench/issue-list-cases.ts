import type postgres from "postgres";
import type { MeasuredList } from "./support/list-bench.ts";

const users = 1000;
const repositories = 200;
const commentsPerIssue = 5;
/** Of the issue whose timeline is asked for. */
const manyComments = 100;
/** A word that is searched for stands in so many issues at most. */
const mostMatches = 1000;
const notificationsEach = 300;

/**
 * Fills a database, which has the users alice and root, with so many issues: half of them in alice/large, the others in 199
 * repositories; five comments each, and a label, a milestone, an assignee and somebody mentioned. Each user has notifications
 * of 300 issues, in all repositories. By SQL, without the triggers that count: what they count is worked out at the end.
 */
export async function fillForIssues(sql: postgres.Sql, issues: number): Promise<void> {
  await sql`
    with made as (insert into owner (kind, name, lower_name)
      select 'user', 'user-' || n, 'user-' || n from generate_series(1, ${users - 2}::int) n returning id)
    insert into account (owner_id) select id from made`;
  await sql`insert into repository (owner_id, name, lower_name, default_branch)
    select id, 'large', 'large', 'main' from owner where lower_name = 'alice'`;
  await sql`insert into repository (owner_id, name, lower_name, default_branch)
    select id, 'issues', 'issues', 'main' from owner where lower_name like 'user-%' order by id limit ${repositories - 1}`;
  await sql`create temporary table home as select id, row_number() over (order by name = 'large' desc, id) - 1 as place from repository`;
  await sql`create temporary table person as select id, row_number() over (order by id) - 1 as place from owner where kind = 'user'`;
  await sql`insert into label (repository_id, name, color) select home.id, label.name, '00aabb' from home, unnest(array['bug', 'docs', 'help', 'kind/a', 'kind/b']) label (name)`;
  await sql`insert into milestone (repository_id, title) select id, n || '.0' from home, generate_series(1, 3) n`;
  await sql`alter table issue disable trigger user`;
  await sql`alter table comment disable trigger user`;
  await sql`
    insert into issue (repository_id, number, title, body, author_id, closed_at, milestone_id, comments, created_at, updated_at)
    select home.id, row_number() over (partition by home.id order by n), 'Issue ' || n || ' about word' || n % ${Math.ceil(issues / mostMatches)}::int,
      'What happens: it stops after ' || n || ' seconds.' || E'\n\nWhat should happen: it goes on.', person.id, case when n % 3 = 2 then now() end,
      (select milestone.id from milestone where repository_id = home.id order by id limit 1), ${commentsPerIssue},
      now() - n * interval '1 minute', now() - n * interval '1 minute'
    from generate_series(1, ${issues}::int) n
      join home on home.place = case when n % 2 = 0 then 0 else n % ${repositories - 1}::int + 1 end
      join person on person.place = n * 7 % ${users}::int`;
  await sql`insert into issue_label (issue_id, label_id)
    select issue.id, label.id from issue join label on label.repository_id = issue.repository_id and label.name = (array['bug', 'docs', 'help', 'kind/a', 'kind/b'])[number % 5 + 1]`;
  await sql`insert into issue_assignee (issue_id, user_id) select issue.id, person.id from issue join person on person.place = issue.id * 3 % ${users}::int`;
  await sql`insert into issue_mention (issue_id, user_id) select issue.id, person.id from issue join person on person.place = issue.id * 11 % ${users}::int`;
  await sql`insert into comment (repository_id, issue_id, kind, author_id, body, created_at)
    select repository_id, issue.id, 'comment', person.id, 'Comment ' || n || ': I see the same here.', issue.created_at + n * interval '1 second'
    from issue cross join generate_series(1, ${commentsPerIssue}::int) n join person on person.place = (issue.id + n) % ${users}::int`;
  await sql`insert into comment (repository_id, issue_id, kind, author_id, body, created_at)
    select repository_id, issue.id, 'comment', person.id, 'More ' || n, issue.created_at + n * interval '1 minute'
    from issue cross join generate_series(1, ${manyComments}::int) n join person on person.place = n
    where number = 1 and repository_id = (select id from home where place = 0)`;
  await sql`insert into tracked_time (repository_id, issue_id, user_id, seconds) select repository_id, id, author_id, 60 from issue where number % 10 = 1`;
  await fillNotifications(sql, notificationsEach);
  await sql`update issue set comments = (select count(*) from comment where issue_id = issue.id and kind = 'comment') where number = 1`;
  await sql`update repository_count set open_issues = counted.open, closed_issues = counted.closed from (
      select repository_id, count(*) filter (where closed_at is null) as open, count(closed_at) as closed from issue group by 1) counted
    where counted.repository_id = repository_count.repository_id`;
  await sql`insert into list_total (list, owner_id, class, count) select 'comment', repository_id, 0, sum(comments) from issue group by repository_id`;
  await sql`alter table issue enable trigger user`;
  await sql`alter table comment enable trigger user`;
  await sql`vacuum analyze`;
}

/** Gives each user unread notifications of so many issues, which are spread over all repositories. */
export async function fillNotifications(sql: postgres.Sql, each: number): Promise<void> {
  await sql`
    with numbered as (select id, repository_id, row_number() over (order by id) as place, count(*) over () as of from issue)
    insert into notification (user_id, repository_id, subject, issue_id, reason, updated_at)
    select account.owner_id, repository_id, 'issue', numbered.id, 'watching', now() - place * interval '1 second'
    from account join numbered on place % greatest(1, of / ${each}::int) = account.owner_id % greatest(1, of / ${each}::int)
    on conflict do nothing`;
  // As a server does by itself within minutes.
  await sql`analyze notification`;
}

const large = "/repos/alice/large";

/** The lists that are measured. */
export const issueListCases: readonly MeasuredList[] = [
  { label: "issues of the largest repository", path: `${large}/issues` },
  { label: "closed ones, the oldest first", path: `${large}/issues?state=closed&sort=oldest` },
  { label: "page 10 by last update", path: `${large}/issues?sort=recentupdate&page=10` },
  { label: "by a label", path: `${large}/issues?labels=bug` },
  { label: "by an assignee", path: `${large}/issues?assigned_by=user-7` },
  { label: "by a word", path: `${large}/issues?q=word0` },
  { label: "one issue", path: `${large}/issues/1` },
  { label: "timeline, 50 entries", path: `${large}/issues/1/timeline?limit=50` },
  { label: "comments of an issue", path: `${large}/issues/1/comments` },
  { label: "comments of the largest repository", path: `${large}/issues/comments` },
  { label: "times of the largest repository", path: `${large}/times` },
  { label: "milestones", path: `${large}/milestones` },
  { label: "search for a word", path: "/repos/issues/search?q=word1" },
  { label: "search without a word", path: "/repos/issues/search" },
  { label: "search, assigned to oneself", path: "/repos/issues/search?assigned=true" },
  { label: "notifications", path: "/notifications" },
  { label: "notifications of a repository", path: `${large}/notifications` },
].map(({ label, path }) => ({ label, path: `/api/v1${path}`, user: "alice" }));

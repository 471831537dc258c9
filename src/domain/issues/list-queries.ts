import { eq, inArray, sql, type SQL } from "drizzle-orm";
import { unitVisibleSql } from "../../auth/access-sql.ts";
import { viewerOf, type Viewer } from "../../auth/viewer-of.ts";
import type { Reader } from "../../db/client.ts";
import { repositoryCount } from "../../db/schema/lists.ts";
import { issue } from "../../db/schema/issues.ts";
import { owner } from "../../db/schema/owners.ts";
import { repository } from "../../db/schema/repositories.ts";
import { issueOrders, type IssueFilter, type IssueOrderName, type IssuePlace } from "./list-filter.ts";
import { issueColumns, type IssueRow } from "./queries.ts";

interface Slice {
  size: number;
  offset: number;
}

const texts = (values: readonly string[]) => sql`${sql.param(values.map((value) => value.toLowerCase()))}::text[]`;
const digits = /^\d{1,15}$/;
const ids = (values: readonly string[]) =>
  sql`${sql.param(values.filter((value) => digits.test(value)).map(Number))}::bigint[]`;
const and = (conditions: readonly SQL[]) =>
  conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `);

/** Ids of the issues that have one of these labels. */
function labelled(place: IssuePlace, names: readonly string[]): SQL {
  const named = sql`(lower(label.name) = any(${texts(names)}) or label.id = any(${ids(names)}))`;
  if (place.repositoryId === null) {
    return sql`exists (select 1 from issue_label join label on label.id = issue_label.label_id
      where issue_label.issue_id = issue.id and ${named})`;
  }
  const own = sql`(label.repository_id = ${place.repositoryId} or label.owner_id = ${place.ownerId})`;
  return sql`issue.id in (select issue_label.issue_id from label join issue_label on issue_label.label_id = label.id
    where ${own} and ${named})`;
}

function inMilestone(place: IssuePlace, names: readonly string[]): SQL {
  const named = sql`(lower(milestone.title) = any(${texts(names)}) or milestone.id = any(${ids(names)}))`;
  return place.repositoryId === null
    ? sql`exists (select 1 from milestone where milestone.id = issue.milestone_id and ${named})`
    : sql`issue.milestone_id in (select milestone.id from milestone where milestone.repository_id = ${place.repositoryId} and ${named})`;
}

const queryOf = (text: string) => sql`plainto_tsquery('simple', ${text})`;

/** Conditions that leave few issues of all, or that no order has an index for: their matches are found first, and sorted. */
function narrowing(place: IssuePlace, filter: IssueFilter): SQL[] {
  const { text, labels, milestones, authorId, assigneeId, mentionedId } = filter;
  return [
    ...narrowingOfPulls(filter),
    ...(text === undefined ? [] : [sql`issue.words @@ ${queryOf(text)}`]),
    ...(labels === undefined ? [] : [labelled(place, labels)]),
    ...(milestones === undefined ? [] : [inMilestone(place, milestones)]),
    ...(authorId === undefined ? [] : [sql`issue.author_id = ${authorId}`]),
    ...(assigneeId === undefined
      ? []
      : [sql`issue.id in (select issue_id from issue_assignee where user_id = ${assigneeId})`]),
    ...(mentionedId === undefined
      ? []
      : [sql`issue.id in (select issue_id from issue_mention where user_id = ${mentionedId})`]),
  ];
}

/** The same of pull requests. */
function narrowingOfPulls(filter: IssueFilter): SQL[] {
  const { labelIds, milestoneId, base, head, reviewRequestedId, reviewedById } = filter;
  const from = head?.ownerId === null ? sql`` : sql`and head.owner_id = ${head?.ownerId ?? 0}`;
  return [
    ...(labelIds === undefined
      ? []
      : [
          sql`issue.id in (select issue_id from issue_label where label_id = any(${sql.param([...labelIds])}::bigint[]))`,
        ]),
    ...(milestoneId === undefined ? [] : [sql`issue.milestone_id = ${milestoneId}`]),
    ...(base === undefined
      ? []
      : [sql`exists (select 1 from pull where pull.issue_id = issue.id and pull.base_branch = ${base})`]),
    ...(head === undefined
      ? []
      : [
          sql`exists (select 1 from pull join repository head on head.id = pull.head_repository_id
            where pull.issue_id = issue.id and pull.head_branch = ${head.branch} ${from})`,
        ]),
    ...(reviewRequestedId === undefined
      ? []
      : [
          sql`issue.id in (select pull_id from review where kind = 'request' and reviewer_id = ${reviewRequestedId}
            union all select review.pull_id from review join team_member on team_member.team_id = review.team_id
              where review.kind = 'request' and team_member.user_id = ${reviewRequestedId})`,
        ]),
    ...(reviewedById === undefined
      ? []
      : [
          sql`issue.id in (select pull_id from review where kind in ('comment', 'approve', 'request-changes') and reviewer_id = ${reviewedById})`,
        ]),
  ];
}

/** Conditions beside those of narrowing and of the kind and the state. */
function conditions(place: IssuePlace, { withoutLabels, since, before }: IssueFilter): SQL[] {
  return [
    ...(withoutLabels === undefined ? [] : [sql`not ${labelled(place, withoutLabels)}`]),
    ...(since === undefined ? [] : [sql`issue.updated_at >= ${since.toISOString()}::timestamptz`]),
    ...(before === undefined ? [] : [sql`issue.updated_at <= ${before.toISOString()}::timestamptz`]),
  ];
}

/** Whether the viewer may see what is of this kind in `repository` of `owner`, and the place is there. */
function visible(place: IssuePlace & { repositoryId: null }, viewer: Viewer, isPull: boolean): SQL {
  const { ownerId, team } = place;
  const seen = viewerOf(viewer);
  const insider = sql`(${seen.isAdmin} or exists (select 1 from team_member join team mine on mine.id = team_member.team_id
    where team_member.user_id = ${seen.id} and mine.organization_id = team.organization_id))`;
  return and([
    unitVisibleSql(seen, isPull ? "pulls" : "issues"),
    ...(ownerId === undefined ? [] : [sql`repository.owner_id = ${ownerId}`]),
    ...(team === undefined
      ? []
      : [
          sql`exists (select 1 from team where team.organization_id = repository.owner_id and team.lower_name = ${team} and ${insider}
            and (team.mode = 4 or team.includes_all_repositories or exists (select 1 from team_repository
              where team_repository.team_id = team.id and team_repository.repository_id = repository.id)))`,
        ]),
  ]);
}

/** The tables of a list, those of the repository only where the viewer may not see all. */
function fromWhere(place: IssuePlace, viewer: Viewer, isPull: boolean, hasHits: boolean): { from: SQL; where: SQL } {
  const base = hasHits ? sql`hit join issue on issue.id = hit.id` : sql`issue`;
  return place.repositoryId === null
    ? {
        from: sql`${base} join repository on repository.id = issue.repository_id join owner on owner.id = repository.owner_id`,
        where: visible(place, viewer, isPull),
      }
    : { from: base, where: sql`issue.repository_id = ${place.repositoryId}` };
}

/** A common table expression of the ids that `narrowing` leaves; nothing where it does not narrow. */
function hitsOf(place: IssuePlace, filter: IssueFilter): SQL | null {
  const narrowed = narrowing(place, filter);
  if (narrowed.length === 0) {
    return null;
  }
  const inRepository = place.repositoryId === null ? [] : [sql`issue.repository_id = ${place.repositoryId}`];
  return sql`with hit as materialized (select issue.id from issue where ${and([...narrowed, ...inRepository])})`;
}

function pageSql(
  place: IssuePlace,
  viewer: Viewer,
  filter: IssueFilter,
  orderName: IssueOrderName,
  { size, offset }: Slice,
): SQL {
  const order = issueOrders[orderName === "relevance" && filter.text === undefined ? "latest" : orderName];
  const hits = hitsOf(place, filter);
  const direction = sql.raw(order.descending ? "desc" : "asc");
  const key =
    order.by === "relevance" ? sql`ts_rank(issue.words, ${queryOf(filter.text ?? "")})` : sql.raw(`issue.${order.by}`);
  // Those that are due come first in both directions, so they are a list of their own.
  const parts = order.by === "due_at" ? [sql`issue.due_at is not null`, sql`issue.due_at is null`] : [sql`true`];
  const firstId = place.repositoryId === null ? place.firstId : undefined;
  const places =
    orderName === "priority"
      ? [sql`issue.pin_order is not null`, sql`issue.pin_order is null`]
      : firstId === undefined
        ? [sql`true`]
        : [sql`issue.repository_id = ${firstId}`, sql`issue.repository_id <> ${firstId}`];
  const branches = filter.kinds.flatMap((isPull) => {
    const { from, where } = fromWhere(place, viewer, isPull, hits !== null);
    return filter.states.flatMap((isOpen) =>
      parts.flatMap((part) =>
        places.map(
          (inPlace, rank) =>
            // The state is a subquery, since the planner would rewrite a constant into what no index has.
            sql`(select issue.id as id, ${key} as key, ${sql.raw(String(rank))} as place from ${from}
              where ${and([where, sql`issue.is_pull = ${isPull}`, sql`(issue.closed_at is null) = (select ${isOpen}::boolean)`, part, inPlace, ...conditions(place, filter)])}
              order by ${key} ${direction}, issue.id ${direction} limit ${size + offset})`,
        ),
      ),
    );
  });
  return sql`(${hits ?? sql``} select each.id, row_number() over (order by each.place, each.key is null, each.key ${direction}, each.id ${direction}) as rank
    from (${sql.join(branches, sql` union all `)}) each order by rank limit ${size} offset ${offset})`;
}

async function countIssues(db: Reader, place: IssuePlace, viewer: Viewer, filter: IssueFilter): Promise<number> {
  const hits = hitsOf(place, filter);
  const isPlain = hits === null && conditions(place, filter).length === 0;
  const parts = filter.kinds.map((isPull) => {
    if (isPlain) {
      const columns = filter.states.map((isOpen) =>
        isOpen
          ? isPull
            ? repositoryCount.openPulls
            : repositoryCount.openIssues
          : isPull
            ? repositoryCount.closedPulls
            : repositoryCount.closedIssues,
      );
      const counted = sql.join(
        columns.map((column) => sql`${column}`),
        sql` + `,
      );
      return place.repositoryId === null
        ? sql`(select coalesce(sum(${counted}), 0) from repository join owner on owner.id = repository.owner_id
            join repository_count on repository_count.repository_id = repository.id where ${visible(place, viewer, isPull)})`
        : sql`(select ${counted} from repository_count where repository_count.repository_id = ${place.repositoryId})`;
    }
    const { from, where } = fromWhere(place, viewer, isPull, hits !== null);
    const states = sql.join(
      filter.states.map((isOpen) => (isOpen ? sql`issue.closed_at is null` : sql`issue.closed_at is not null`)),
      sql` or `,
    );
    return sql`(select count(*) from ${from} where ${and([where, sql`issue.is_pull = ${isPull}`, sql`(${states})`, ...conditions(place, filter)])})`;
  });
  const [row] = await db
    .select({ total: sql`total`.mapWith(Number) })
    .from(sql`(${hits ?? sql``} select ${sql.join(parts, sql` + `)} as total) counted`);
  return row?.total ?? 0;
}

/** A page of issues and pull requests, and how many there are in all: two queries. */
export async function listIssues(
  db: Reader,
  viewer: Viewer,
  place: IssuePlace,
  filter: IssueFilter,
  order: IssueOrderName,
  page: Slice,
): Promise<{ rows: IssueRow[]; total: number }> {
  if (filter.kinds.length === 0) {
    return { rows: [], total: 0 };
  }
  const [total, rows] = await Promise.all([
    countIssues(db, place, viewer, filter),
    db
      .select(issueColumns)
      .from(sql`${pageSql(place, viewer, filter, order, page)} as page`)
      .innerJoin(issue, eq(issue.id, sql`page.id`))
      .orderBy(sql`page.rank`),
  ]);
  return { rows, total };
}

/** The repositories of issues by their ids, with their owners' names. */
export async function findHomes(db: Reader, repositoryIds: readonly number[]) {
  const rows =
    repositoryIds.length === 0
      ? []
      : await db
          .select({
            repository: { id: repository.id, name: repository.name },
            owner: { id: owner.id, name: owner.name },
          })
          .from(repository)
          .innerJoin(owner, eq(owner.id, repository.ownerId))
          .where(inArray(repository.id, [...new Set(repositoryIds)]));
  return new Map(rows.map((row) => [row.repository.id, row]));
}

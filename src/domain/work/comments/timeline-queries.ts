import { and, asc, eq, getTableColumns, inArray, ne, sql, type SQL } from "drizzle-orm";
import { discussionVisibleSql, unitVisibleSql, type ViewerSql } from "../../../auth/access-sql.ts";
import type { OwnerRow } from "../../../auth/subject.ts";
import { limitsOf, type CredentialLimits, type Viewer } from "../../../auth/viewer-of.ts";
import type { Database } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { comment, reviewComment } from "../../../db/schema/comments.ts";
import { issue } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { attachmentsOfComments, type AttachmentRow } from "../../repos/attachments/queries.ts";
import { findDetails } from "../issues/find-details-queries.ts";
import { completeIssues, issueColumns, type FoundIssue, type LabelRow, type MilestoneRow } from "../issues/queries.ts";
import { viewerValues } from "../../repos/list-queries.ts";
import { viewerSql } from "../../repos/list-sql-queries.ts";
import { findKnownTeams } from "../../identity/teams/known-queries.ts";
import type { Team } from "../../identity/teams/queries.ts";
import { findTimes, type TrackedTimeRow } from "../times/queries.ts";
import { issueOfComment, spanValues, withinSpan, type CommentRow, type EntryOfIssue, type Span } from "./queries.ts";

/** Where an issue or a comment of another repository is. */
export interface Elsewhere {
  repository: { id: number; name: string };
  owner: { id: number; name: string };
}

/** An entry of a timeline with all that is shown of it. */
export interface FoundEntry {
  comment: CommentRow;
  author: OwnerRow | null;
  assignee: OwnerRow | null;
  label: LabelRow | null;
  milestone: MilestoneRow | null;
  oldMilestone: MilestoneRow | null;
  otherIssue: (FoundIssue & { home: Elsewhere }) | null;
  otherComment: (EntryOfIssue & { author: OwnerRow | null; assets: AttachmentRow[] }) | null;
  time: { row: TrackedTimeRow; user: OwnerRow | null } | null;
  /** Where the commit is. */
  commitHome: Elsewhere | null;
  /** The team that was asked for a review; null: a user, or one that the viewer may not know of. */
  team: Team | null;
  /** The user who resolved the conversation of a comment on a line. */
  resolver: OwnerRow | null;
}

/** Whether the viewer may read the issue that an entry points to. */
function otherVisibleSql(reader: ViewerSql): SQL<boolean> {
  return sql`exists (select 1 from ${issue} join ${repository} on ${repository.id} = ${issue.repositoryId}
      join ${owner} on ${owner.id} = ${repository.ownerId}
    where ${issue.id} = ${comment.otherIssueId} and ${discussionVisibleSql(reader, issue.isPull)})`;
}

/** Whether the viewer may read the repository of the commit that an entry points to. */
function commitVisibleSql(reader: ViewerSql): SQL<boolean> {
  return sql`exists (select 1 from ${repository} join ${owner} on ${owner.id} = ${repository.ownerId}
    where ${repository.id} = ${comment.otherRepositoryId} and ${unitVisibleSql(reader, "code")})`;
}

interface TimelineShape extends CredentialLimits {
  readsCode: boolean;
  since: boolean;
  before: boolean;
}

const timelineOf = preparedByShape((db: Database, { since, before, readsCode, ...limits }: TimelineShape) => {
  const reader = viewerSql(limits);
  const pointing = sql`(${comment.otherIssueId} is not null or ${comment.kind} in ('issue_ref', 'comment_ref', 'pull_ref'))`;
  const where = and(
    eq(comment.issueId, sql.placeholder("issueId")),
    eq(comment.pending, false),
    withinSpan({ since, before }),
    readsCode ? undefined : ne(comment.kind, "code"),
    sql`(not ${pointing} or ${otherVisibleSql(reader)})`,
    sql`(${comment.kind} <> 'commit_ref' or ${commitVisibleSql(reader)})`,
  );
  return {
    rows: db
      .select()
      .from(comment)
      .where(where)
      .orderBy(asc(comment.createdAt), asc(comment.id))
      .limit(sql.placeholder("size"))
      .offset(sql.placeholder("offset"))
      .prepare("list_timeline"),
    total: db
      .select({ total: sql`count(*)`.mapWith(Number) })
      .from(comment)
      .where(where)
      .prepare("count_timeline"),
  };
});

/**
 * A page of the timeline of an issue, the oldest first, and how long it is. References from issues that the viewer may not read, or that are
 * gone, and from commits of code that they may not read, are as good as not there. `readsCode`: the viewer may read the code of the repository; else
 * comments on lines are left out.
 */
export async function listTimeline(
  db: Database,
  viewer: Viewer,
  { issueId, readsCode }: { issueId: number; readsCode: boolean },
  span: Span,
  page: { size: number; offset: number },
): Promise<{ rows: CommentRow[]; total: number }> {
  const [since, before] = [span.since !== undefined, span.before !== undefined];
  const lists = timelineOf(db, { since, before, readsCode, ...limitsOf(viewer.credential) });
  const values = { ...viewerValues(viewer), ...spanValues(span), issueId, size: page.size, offset: page.offset };
  const [rows, [counted]] = await Promise.all([lists.rows.execute(values), lists.total.execute(values)]);
  return { rows, total: counted?.total ?? 0 };
}

const idsOf = (ids: readonly (number | null)[]) => [...new Set(ids.flatMap((id) => id ?? []))];

/** The issues of these ids, with where they are. Whether the viewer may read them is known already. */
async function findOthers(
  db: Database,
  viewer: Viewer,
  ids: readonly number[],
): Promise<Map<number, FoundEntry["otherIssue"]>> {
  if (ids.length === 0) {
    return new Map();
  }
  const rows = await db
    .select({
      issue: issueColumns,
      repository: { id: repository.id, name: repository.name },
      owner: { id: owner.id, name: owner.name },
    })
    .from(issue)
    .innerJoin(repository, eq(repository.id, issue.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(inArray(issue.id, [...ids]));
  const homes = new Map(rows.map((row) => [row.issue.id, { repository: row.repository, owner: row.owner }]));
  const found = await completeIssues(
    db,
    viewer,
    rows.map((row) => row.issue),
  );
  return new Map(
    found.flatMap((one) => {
      const home = homes.get(one.issue.id);
      return home === undefined ? [] : [[one.issue.id, { ...one, home }] as const];
    }),
  );
}

async function findHomes(db: Database, ids: readonly number[]): Promise<Map<number, Elsewhere>> {
  const rows =
    ids.length === 0
      ? []
      : await db
          .select({
            repository: { id: repository.id, name: repository.name },
            owner: { id: owner.id, name: owner.name },
          })
          .from(repository)
          .innerJoin(owner, eq(owner.id, repository.ownerId))
          .where(inArray(repository.id, [...ids]));
  return new Map(rows.map((row) => [row.repository.id, row]));
}

async function findOtherComments(db: Database, ids: readonly number[]): Promise<EntryOfIssue[]> {
  return ids.length === 0
    ? []
    : db
        .select({ comment: getTableColumns(comment), issue: issueOfComment })
        .from(comment)
        .innerJoin(issue, eq(issue.id, comment.issueId))
        .where(inArray(comment.id, [...ids]));
}

/** Finds the users who resolved the conversations of these comments on lines, by the comments' ids. */
async function findResolvers(db: Database, ids: readonly number[]): Promise<Map<number, number | null>> {
  const rows =
    ids.length === 0
      ? []
      : await db
          .select({ id: reviewComment.commentId, resolverId: reviewComment.resolverId })
          .from(reviewComment)
          .where(inArray(reviewComment.commentId, [...ids]));
  return new Map(rows.map(({ id, resolverId }) => [id, resolverId]));
}

/**
 * Adds to entries what is shown of them, in one query for each kind of thing, however many entries there are. `knowsTeams`: the viewer administers the
 * repository, and so may know of all teams.
 */
export async function completeEntries(
  db: Database,
  viewer: Viewer,
  rows: readonly CommentRow[],
  knowsTeams: boolean,
): Promise<FoundEntry[]> {
  const others = idsOf(rows.map(({ otherIssueId }) => otherIssueId));
  const codeIds = rows.flatMap(({ id, kind }) => (kind === "code" ? [id] : []));
  const teamIds = idsOf(rows.map(({ assigneeTeamId }) => assigneeTeamId));
  const [comments, times, resolvers] = await Promise.all([
    findOtherComments(db, idsOf(rows.map(({ otherCommentId }) => otherCommentId))),
    findTimes(db, idsOf(rows.map(({ trackedTimeId }) => trackedTimeId))),
    findResolvers(db, codeIds),
  ]);
  const commentIds = comments.map((row) => row.comment.id);
  const [details, issues, homes, teams] = await Promise.all([
    findDetails(db, viewer, {
      commentIds,
      labelIds: rows.map(({ labelId }) => labelId),
      milestoneIds: rows.flatMap(({ milestoneId, oldMilestoneId }) => [milestoneId, oldMilestoneId]),
      userIds: [
        ...rows.flatMap(({ authorId, assigneeId }) => [authorId, assigneeId]),
        ...comments.map((row) => row.comment.authorId),
        ...times.map((row) => row.userId),
        ...resolvers.values(),
      ],
    }),
    findOthers(db, viewer, others),
    findHomes(db, idsOf(rows.map(({ otherRepositoryId }) => otherRepositoryId))),
    findKnownTeams(db, viewer, teamIds, knowsTeams),
  ]);
  const assets = details.commentsHaveFiles ? await attachmentsOfComments(db, commentIds) : [];
  const { users, labels, milestones } = details;
  const timeOf = new Map(times.map((row) => [row.id, row]));
  const commentOf = new Map(comments.map((row) => [row.comment.id, row]));
  return rows.map((row) => {
    const other = commentOf.get(row.otherCommentId ?? 0);
    const time = timeOf.get(row.trackedTimeId ?? 0);
    return {
      comment: row,
      author: users.get(row.authorId ?? 0) ?? null,
      time: time === undefined ? null : { row: time, user: users.get(time.userId ?? 0) ?? null },
      assignee: users.get(row.assigneeId ?? 0) ?? null,
      team: teams.get(row.assigneeTeamId ?? 0) ?? null,
      resolver: users.get(resolvers.get(row.id) ?? 0) ?? null,
      label: labels.get(row.labelId ?? 0) ?? null,
      milestone: milestones.get(row.milestoneId ?? 0) ?? null,
      oldMilestone: milestones.get(row.oldMilestoneId ?? 0) ?? null,
      otherIssue: issues.get(row.otherIssueId ?? 0) ?? null,
      commitHome: homes.get(row.otherRepositoryId ?? 0) ?? null,
      otherComment:
        other === undefined
          ? null
          : {
              ...other,
              author: users.get(other.comment.authorId ?? 0) ?? null,
              assets: assets.filter(({ commentId }) => commentId === other.comment.id),
            },
    };
  });
}

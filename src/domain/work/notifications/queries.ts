import { and, desc, eq, getTableColumns, or, sql, type SQL } from "drizzle-orm";
import type { SelectedFields } from "drizzle-orm/pg-core";
import { accessColumns, subjectVisibleSql, type ViewerSql } from "../../../auth/access-sql.ts";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import { repositoryAccess } from "../../../auth/unit-modes.ts";
import { limitsOf, viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Database, Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { memoryOf, versionOf } from "../../../db/remembered-tables.ts";
import { comment } from "../../../db/schema/comments.ts";
import { issue } from "../../../db/schema/issues.ts";
import { repositoryCount, repositorySize } from "../../../db/schema/lists.ts";
import {
  notification,
  notificationStatuses,
  type NotificationReason,
  type NotificationStatus,
  type NotificationSubject,
} from "../../../db/schema/notifications.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { viewerValues } from "../../repos/list-queries.ts";
import { viewerSql } from "../../repos/list-sql-queries.ts";
import { countColumns } from "../../repos/queries.ts";

type NotificationRow = typeof notification.$inferSelect;

/** A notification with what it is about, as its user meets that. */
export interface FoundNotification {
  notification: NotificationRow;
  access: RepositoryAccess;
  /** null: it is about the repository. */
  issue: { number: number; title: string; closedAt: Date | null; lastCommentId: number | null } | null;
}

/** Which of a user's notifications; what is undefined narrows nothing. */
interface NotificationFilter {
  statuses: readonly NotificationStatus[];
  subjects?: readonly NotificationSubject[] | undefined;
  repositoryId?: number | undefined;
  /** Why the user heard of what happened last. */
  reasons?: readonly NotificationReason[] | undefined;
  /** Whether the inbox shows it later. */
  isLater?: boolean | undefined;
  /** From this time on, and before that one. */
  since?: Date | undefined;
  before?: Date | undefined;
}

/** Which notifications are marked. */
export type Marking = Pick<NotificationFilter, "statuses" | "repositoryId" | "before"> & { ids?: readonly number[] };

interface Slice {
  size: number;
  offset: number;
}

const value = (name: string, type: string): SQL => sql`${sql.placeholder(name)}::${sql.raw(type)}`;

type Narrowed = Exclude<keyof NotificationFilter, "statuses">;
const later = sql`coalesce(${notification.snoozedUntil} > now(), false)`;
const narrowings: Record<Narrowed, SQL> = {
  subjects: sql`${notification.subject} = any(${value("subjects", "text[]")})`,
  repositoryId: sql`${notification.repositoryId} = ${value("repositoryId", "bigint")}`,
  reasons: sql`${notification.reason} = any(${value("reasons", "text[]")})`,
  isLater: sql`${later} = ${value("isLater", "boolean")}`,
  since: sql`${notification.updatedAt} >= ${value("since", "timestamptz")}`,
  before: sql`${notification.updatedAt} < ${value("before", "timestamptz")}`,
};

/** Which list, without the values of its conditions: all lists of one shape are one statement. */
interface Shape {
  /** Unread notifications have indexes of their own. */
  statuses: "all" | "not-read" | "some-not-read" | "some";
  narrowed: readonly Narrowed[];
  publicOnly: boolean;
  restricted: boolean;
}

function shapeOf({ credential }: Viewer, { statuses, ...filter }: NotificationFilter): Shape {
  const narrowed = (Object.keys(narrowings) as Narrowed[]).filter((name) => filter[name] !== undefined);
  const areAll = notificationStatuses.every((status) => status === "read" || statuses.includes(status));
  return {
    statuses: statuses.includes("read") ? (areAll ? "all" : "some") : areAll ? "not-read" : "some-not-read",
    narrowed,
    ...limitsOf(credential),
  };
}

/** The conditions of a list but for what the viewer may see. */
function conditions({ statuses, narrowed }: Shape): SQL | undefined {
  const someStatuses = statuses === "some" || statuses === "some-not-read";
  return and(
    sql`${notification.userId} = ${value("viewerId", "bigint")}`,
    statuses.endsWith("not-read") ? sql`${notification.status} <> 'read'` : undefined,
    // Written so that no index has it: to count, the planner would leave the index that has all columns for the table.
    someStatuses ? sql`array[${notification.status}] <@ ${value("statuses", "text[]")}` : undefined,
    ...narrowed.map((name) => narrowings[name]),
  );
}

const subjectColumn = sql`${notification.subject}`;

const lastCommentId = sql<number | null>`(select ${comment.id} from ${comment}
  where ${comment.issueId} = ${issue.id} and ${comment.kind} = 'comment'
  order by ${comment.createdAt} desc, ${comment.id} desc limit 1)`.mapWith((id: string | null) =>
  id === null ? null : Number(id),
);

/** A select of notifications with what they are about, without their repositories. */
function selectFound(db: Reader) {
  return db
    .select({
      notification: getTableColumns(notification),
      issue: { number: issue.number, title: issue.title, closedAt: issue.closedAt },
      lastCommentId,
    })
    .from(notification)
    .leftJoin(issue, eq(issue.id, notification.issueId))
    .$dynamic();
}

/** A select of repositories with the viewer's access to each: these columns, and those that repositoryAccess needs beside the rows. */
function selectAccesses<Columns extends SelectedFields>(db: Reader, viewer: ViewerSql, columns: Columns) {
  return db
    .select({ ...columns, counts: countColumns, modes: accessColumns(viewer) })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .innerJoin(repositorySize, eq(repositorySize.repositoryId, repository.id))
    .innerJoin(repositoryCount, eq(repositoryCount.repositoryId, repository.id))
    .where(sql`${repository.id} = any(${value("repositoryIds", "bigint[]")})`);
}

const selectRows = (db: Reader, viewer: ViewerSql) =>
  selectAccesses(db, viewer, { repository: getTableColumns(repository), owner: getTableColumns(owner) });

/** Without the rows, which are remembered by their versions: of what a list shows most was shown before. */
const selectVersions = (db: Reader, viewer: ViewerSql) =>
  selectAccesses(db, viewer, {
    id: repository.id,
    version: versionOf(repository),
    ownerId: owner.id,
    ownerVersion: versionOf(owner),
  });

/** The repositories of these versions or newer ones. */
async function readAccesses(
  db: Database,
  found: Awaited<ReturnType<typeof selectVersions>>,
): Promise<SelectedAccess[]> {
  const memory = memoryOf(db, null);
  const [repositories, owners] = await Promise.all([
    memory.repositories.findAll(found.map(({ id, version }) => [id, version])),
    memory.owners.findAll(found.map(({ ownerId, ownerVersion }) => [ownerId, ownerVersion])),
  ]);
  return found.flatMap(({ id, ownerId, counts, modes }) => {
    const [row, ownerRow] = [repositories.get(id), owners.get(ownerId)];
    return row === undefined || ownerRow === undefined ? [] : [{ repository: row, owner: ownerRow, counts, modes }];
  });
}

type SelectedRow = Awaited<ReturnType<typeof selectFound>>[number];
type SelectedAccess = Awaited<ReturnType<typeof selectRows>>[number];

/** The repositories of notifications, each once: most are of few. */
const repositoriesOf = (rows: readonly SelectedRow[]) => [...new Set(rows.map((row) => row.notification.repositoryId))];

function foundOf(rows: readonly SelectedRow[], accesses: readonly SelectedAccess[]): FoundNotification[] {
  const byId = new Map(
    accesses.map((row) => [row.repository.id, repositoryAccess(row.repository, row.owner, row.counts, row.modes)]),
  );
  return rows.flatMap((row) => {
    // One that was deleted meanwhile took its notifications with it.
    const access = byId.get(row.notification.repositoryId);
    const about = row.issue === null ? null : { ...row.issue, lastCommentId: row.lastCommentId };
    return access === undefined ? [] : [{ notification: row.notification, access, issue: about }];
  });
}

const preparedLists = preparedByShape((db: Database, shape: Shape) => {
  const viewing = viewerSql(shape);
  const where = conditions(shape);
  const { id, updatedAt } = notification;
  // The page is found before anything is joined to it.
  const page = sql`(select ${id} from ${notification}
    join ${repository} on ${repository.id} = ${notification.repositoryId} join ${owner} on ${owner.id} = ${repository.ownerId}
    where ${and(where, subjectVisibleSql(viewing, subjectColumn))}
    order by ${updatedAt} desc, ${id} desc limit ${value("size", "bigint")} offset ${value("offset", "bigint")})`;
  // Visibility depends on the repository and the kind of subject, so it is checked once for each of these.
  const counted = sql`(select ${notification.repositoryId} as repository_id, ${subjectColumn} as subject, count(*) as value
    from ${notification} where ${where} group by 1, 2)`;
  return {
    total: db
      .select({ value: sql<number>`coalesce(sum(counted.value), 0)`.mapWith(Number) })
      .from(sql`${counted} counted`)
      .innerJoin(repository, sql`${repository.id} = counted.repository_id`)
      .innerJoin(owner, eq(owner.id, repository.ownerId))
      .where(subjectVisibleSql(viewing, sql`counted.subject`))
      .prepare("count_notifications"),
    rows: selectFound(db)
      .where(sql`${id} = any(array${page})`)
      .orderBy(desc(updatedAt), desc(id))
      .prepare("list_notifications"),
    accesses: selectVersions(db, viewing).prepare("list_notified_repositories"),
    byReason: db
      .select({
        repositoryId: sql<number>`counted.repository_id`.mapWith(Number),
        owner: owner.name,
        repository: repository.name,
        reason: sql<NotificationReason>`counted.reason`,
        value: sql<number>`counted.value`.mapWith(Number),
      })
      .from(
        sql`(select ${notification.repositoryId} as repository_id, ${subjectColumn} as subject, ${notification.reason} as reason, count(*) as value
          from ${notification} where ${where} group by 1, 2, 3) counted`,
      )
      .innerJoin(repository, sql`${repository.id} = counted.repository_id`)
      .innerJoin(owner, eq(owner.id, repository.ownerId))
      .where(subjectVisibleSql(viewing, sql`counted.subject`))
      .prepare("count_notifications_by_reason"),
  };
});

const listsOf = (db: Database, viewer: Viewer, filter: NotificationFilter) =>
  preparedLists(db, shapeOf(viewer, filter));

function valuesOf(viewer: Viewer, { since, before, ...filter }: NotificationFilter): Record<string, unknown> {
  return { ...filter, since: since?.toISOString(), before: before?.toISOString(), ...viewerValues(viewer) };
}

/** A page of the viewer's notifications of what they may see, the latest first, and how many these are. */
export async function listNotifications(
  db: Database,
  viewer: Viewer,
  filter: NotificationFilter,
  page: Slice,
): Promise<{ rows: FoundNotification[]; total: number }> {
  const lists = listsOf(db, viewer, filter);
  const values = valuesOf(viewer, filter);
  const readPage = async () => {
    const rows = await lists.rows.execute({ ...values, size: page.size, offset: page.offset });
    const repositoryIds = repositoriesOf(rows);
    return rows.length === 0
      ? []
      : foundOf(rows, await readAccesses(db, await lists.accesses.execute({ ...values, repositoryIds })));
  };
  const [total, rows] = await Promise.all([countNotifications(db, viewer, filter), readPage()]);
  return { rows, total };
}

/** How many notifications the viewer has of what they may see. */
export async function countNotifications(db: Database, viewer: Viewer, filter: NotificationFilter): Promise<number> {
  const [row] = await listsOf(db, viewer, filter).total.execute(valuesOf(viewer, filter));
  return row?.value ?? 0;
}

/** How many notifications the viewer has, by repository and reason. */
export async function countByReason(db: Database, viewer: Viewer, filter: NotificationFilter) {
  return listsOf(db, viewer, filter).byReason.execute(valuesOf(viewer, filter));
}

/** The first entry of the timeline that came after its user read a notification last, by the ids of notifications. */
export async function findFirstUnread(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await db.execute<{ id: string; comment_id: string }>(sql`
    select ${notification.id} as id, first.id as comment_id from ${notification}
      cross join lateral (select ${comment.id} as id from ${comment}
        where ${comment.issueId} = ${notification.issueId} and not ${comment.pending} and ${comment.createdAt} >= ${notification.unreadSince}
        order by ${comment.createdAt}, ${comment.id} limit 1) first
    where ${notification.id} = any(${sql.param([...ids])}::bigint[])`);
  return new Map(rows.map((row) => [Number(row.id), Number(row.comment_id)]));
}

/** The viewer's unread notification of an issue; null: there is none. */
export async function findUnreadOf(db: Reader, userId: number, issueId: number): Promise<number | null> {
  const [row] = await db
    .select({ id: notification.id })
    .from(notification)
    .where(and(eq(notification.userId, userId), eq(notification.issueId, issueId), eq(notification.status, "unread")));
  return row?.id ?? null;
}

/** Has the inbox show a notification from a time on; null: now. */
export async function setSnoozed(tx: Transaction, id: number, until: Date | null): Promise<void> {
  await tx.update(notification).set({ snoozedUntil: until }).where(eq(notification.id, id));
}

/** Gives notifications of the viewer another status, those of what they may see. Returns the ids of those that had another one. */
export async function markNotifications(
  tx: Transaction,
  viewer: Viewer,
  { statuses, repositoryId, before, ids }: Marking,
  status: NotificationStatus,
): Promise<number[]> {
  const viewing = viewerOf(viewer);
  const chosen = tx
    .select({ id: notification.id })
    .from(notification)
    .innerJoin(repository, eq(repository.id, notification.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(
      and(
        eq(notification.userId, viewer.actor?.id ?? 0),
        statuses.includes("read") ? undefined : sql`${notification.status} <> 'read'`,
        or(...statuses.map((one) => eq(notification.status, one))),
        ids === undefined ? undefined : sql`${notification.id} = any(${sql.param([...ids])}::bigint[])`,
        repositoryId === undefined ? undefined : eq(notification.repositoryId, repositoryId),
        before === undefined ? undefined : sql`${notification.updatedAt} < ${before.toISOString()}::timestamptz`,
        sql`${notification.status} <> ${status}`,
        subjectVisibleSql(viewing, subjectColumn),
      ),
    );
  const rows = await tx
    .update(notification)
    .set({ status })
    .where(sql`${notification.id} in ${chosen}`)
    .returning({ id: notification.id });
  return rows.map((row) => row.id);
}

/** The viewer's notifications of these ids, the latest first, at most so many; without those of what they may not see. */
export async function findNotifications(
  db: Reader,
  viewer: Viewer,
  ids: readonly number[],
  most: number,
): Promise<FoundNotification[]> {
  const { id, userId, updatedAt } = notification;
  const viewing = viewerOf(viewer);
  const rows = await selectFound(db)
    .innerJoin(repository, eq(repository.id, notification.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(
      and(
        sql`${id} = any(${sql.param([...ids])}::bigint[])`,
        eq(userId, viewer.actor?.id ?? 0),
        subjectVisibleSql(viewing, subjectColumn),
      ),
    )
    .orderBy(desc(updatedAt), desc(id))
    .limit(most);
  const repositoryIds = repositoriesOf(rows);
  return foundOf(rows, await selectRows(db, viewing).execute({ repositoryIds }));
}

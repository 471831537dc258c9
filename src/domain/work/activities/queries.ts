import { aliasedTable, and, count, desc, eq, getTableColumns, gte, inArray, lt, or, sql, type SQL } from "drizzle-orm";
import {
  accessColumns,
  ownerShownSql,
  ownerVisibleSql,
  repositoryVisibleSql,
  unitVisibleSql,
  type ViewerSql,
} from "../../../auth/access-sql.ts";
import type { OwnerRow, RepositoryAccess } from "../../../auth/subject.ts";
import { repositoryAccess } from "../../../auth/unit-modes.ts";
import { limitsOf, viewerOf, type CredentialLimits, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { repositoryCount, repositorySize } from "../../../db/schema/lists.ts";
import { accessModes, account, owner, team, type Unit } from "../../../db/schema/owners.ts";
import { repository, teamRepository } from "../../../db/schema/repositories.ts";
import { activity, activityKinds, watch, type ActivityKind } from "../../../db/schema/social.ts";

import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { viewerValues } from "../../repos/list-queries.ts";
import { viewerSql } from "../../repos/list-sql-queries.ts";
import { countColumns } from "../../repos/queries.ts";

export type ActivityRow = typeof activity.$inferSelect;

/** A deed, who did it and the repository it was done in, as the viewer meets that. */
export interface Deed {
  activity: ActivityRow;
  actor: OwnerRow;
  access: RepositoryAccess;
}

/** The subject of a feed: the activities of a user, also those in repositories that the user watches, or those in some repositories. */
export type Feed =
  | { kind: "user"; userId: number; watched: boolean }
  | { kind: "owner"; ownerId: number }
  | { kind: "team"; teamId: number }
  | { kind: "repository"; repositoryId: number };

export async function insertActivities(
  tx: Transaction,
  actorId: number,
  repositoryId: number,
  deeds: readonly { kind: ActivityKind; refName: string; content: string }[],
): Promise<void> {
  if (deeds.length > 0) {
    // One statement, however many there are: it stays prepared.
    const texts = (of: (deed: (typeof deeds)[number]) => string) => sql`${sql.param(deeds.map(of))}::text[]`;
    await tx.execute(sql`insert into ${activity} (actor_id, kind, repository_id, ref_name, content)
      select ${actorId}::bigint, kind, ${repositoryId}::bigint, ref_name, content
      from unnest(${texts(({ kind }) => kind)}, ${texts(({ refName }) => refName)}, ${texts(({ content }) => content)})
        with ordinality as deed (kind, ref_name, content, place) order by place`);
  }
}

function belongsTo(feed: Feed): SQL | undefined {
  switch (feed.kind) {
    case "user": {
      const watched = sql`exists (select 1 from ${watch} where ${watch.userId} = ${feed.userId} and ${watch.repositoryId} = ${activity.repositoryId})`;
      return feed.watched ? or(eq(activity.actorId, feed.userId), watched) : eq(activity.actorId, feed.userId);
    }
    case "owner":
      return eq(repository.ownerId, feed.ownerId);
    case "team":
      return sql`exists (select 1 from ${team} where ${team.id} = ${feed.teamId} and ${team.organizationId} = ${repository.ownerId}
        and (${team.mode} = ${accessModes.owner} or ${team.includesAllRepositories} or exists (select 1 from ${teamRepository}
          where ${teamRepository.teamId} = ${team.id} and ${teamRepository.repositoryId} = ${repository.id})))`;
    case "repository":
      return eq(activity.repositoryId, feed.repositoryId);
  }
}

/** Whether the actor of `activity` is an owner of whom this holds. */
function actorExistsSql(condition: SQL | undefined): SQL {
  return condition === undefined
    ? sql`true`
    : sql`exists (select 1 from ${owner} where ${owner.id} = ${activity.actorId} and ${condition})`;
}

/**
 * Private activities are shown to their users and to site administrators. Activities of hidden users are not shown,
 * wherever they happened. A credential for public things shows public users only.
 */
function actorShownSql(viewing: ViewerSql): SQL {
  const isPublic = sql`not coalesce((select ${account.keepActivityPrivate} from ${account} where ${account.ownerId} = ${activity.actorId}), false)`;
  return sql`(((${viewing.isAdmin} or ${activity.actorId} = ${viewing.id}) and ${actorExistsSql(ownerShownSql(viewing))})
    or (${isPublic} and ${actorExistsSql(ownerVisibleSql(viewing))}))`;
}

/** The unit that a kind of activity lies in; null: in the repository as such. */
export const unitOfActivity: Record<ActivityKind, Unit | null> = {
  create_repo: null,
  rename_repo: null,
  star_repo: null,
  watch_repo: null,
  transfer_repo: null,
  commit_repo: "code",
  push_tag: "code",
  delete_tag: "code",
  delete_branch: "code",
  mirror_sync_push: "code",
  mirror_sync_create: "code",
  mirror_sync_delete: "code",
  create_issue: "issues",
  comment_issue: "issues",
  close_issue: "issues",
  reopen_issue: "issues",
  create_pull_request: "pulls",
  merge_pull_request: "pulls",
  close_pull_request: "pulls",
  reopen_pull_request: "pulls",
  approve_pull_request: "pulls",
  reject_pull_request: "pulls",
  comment_pull: "pulls",
  pull_review_dismissed: "pulls",
  pull_request_ready_for_review: "pulls",
  auto_merge_pull_request: "pulls",
  publish_release: "releases",
};

const unitsOfActivity = [...new Set(Object.values(unitOfActivity))];

/** Whether the viewer sees what `activity` was about: its unit of `repository`, which not every team of it may. */
function subjectVisibleSql(viewing: ViewerSql): SQL | undefined {
  return or(
    ...unitsOfActivity.map((unit) =>
      and(
        inArray(
          activity.kind,
          activityKinds.filter((kind) => unitOfActivity[kind] === unit),
        ),
        unit === null ? repositoryVisibleSql(viewing) : unitVisibleSql(viewing, unit),
        // They show code.
        unit === "pulls" ? unitVisibleSql(viewing, "code") : undefined,
      ),
    ),
  );
}

/** Whether the viewer may know of `activity` in `repository` of `owner`: what it was about, and who did it. */
export function deedVisibleSql(viewing: ViewerSql): SQL | undefined {
  return and(subjectVisibleSql(viewing), actorShownSql(viewing));
}

const conditionOf = (viewer: Viewer, feed: Feed, day: { from: Date; to: Date } | null): SQL | undefined =>
  and(
    belongsTo(feed),
    deedVisibleSql(viewerOf(viewer)),
    day === null ? undefined : and(gte(activity.at, day.from), lt(activity.at, day.to)),
  );

/** Who did it, beside the owner of the repository. */
export const doer = aliasedTable(owner, "doer");

/** The columns of a deed, of `activity`, `doer`, and its repository with owner, sizes and counts. */
export const deedColumns = (viewing: ViewerSql) => ({
  activity: getTableColumns(activity),
  actor: getTableColumns(doer),
  repository: getTableColumns(repository),
  owner: getTableColumns(owner),
  counts: countColumns,
  modes: accessColumns(viewing),
});

type DeedRow = Pick<Deed, "activity" | "actor"> &
  Pick<RepositoryAccess, "repository" | "owner" | "counts"> & { modes: Parameters<typeof repositoryAccess>[3] };

/** The deed of a row of `deedColumns`. */
export function deedOf({ activity: what, actor, repository: of, owner: by, counts, modes }: DeedRow): Deed {
  return { activity: what, actor, access: repositoryAccess(of, by, counts, modes) };
}

/** A page of a feed, the newest first, with what the viewer may know of only. */
export async function listDeeds(
  db: Reader,
  viewer: Viewer,
  feed: Feed,
  day: { from: Date; to: Date } | null,
  page: { size: number; offset: number },
): Promise<Deed[]> {
  const rows = await db
    .select(deedColumns(viewerOf(viewer)))
    .from(activity)
    .innerJoin(doer, eq(doer.id, activity.actorId))
    .innerJoin(repository, eq(repository.id, activity.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .innerJoin(repositorySize, eq(repositorySize.repositoryId, repository.id))
    .innerJoin(repositoryCount, eq(repositoryCount.repositoryId, repository.id))
    .where(conditionOf(viewer, feed, day))
    .orderBy(desc(activity.id))
    .limit(page.size)
    .offset(page.offset);
  return rows.map(deedOf);
}

/** A page of a feed, and how many deeds there are in all. */
export async function listActivities(
  db: Reader,
  viewer: Viewer,
  feed: Feed,
  day: { from: Date; to: Date } | null,
  page: { size: number; offset: number },
): Promise<{ rows: Deed[]; total: number }> {
  const [counted, rows] = await Promise.all([
    db
      .select({ value: count() })
      .from(activity)
      .innerJoin(repository, eq(repository.id, activity.repositoryId))
      .innerJoin(owner, eq(owner.id, repository.ownerId))
      .where(conditionOf(viewer, feed, day)),
    listDeeds(db, viewer, feed, day, page),
  ]);
  return { rows, total: counted[0]?.value ?? 0 };
}

/** So many of the last deeds of a user are looked through for a push. */
const recentDeeds = 30;

const recentPushOf = preparedByShape((db: Reader) => {
  const recent = db
    .select()
    .from(activity)
    .where(eq(activity.actorId, sql.placeholder("actorId")))
    .orderBy(desc(activity.id))
    .limit(recentDeeds)
    .as("recent");
  return db
    .select({ refName: recent.refName, at: recent.at })
    .from(recent)
    .where(
      and(
        eq(recent.repositoryId, sql.placeholder("repositoryId")),
        eq(recent.kind, "commit_repo"),
        gte(recent.at, sql.placeholder("since")),
      ),
    )
    .orderBy(desc(recent.id))
    .limit(1)
    .prepare("recent_push");
});

/** The full name of the branch of a repository that a user pushed to last, after `since`, and when; null: none of their last deeds was that. */
export async function findRecentPush(
  db: Reader,
  { since, ...of }: { actorId: number; repositoryId: number; since: Date },
): Promise<{ refName: string; at: Date } | null> {
  const [row] = await recentPushOf(db, null).execute({ ...of, since: since.toISOString() });
  return row ?? null;
}

/** Seconds of a slice of the heatmap, as clients of the family expect them. */
const heatmapSlice = 900;

const contributionsBy = preparedByShape((db: Reader, limits: CredentialLimits) => {
  const timestamp =
    sql<number>`(floor(extract(epoch from ${activity.at}) / ${sql.raw(String(heatmapSlice))}) * ${sql.raw(String(heatmapSlice))})::bigint`.mapWith(
      Number,
    );
  return db
    .select({ timestamp, contributions: count() })
    .from(activity)
    .innerJoin(repository, eq(repository.id, activity.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(
      and(
        eq(activity.actorId, sql.placeholder("userId")),
        gte(activity.at, sql`${sql.placeholder("since")}::timestamptz`),
        deedVisibleSql(viewerSql(limits)),
      ),
    )
    .groupBy(sql`1`)
    .orderBy(sql`1`)
    .prepare("count_contributions");
});

/** How much a user did in each quarter of an hour since then, where anything; `timestamp` is its beginning in seconds since 1970. */
export function countContributions(
  db: Reader,
  viewer: Viewer,
  userId: number,
  since: Date,
): Promise<{ timestamp: number; contributions: number }[]> {
  const values = { ...viewerValues(viewer), userId, since: since.toISOString() };
  return contributionsBy(db, limitsOf(viewer.credential)).execute(values);
}

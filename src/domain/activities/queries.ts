import { aliasedTable, and, count, desc, eq, getTableColumns, gte, lt, notInArray, or, sql, type SQL } from "drizzle-orm";
import { accessColumns, codeVisibleSql, ownerVisibleSql, reachSql, repositoryVisibleSql, type ViewerSql } from "../../auth/access-sql.ts";
import type { Actor, Credential, OwnerRow, RepositoryAccess } from "../../auth/subject.ts";
import { repositoryAccess } from "../../auth/unit-modes.ts";
import { viewerOf } from "../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../db/client.ts";
import { accessModes, account, owner, team } from "../../db/schema/owners.ts";
import { repository, teamRepository } from "../../db/schema/repositories.ts";
import { activity, watch, type ActivityKind } from "../../db/schema/social.ts";

export type ActivityRow = typeof activity.$inferSelect;

/** A deed, who did it and the repository it was done in, as the viewer meets that. */
export interface Deed {
  activity: ActivityRow;
  actor: OwnerRow;
  access: RepositoryAccess;
}

/** Whose deeds a feed has: what a user did, also what happened where they watch, or what happened in some repositories. */
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
    await tx.insert(activity).values(deeds.map((deed) => ({ ...deed, actorId, repositoryId })));
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

/**
 * What users keep to themselves is shown to them and to site administrators; and of users whom the viewer may not know of
 * nothing is, wherever they did it.
 */
function mayKnowWhatTheyDid(actor: Actor | null): SQL {
  return sql`(${actor?.isAdmin ?? false}::boolean or ${activity.actorId} = ${actor?.id ?? null}::bigint
    or (not coalesce((select ${account.keepActivityPrivate} from ${account} where ${account.ownerId} = ${activity.actorId}), false)
      and exists (select 1 from ${owner} where ${owner.id} = ${activity.actorId} and ${ownerVisibleSql(viewerOf(actor))})))`;
}

const deedsInCode: readonly ActivityKind[] = ["commit_repo", "push_tag", "delete_tag", "delete_branch", "mirror_sync_push", "mirror_sync_create", "mirror_sync_delete"];

/** What was pushed is told to those who may see the code, which not every team of a repository may. */
function tellsOnlyWhatIsSeen(viewing: ViewerSql): SQL | undefined {
  return or(notInArray(activity.kind, [...deedsInCode]), codeVisibleSql(viewing));
}

/** A page of a feed, the newest first, with what the viewer may know of only; and how many there are in all. */
export async function listActivities(
  db: Reader,
  viewer: { actor: Actor | null; credential: Credential },
  feed: Feed,
  day: { from: Date; to: Date } | null,
  page: { size: number; offset: number },
): Promise<{ rows: Deed[]; total: number }> {
  const doer = aliasedTable(owner, "doer");
  const viewing = viewerOf(viewer.actor);
  const where = and(
    belongsTo(feed),
    repositoryVisibleSql(viewing),
    tellsOnlyWhatIsSeen(viewing),
    reachSql(viewer.credential),
    mayKnowWhatTheyDid(viewer.actor),
    day === null ? undefined : and(gte(activity.at, day.from), lt(activity.at, day.to)),
  );
  const [counted, rows] = await Promise.all([
    db
      .select({ value: count() })
      .from(activity)
      .innerJoin(repository, eq(repository.id, activity.repositoryId))
      .innerJoin(owner, eq(owner.id, repository.ownerId))
      .where(where),
    db
      .select({ activity: getTableColumns(activity), actor: getTableColumns(doer), repository: getTableColumns(repository), owner: getTableColumns(owner), modes: accessColumns(viewing) })
      .from(activity)
      .innerJoin(doer, eq(doer.id, activity.actorId))
      .innerJoin(repository, eq(repository.id, activity.repositoryId))
      .innerJoin(owner, eq(owner.id, repository.ownerId))
      .where(where)
      .orderBy(desc(activity.id))
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows: rows.map((row) => ({ activity: row.activity, actor: row.actor, access: repositoryAccess(row.repository, row.owner, row.modes) })), total: counted[0]?.value ?? 0 };
}

/** Seconds of a slice of the heatmap, as clients of the family expect them. */
const heatmapSlice = 900;

/** How much a user did in each quarter of an hour since then, where anything; `timestamp` is its beginning in seconds since 1970. */
export async function countContributions(
  db: Reader,
  viewer: { actor: Actor | null; credential: Credential },
  userId: number,
  since: Date,
): Promise<{ timestamp: number; contributions: number }[]> {
  const viewing = viewerOf(viewer.actor);
  const timestamp = sql<number>`(floor(extract(epoch from ${activity.at}) / ${sql.raw(String(heatmapSlice))}) * ${sql.raw(String(heatmapSlice))})::bigint`.mapWith(Number);
  return db
    .select({ timestamp, contributions: count() })
    .from(activity)
    .innerJoin(repository, eq(repository.id, activity.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(
      and(
        eq(activity.actorId, userId),
        gte(activity.at, since),
        repositoryVisibleSql(viewing),
        tellsOnlyWhatIsSeen(viewing),
        reachSql(viewer.credential),
        mayKnowWhatTheyDid(viewer.actor),
      ),
    )
    .groupBy(sql`1`)
    .orderBy(sql`1`);
}

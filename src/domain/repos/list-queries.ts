import { and, asc, count, desc, eq, getTableColumns, or, sql, type SQL } from "drizzle-orm";
import { accessColumns, isGivenSql, ownerVisibleSql, reachSql, repositoryVisibleSql } from "../../auth/access-sql.ts";
import type { Actor, Credential, RepositoryAccess } from "../../auth/subject.ts";
import { repositoryAccess } from "../../auth/unit-modes.ts";
import { viewerOf } from "../../auth/viewer-of.ts";
import type { Reader } from "../../db/client.ts";
import { owner, team, teamMember } from "../../db/schema/owners.ts";
import { repository, teamRepository } from "../../db/schema/repositories.ts";
import { star, watch } from "../../db/schema/social.ts";

/** Which repositories a list has. Every condition narrows it; what the viewer may not see is never in it. */
export interface RepositoryFilter {
  /** Only those of this owner. */
  ownerId?: number;
  /** Only those that this user owns or was given access to. */
  participantId?: number;
  /** Only those that this user was given access to and does not own. */
  collaboratorId?: number;
  /** Any of these words, in a name (or `owner/name`), a topic, or the description. */
  keywords?: { words: readonly string[]; inDescription: boolean; topicOnly: boolean };
  private?: boolean;
  template?: boolean;
  archived?: boolean;
  /** Only those of this team, for those who may look into its organization. */
  teamId?: number;
  /** Only those that this user starred. */
  starredBy?: number;
  /** Only those that this user watches. */
  watchedBy?: number;
  /** Nothing at all: for filters by what no repository has. */
  none?: boolean;
}

export const repositorySortKeys = ["alpha", "name", "created", "updated", "size", "git-size", "lfs-size", "stars", "id"] as const;

export interface RepositoryOrder {
  by: (typeof repositorySortKeys)[number];
  descending: boolean;
  /** The repositories of this owner come first. */
  firstOwnerId?: number;
}

const orderColumns: Record<RepositoryOrder["by"], readonly (SQL | typeof repository.lowerName | typeof owner.lowerName | typeof repository.createdAt | typeof repository.updatedAt | typeof repository.gitBytes | typeof repository.lfsBytes | typeof repository.stars | typeof repository.id)[]> = {
  alpha: [owner.lowerName, repository.lowerName],
  name: [repository.lowerName],
  created: [repository.createdAt],
  updated: [repository.updatedAt],
  size: [sql`(${repository.gitBytes} + ${repository.lfsBytes})`],
  "git-size": [repository.gitBytes],
  "lfs-size": [repository.lfsBytes],
  stars: [repository.stars],
  id: [],
};

/** A page of the repositories that the viewer may see, with the viewer's access to each, and how many there are in all. */
export async function listRepositories(
  db: Reader,
  viewer: { actor: Actor | null; credential: Credential },
  filter: RepositoryFilter,
  order: RepositoryOrder,
  page: { size: number; offset: number },
): Promise<{ rows: RepositoryAccess[]; total: number }> {
  const { actor, credential } = viewer;
  const viewing = viewerOf(actor);
  const where = and(repositoryVisibleSql(viewing), reachSql(credential), ...conditions(filter, actor));
  const direction = order.descending ? desc : asc;
  const ordering = [
    ...(order.firstOwnerId === undefined ? [] : [sql`(${repository.ownerId} = ${order.firstOwnerId}) desc`]),
    ...orderColumns[order.by].map((column) => direction(column)),
    direction(repository.id),
  ];
  const [counted, rows] = await Promise.all([
    db.select({ value: count() }).from(repository).innerJoin(owner, eq(owner.id, repository.ownerId)).where(where),
    db
      .select({ repository: getTableColumns(repository), owner: getTableColumns(owner), ...accessColumns(viewing) })
      .from(repository)
      .innerJoin(owner, eq(owner.id, repository.ownerId))
      .where(where)
      .orderBy(...ordering)
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows: rows.map((row) => repositoryAccess(row.repository, row.owner, row)), total: counted[0]?.value ?? 0 };
}

function given(userId: number): SQL {
  return isGivenSql(sql`${userId}::bigint`);
}

function conditions(filter: RepositoryFilter, actor: Actor | null): (SQL | undefined)[] {
  return [
    filter.none === true ? sql`false` : undefined,
    filter.ownerId === undefined ? undefined : eq(repository.ownerId, filter.ownerId),
    filter.participantId === undefined ? undefined : or(eq(repository.ownerId, filter.participantId), given(filter.participantId)),
    filter.collaboratorId === undefined ? undefined : and(sql`${repository.ownerId} <> ${filter.collaboratorId}`, given(filter.collaboratorId)),
    filter.private === undefined ? undefined : eq(repository.private, filter.private),
    filter.template === undefined ? undefined : eq(repository.template, filter.template),
    filter.archived === undefined ? undefined : sql`(${repository.archivedAt} is not null) = ${filter.archived}`,
    filter.teamId === undefined ? undefined : ofTeam(filter.teamId, actor),
    filter.starredBy === undefined ? undefined : starredBy(filter.starredBy, actor),
    filter.watchedBy === undefined ? undefined : sql`exists (select 1 from ${watch} where ${watch.repositoryId} = ${repository.id} and ${watch.userId} = ${filter.watchedBy})`,
    filter.keywords === undefined ? undefined : withKeywords(filter.keywords),
  ];
}

/** What a user starred is known to those who may know of the user. */
function starredBy(userId: number, actor: Actor | null): SQL {
  return sql`exists (select 1 from ${star} join ${owner} on ${owner.id} = ${star.userId}
    where ${star.repositoryId} = ${repository.id} and ${star.userId} = ${userId} and ${ownerVisibleSql(viewerOf(actor))})`;
}

/** Which teams there are, and what they have, is known to the members of the organization and to site administrators. */
function ofTeam(teamId: number, actor: Actor | null): SQL {
  const insider = sql`(${actor?.isAdmin ?? false}::boolean or exists (select 1 from ${teamMember} join ${team} mine on mine.id = ${teamMember.teamId}
    where ${teamMember.userId} = ${actor?.id ?? null}::bigint and mine.organization_id = ${repository.ownerId}))`;
  return sql`${insider} and exists (select 1 from ${team} where ${team.id} = ${teamId} and ${team.organizationId} = ${repository.ownerId}
    and (${team.mode} = 4 or ${team.includesAllRepositories} or exists (select 1 from ${teamRepository}
      where ${teamRepository.teamId} = ${team.id} and ${teamRepository.repositoryId} = ${repository.id})))`;
}

/** Any text that contains one of the words, for `like`. */
function anyOf(words: readonly string[]): SQL {
  return sql`any(${sql.param(words.map((word) => `%${word.replace(/[\\%_]/g, (character) => `\\${character}`)}%`))}::text[])`;
}

/** One text of SQL for any number of words. */
function withKeywords({ words, inDescription, topicOnly }: NonNullable<RepositoryFilter["keywords"]>): SQL | undefined {
  const lower = words.map((word) => word.toLowerCase());
  if (topicOnly) {
    return sql`${repository.topics} && ${sql.param(lower)}::text[]`;
  }
  return or(
    sql`${repository.lowerName} like ${anyOf(lower.filter((word) => !word.includes("/")))}`,
    sql`(${owner.lowerName} || '/' || ${repository.lowerName}) like ${anyOf(lower.filter((word) => word.includes("/")))}`,
    sql`exists (select 1 from unnest(${repository.topics}) as topic where topic like ${anyOf(lower)})`,
    inDescription ? sql`lower(${repository.description}) like ${anyOf(lower)}` : undefined,
  );
}

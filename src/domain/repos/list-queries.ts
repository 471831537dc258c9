import { and, asc, count, desc, eq, getTableColumns, or, sql, type SQL } from "drizzle-orm";
import { accessColumns, isGivenSql, ownerVisibleSql, reachSql, repositoryVisibleSql, type ViewerSql } from "../../auth/access-sql.ts";
import type { Actor, Credential, RepositoryAccess } from "../../auth/subject.ts";
import { repositoryAccess } from "../../auth/unit-modes.ts";
import type { Database } from "../../db/client.ts";
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

/** The values that a statement is run with; it is made for placeholders of these names. */
function valuesOf(actor: Actor | null, credential: Credential, filter: RepositoryFilter, order: RepositoryOrder, page: { size: number; offset: number }): Record<string, unknown> {
  const { keywords, ...plain } = filter;
  const words = (keywords?.words ?? []).map((word) => word.toLowerCase());
  return {
    ...plain,
    viewerId: actor?.id ?? null,
    viewerIsAdmin: actor?.isAdmin ?? false,
    viewerIsRestricted: actor?.restricted ?? false,
    tokenId: credential.kind === "token" ? credential.tokenId : null,
    topics: words,
    anyWord: words.map(containing),
    anyName: words.filter((word) => !word.includes("/")).map(containing),
    anyFullName: words.filter((word) => word.includes("/")).map(containing),
    firstOwnerId: order.firstOwnerId,
    size: page.size,
    offset: page.offset,
  };
}

/** Any text that contains this one, for `like`. */
function containing(word: string): string {
  return `%${word.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
}

const viewing: ViewerSql = {
  id: sql`${sql.placeholder("viewerId")}::bigint`,
  isAdmin: sql`${sql.placeholder("viewerIsAdmin")}::boolean`,
  restricted: sql`${sql.placeholder("viewerIsRestricted")}::boolean`,
};

/** Which conditions and orders a statement has, without their values: all statements of one shape are one text. */
function shapeOf(credential: Credential, { keywords, ...plain }: RepositoryFilter, order: RepositoryOrder): string {
  const given = Object.entries(plain).filter(([, value]) => value !== undefined).map(([name]) => name);
  const reach = credential.kind === "token" ? [credential.scopes.publicOnly, credential.scopes.restricted] : [];
  return JSON.stringify([given.sort(), keywords && [keywords.inDescription, keywords.topicOnly], reach, order.by, order.descending, order.firstOwnerId !== undefined]);
}

function prepareLists(db: Database, credential: Credential, filter: RepositoryFilter, order: RepositoryOrder) {
  const where = and(repositoryVisibleSql(viewing), reachSql(credential, sql`${sql.placeholder("tokenId")}::bigint`), ...conditions(filter));
  const direction = order.descending ? desc : asc;
  const ordering = [
    ...(order.firstOwnerId === undefined ? [] : [sql`(${repository.ownerId} = ${sql.placeholder("firstOwnerId")}::bigint) desc`]),
    ...orderColumns[order.by].map((column) => direction(column)),
    direction(repository.id),
  ];
  return {
    total: db.select({ value: count() }).from(repository).innerJoin(owner, eq(owner.id, repository.ownerId)).where(where).prepare("count_repositories"),
    rows: db
      .select({ repository: getTableColumns(repository), owner: getTableColumns(owner), ...accessColumns(viewing) })
      .from(repository)
      .innerJoin(owner, eq(owner.id, repository.ownerId))
      .where(where)
      .orderBy(...ordering)
      .limit(sql.placeholder("size"))
      .offset(sql.placeholder("offset"))
      .prepare("list_repositories"),
  };
}

/** How many shapes are remembered; whoever asks in every possible way fills no memory. */
const mostShapes = 200;

/** To write such a statement down takes several times as long as running it. */
const prepared = new WeakMap<Database, Map<string, ReturnType<typeof prepareLists>>>();

/** A page of the repositories that the viewer may see, with the viewer's access to each, and how many there are in all. */
export async function listRepositories(
  db: Database,
  viewer: { actor: Actor | null; credential: Credential },
  filter: RepositoryFilter,
  order: RepositoryOrder,
  page: { size: number; offset: number },
): Promise<{ rows: RepositoryAccess[]; total: number }> {
  const { actor, credential } = viewer;
  const known = prepared.get(db) ?? new Map<string, ReturnType<typeof prepareLists>>();
  const shape = shapeOf(credential, filter, order);
  const lists = known.get(shape) ?? prepareLists(db, credential, filter, order);
  if (known.size >= mostShapes) {
    known.clear();
  }
  prepared.set(db, known.set(shape, lists));
  const values = valuesOf(actor, credential, filter, order, page);
  const [counted, rows] = await Promise.all([lists.total.execute(values), lists.rows.execute(values)]);
  return { rows: rows.map((row) => repositoryAccess(row.repository, row.owner, row)), total: counted[0]?.value ?? 0 };
}

/** Each of these narrows the list; what it narrows it to stands in valuesOf. */
function conditions(filter: RepositoryFilter): (SQL | undefined)[] {
  const when = (name: keyof RepositoryFilter, condition: (value: SQL) => SQL | undefined, type = "bigint"): SQL | undefined =>
    filter[name] === undefined ? undefined : condition(sql`${sql.placeholder(name)}::${sql.raw(type)}`);
  return [
    filter.none === true ? sql`false` : undefined,
    when("ownerId", (id) => sql`${repository.ownerId} = ${id}`),
    when("participantId", (id) => or(sql`${repository.ownerId} = ${id}`, isGivenSql(id))),
    when("collaboratorId", (id) => and(sql`${repository.ownerId} <> ${id}`, isGivenSql(id))),
    when("private", (value) => sql`${repository.private} = ${value}`, "boolean"),
    when("template", (value) => sql`${repository.template} = ${value}`, "boolean"),
    when("archived", (value) => sql`(${repository.archivedAt} is not null) = ${value}`, "boolean"),
    when("teamId", ofTeam),
    when("starredBy", starredBy),
    when("watchedBy", (id) => sql`exists (select 1 from ${watch} where ${watch.repositoryId} = ${repository.id} and ${watch.userId} = ${id})`),
    filter.keywords === undefined ? undefined : withKeywords(filter.keywords),
  ];
}

/** What a user starred is known to those who may know of the user. */
function starredBy(userId: SQL): SQL {
  return sql`exists (select 1 from ${star} join ${owner} on ${owner.id} = ${star.userId}
    where ${star.repositoryId} = ${repository.id} and ${star.userId} = ${userId} and ${ownerVisibleSql(viewing)})`;
}

/** Which teams there are, and what they have, is known to the members of the organization and to site administrators. */
function ofTeam(teamId: SQL): SQL {
  const insider = sql`(${viewing.isAdmin} or exists (select 1 from ${teamMember} join ${team} mine on mine.id = ${teamMember.teamId}
    where ${teamMember.userId} = ${viewing.id} and mine.organization_id = ${repository.ownerId}))`;
  return sql`${insider} and exists (select 1 from ${team} where ${team.id} = ${teamId} and ${team.organizationId} = ${repository.ownerId}
    and (${team.mode} = 4 or ${team.includesAllRepositories} or exists (select 1 from ${teamRepository}
      where ${teamRepository.teamId} = ${team.id} and ${teamRepository.repositoryId} = ${repository.id})))`;
}

function anyOf(name: string): SQL {
  return sql`any(${sql.placeholder(name)}::text[])`;
}

/** One text of SQL for any number of words. */
function withKeywords({ inDescription, topicOnly }: NonNullable<RepositoryFilter["keywords"]>): SQL | undefined {
  if (topicOnly) {
    return sql`${repository.topics} && ${sql.placeholder("topics")}::text[]`;
  }
  return or(
    sql`${repository.lowerName} like ${anyOf("anyName")}`,
    sql`(${owner.lowerName} || '/' || ${repository.lowerName}) like ${anyOf("anyFullName")}`,
    sql`exists (select 1 from unnest(${repository.topics}) as topic where topic like ${anyOf("anyWord")})`,
    inDescription ? sql`lower(${repository.description}) like ${anyOf("anyWord")}` : undefined,
  );
}

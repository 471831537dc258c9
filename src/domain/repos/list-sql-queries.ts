import { sql, type SQL } from "drizzle-orm";
import { isRestricted } from "../../auth/authorize.ts";
import { ownerVisibleSql, type ViewerSql } from "../../auth/access-sql.ts";
import type { Credential } from "../../auth/subject.ts";
import { limitsOf, type CredentialLimits } from "../../auth/viewer-of.ts";
import { firstPrivateClass, type ListClasses } from "./list-classes.ts";
import type { RepositoryFilter, RepositoryOrder } from "./list-filter.ts";

/**
 * Lists of repositories as SQL. Each begins with what the viewer can see, of which there are three kinds: classes that they
 * see as such, owners of whom they see more, and single repositories that they were given. The first are read by index in
 * the list's order and merged; the others are few and are sorted. A list that is narrowed to what one user or team has, or
 * to words, begins with these instead.
 */

/** Which list, without the values of its conditions: all lists of one shape are one statement. */
export interface ListShape {
  classes: ListClasses;
  /** The names of the conditions that it has. */
  given: ReadonlySet<keyof RepositoryFilter>;
  keywords: { inDescription: boolean; topicOnly: boolean; anyLength: boolean; words: number } | null;
  credential: Credential;
  order: RepositoryOrder;
  /** The repositories of `firstOwnerId` are left out: they are a list of their own before this one. */
  withoutFirstOwner: boolean;
}

const value = (name: string, type = "bigint"): SQL => sql`${sql.placeholder(name)}::${sql.raw(type)}`;
const viewerId = value("viewerId");

/** The viewer with placeholders of the names that `viewerValues` has. */
export function viewerSql(limits: CredentialLimits): ViewerSql {
  return {
    id: viewerId,
    isAdmin: value("viewerIsAdmin", "boolean"),
    restricted: value("viewerIsRestricted", "boolean"),
    ...(limits.publicOnly ? { publicOnly: sql<boolean>`true` } : {}),
    ...(limits.restricted ? { restrictedTokenId: value("tokenId") } : {}),
  };
}

const sortColumns: Record<RepositoryOrder["by"], { table: "listing" | "size" | "count"; columns: readonly string[] }> =
  {
    alpha: { table: "listing", columns: ["owner_name", "name"] },
    name: { table: "listing", columns: ["name"] },
    created: { table: "listing", columns: ["created_at"] },
    updated: { table: "size", columns: ["updated_at"] },
    size: { table: "size", columns: ["bytes"] },
    "git-size": { table: "size", columns: ["git_bytes"] },
    "lfs-size": { table: "size", columns: ["lfs_bytes"] },
    stars: { table: "count", columns: ["stars"] },
    forks: { table: "count", columns: ["forks"] },
    id: { table: "listing", columns: [] },
    relevance: { table: "count", columns: ["rank", "stars", "name"] },
  };

/** A word of a search by its number, and the pattern of texts that contain it. */
function wordAt(number: number): { word: SQL; pattern: SQL } {
  const at = (name: string) => sql`(${value(name, "text[]")})[${sql.raw(String(number + 1))}]`;
  return { word: at("words"), pattern: at("patterns") };
}

/**
 * How well the words of a search fit listing `l`, the best first: 0: its name; 1: its name begins so; 2: a part of its
 * name, or a whole topic; 3: a part of a topic; 4: only its description.
 */
function rankOf(words: number): SQL {
  const ranks = Array.from({ length: words }, (_, number) => {
    const { word, pattern } = wordAt(number);
    return sql`case
      when ${word} in (l.name, l.owner_name || '/' || l.name) then 0
      when starts_with(l.name, ${word}) then 1
      when l.name like ${pattern} or position('/' in ${word}) > 0 and l.owner_name || '/' || l.name like ${pattern} then 2
      when ${word} = any(l.topics) then 2
      when exists (select 1 from unnest(l.topics) as topic where topic like ${pattern}) then 3
      else 4 end`;
  });
  return sql`least(${sql.join(ranks, sql`, `)})`;
}

/** Which owners the viewer sees more of: themselves and, as far as they are let, organizations they are a member of. */
const ownerGrants = sql`owner_grant as materialized (
    select * from (
      select ${viewerId} as owner_id, true as everything
      union all
      select team.organization_id, bool_or(team.mode = 4 or (team.includes_all_repositories and team.mode > 0))
          and not exists (select 1 from block where block.blocker_id = team.organization_id and block.blocked_id = ${viewerId})
        from team_member join team on team.id = team_member.team_id
        where team_member.user_id = ${viewerId} group by team.organization_id
    ) each where everything or not ${value("viewerIsRestricted", "boolean")})`;

/** The single repositories that a user was given, by a team of the repository's owner or as a collaborator. */
function givenTo(userId: SQL): SQL {
  return sql`(
      select collaborator.repository_id, null::bigint as organization_id from collaborator where collaborator.user_id = ${userId}
      union all
      select team_repository.repository_id, team.organization_id
        from team_member join team on team.id = team_member.team_id join team_repository on team_repository.team_id = team.id
        where team_member.user_id = ${userId} and team.mode > 0)`;
}

const repositoryGrants = sql`repository_grant as materialized (
    select distinct l.repository_id from ${givenTo(viewerId)} given
      join repository_listing l on l.repository_id = given.repository_id
    where (given.organization_id is null or given.organization_id = l.owner_id)
      and not exists (select 1 from block where block.blocker_id = l.owner_id and block.blocked_id = ${viewerId}))`;

const isBelowPrivate = sql.raw(`l.class < ${firstPrivateClass}`);

/** Whether the grant of an owner covers listing `l`. */
const coveredByOwner = sql`(l.owner_id in (select owner_id from owner_grant where everything)
    or (${isBelowPrivate} and l.owner_id in (select owner_id from owner_grant)))`;

function inClasses(table: string, classes: readonly number[]): SQL {
  return classes.length === 0 ? sql`false` : sql.raw(`${table}.class in (${classes.join(", ")})`);
}

/** Common table expressions that `givenListings` and `tokenListings` read. */
export const givenSql = sql`${ownerGrants}, ${repositoryGrants}`;

/** A query of columns of those listings `l` of some classes that the viewer was given; `where` narrows it. */
export function givenListings(classes: readonly number[], columns: SQL, where: SQL): SQL {
  return sql`select ${columns} from owner_grant g join repository_listing l on l.owner_id = g.owner_id
      where ${inClasses("l", classes)} and (g.everything or ${isBelowPrivate}) and ${where}
    union all select ${columns} from repository_grant g join repository_listing l on l.repository_id = g.repository_id
      where ${inClasses("l", classes)} and not ${coveredByOwner} and ${where}`;
}

/** A query of columns of those listings `l` that a token for single repositories is for, and the viewer sees. */
export function tokenListings(classes: ListClasses, columns: SQL): SQL {
  return sql`select ${columns} from access_token_repository r join repository_listing l on l.repository_id = r.repository_id
    where r.token_id = ${value("tokenId")} and ${isVisible(classes)}`;
}

/** The statements of one list. */
export interface ListSql {
  /** Answers `total`. */
  total: SQL;
  /** A subquery of one page: `id`, and the columns of `keys`. */
  page: SQL;
  /** The order of the page, in columns of `page`. */
  ordering: SQL;
}

export function listSql(shape: ListShape): ListSql {
  const { order, classes } = shape;
  const { table, columns } = sortColumns[order.by];
  const keys = columns.map((_, index) => `key${index + 1}`);
  const direction = order.descending ? " desc" : "";
  const ordering = (prefix: string) => sql.raw([...keys, "id"].map((key) => prefix + key + direction).join(", "));
  const selected = (alias: string) =>
    order.by === "relevance"
      ? sql`l.repository_id as id, ${rankOf(shape.keywords?.words ?? 0)} as key1, -${sql.raw(alias)}.stars as key2, l.name as key3`
      : sql.raw(
          [
            `${alias}.repository_id as id`,
            ...columns.map((column, index) => `${alias}.${column} as ${keys[index]}`),
          ].join(", "),
        );
  const sorting = table === "listing" ? "l" : table;
  const joined =
    table === "listing"
      ? sql``
      : sql.raw(`join repository_${table} ${table} on ${table}.repository_id = l.repository_id`);
  const withGrants = classes.given.length === 0 ? sql`` : sql`with ${givenSql}`;
  const slice = sql`order by ${ordering("")} limit ${sql.placeholder("size")} offset ${sql.placeholder("offset")}`;

  if (narrowing(shape).length > 0 || shape.given.has("none")) {
    const from = sql`from repository_listing l`;
    const where = sql`where ${sql.join([isVisible(classes), ...narrowing(shape), ...conditions(shape)], sql` and `)}`;
    return {
      total: sql`${withGrants} select count(*) as total ${from} ${where}`,
      // The rest is small, and found before it is sorted: otherwise the planner may walk the order and look at
      // everything.
      page: sql`(${withGrants} select * from (select ${selected(sorting)} ${from} ${joined} ${where} offset 0) every ${slice})`,
      ordering: ordering("page."),
    };
  }

  const ofOwner = shape.given.has("ownerId");
  const owned = ofOwner ? sql`l.owner_id = ${value("ownerId")} and ` : sql``;
  const others = shape.withoutFirstOwner
    ? (alias: string) =>
        sql` and ${sql.raw(alias)}.repository_id <> all (array(select repository_id from repository_listing where owner_id = ${value("firstOwnerId")}))`
    : () => sql``;
  // Each branch is ordered by itself: only then the planner merges them instead of sorting all of it.
  const branches: SQL[] = [];
  for (const one of classes.open) {
    const alias = ofOwner ? sorting : "l";
    const from = ofOwner ? sql`repository_listing l ${joined}` : sql.raw(`repository_${table} l`);
    branches.push(
      sql`select ${selected(alias)} from ${from} where ${owned}l.class = ${sql.raw(String(one))}${others("l")}`,
    );
  }
  if (classes.given.length > 0) {
    branches.push(
      sql`select ${selected(sorting)} from owner_grant g join repository_listing l on l.owner_id = g.owner_id ${joined}
        where ${owned}${inClasses("l", classes.given)} and (g.everything or ${isBelowPrivate})${others("l")}`,
      sql`select ${selected(sorting)} from repository_grant g join repository_listing l on l.repository_id = g.repository_id ${joined}
        where ${owned}${inClasses("l", classes.given)} and not ${coveredByOwner}${others("l")}`,
    );
  }
  return {
    total: sql`${withGrants} select ${counted(classes, ofOwner)} as total`,
    page:
      branches.length === 0
        ? sql`(select ${selected(sorting)} from repository_listing l ${joined} where false limit ${sql.placeholder("size")} offset ${sql.placeholder("offset")})`
        : sql`(${withGrants} select * from (${sql.join(
            branches.map((branch) => sql`(${branch} order by ${ordering("")})`),
            sql` union all `,
          )}) every ${slice})`,
    ordering: ordering("page."),
  };
}

/** How many a list has that is not narrowed, or only to an owner: from the numbers of the classes, and what was given. */
function counted(classes: ListClasses, ofOwner: boolean): SQL {
  const owner = ofOwner ? value("ownerId") : sql`0`;
  const open = sql`(select coalesce(sum(t.count), 0) from list_total t where t.list = 'repository' and t.owner_id = ${owner} and ${inClasses("t", classes.open)})`;
  if (classes.given.length === 0) {
    return open;
  }
  const only = ofOwner ? sql` and l.owner_id = ${owner}` : sql``;
  const granted = ofOwner ? sql` and g.owner_id = ${owner}` : sql``;
  return sql`${open}
    + (select coalesce(sum(t.count), 0) from owner_grant g join list_total t on t.list = 'repository' and t.owner_id = g.owner_id
      where ${inClasses("t", classes.given)} and (g.everything or ${sql.raw(`t.class < ${firstPrivateClass}`)})${granted})
    + (select count(*) from repository_grant g join repository_listing l on l.repository_id = g.repository_id
      where ${inClasses("l", classes.given)} and not ${coveredByOwner}${only})`;
}

/** Whether the viewer sees listing `l`. */
function isVisible({ open, given }: ListClasses): SQL {
  return given.length === 0
    ? inClasses("l", open)
    : sql`(${inClasses("l", open)} or (${inClasses("l", given)}
      and (${coveredByOwner} or l.repository_id in (select repository_id from repository_grant))))`;
}

/** Conditions that leave few repositories of all, each found by an index. */
function narrowing({ given, keywords, credential }: ListShape): SQL[] {
  const found: [boolean, () => SQL][] = [
    [
      isRestricted(credential),
      () =>
        sql`l.repository_id in (select repository_id from access_token_repository where token_id = ${value("tokenId")})`,
    ],
    [given.has("participantId"), () => participating(value("participantId"))],
    [
      given.has("collaboratorId"),
      () => sql`l.owner_id <> ${value("collaboratorId")} and ${participating(value("collaboratorId"))}`,
    ],
    [given.has("forkOf"), () => sql`l.repository_id in (select id from repository where fork_of = ${value("forkOf")})`],
    [given.has("mirror"), () => sql`l.repository_id in (select repository_id from pull_mirror)`],
    [given.has("teamId"), ofTeam],
    [
      given.has("language"),
      () =>
        sql`l.repository_id in (select repository_id from repository_count where language = ${value("language", "text")})`,
    ],
    [given.has("topic"), () => sql`l.topics @> array[${value("topic", "text")}]`],
    [given.has("starredBy"), () => starredBy(viewerSql(limitsOf(credential)))],
    [
      given.has("watchedBy"),
      () => sql`l.repository_id in (select repository_id from watch where user_id = ${value("watchedBy")})`,
    ],
    [
      keywords !== null,
      () => withKeywords(keywords ?? { inDescription: false, topicOnly: false, anyLength: false, words: 0 }),
    ],
  ];
  return found.flatMap(([is, condition]) => (is ? [condition()] : []));
}

/** Conditions beside those of narrowing. */
function conditions({ given, withoutFirstOwner }: ListShape): SQL[] {
  return [
    ...(given.has("none") ? [sql`false`] : []),
    ...(given.has("ownerId") ? [sql`l.owner_id = ${value("ownerId")}`] : []),
    ...(withoutFirstOwner ? [sql`l.owner_id <> ${value("firstOwnerId")}`] : []),
  ];
}

/** The repositories that a user owns, was given directly, or has by a team that has all of its organization. */
function participating(userId: SQL): SQL {
  return sql`l.repository_id in (
    select repository_id from repository_listing where owner_id = ${userId}
    union
    select given.repository_id from ${givenTo(userId)} given join repository_listing at on at.repository_id = given.repository_id
      where given.organization_id is null or given.organization_id = at.owner_id
    union
    select every.repository_id from team_member join team on team.id = team_member.team_id
      join repository_listing every on every.owner_id = team.organization_id
      where team_member.user_id = ${userId} and (team.mode = 4 or (team.includes_all_repositories and team.mode > 0)))`;
}

/** The repositories that a user starred. All who may know of the user see them. */
function starredBy(viewer: ViewerSql): SQL {
  return sql`l.repository_id in (select star.repository_id from star join owner on owner.id = star.user_id
    where star.user_id = ${value("starredBy")} and ${ownerVisibleSql(viewer)})`;
}

/** Which teams there are, and what they have, is known to the members of the organization and to site administrators. */
function ofTeam(): SQL {
  const insider = sql`(${value("viewerIsAdmin", "boolean")} or exists (select 1 from team_member join team mine on mine.id = team_member.team_id
    where team_member.user_id = ${viewerId} and mine.organization_id = team.organization_id))`;
  const team = sql`team where team.id = ${value("teamId")} and ${insider}`;
  return sql`l.repository_id in (
    select every.repository_id from repository_listing every
      where every.owner_id = (select team.organization_id from ${team} and (team.mode = 4 or team.includes_all_repositories))
    union
    select one.repository_id from team_repository join repository_listing one on one.repository_id = team_repository.repository_id
      where team_repository.team_id = ${value("teamId")} and one.owner_id = (select team.organization_id from ${team}))`;
}

/**
 * The repositories with one of the words. Parts of words are found by the grams of an index, if they have any. A single
 * condition is one on `l`, so that a word which most names have does not look up each of them a second time. Several
 * are a union: joined by `or`, they would be looked at again for each row that the index found, and to take a name
 * apart takes long.
 */
function withKeywords({ inDescription, topicOnly, anyLength, words }: NonNullable<ListShape["keywords"]>): SQL {
  if (topicOnly) {
    return sql`l.topics && ${value("topics", "text[]")}`;
  }
  const conditionsOn = (alias: "l" | "w") =>
    Array.from({ length: words }, (_, number) => wordConditions(alias, number, anyLength, inDescription)).flat();
  const [only, ...more] = conditionsOn("l");
  if (only !== undefined && more.length === 0) {
    return only;
  }
  const selects = conditionsOn("w").map(
    (condition) => sql`select w.repository_id from repository_listing w where ${condition}`,
  );
  return sql`l.repository_id in (${sql.join(selects, sql` union `)})`;
}

/** The conditions of which one holds for a listing that has a word: in its name or a topic, or in its description. */
function wordConditions(alias: "l" | "w", number: number, anyLength: boolean, inDescription: boolean): SQL[] {
  const { word, pattern } = wordAt(number);
  const of = (column: string) => sql.raw(`${alias}.${column}`);
  const indexed = (text: SQL) => (anyLength ? sql`` : sql`text_grams(${text}) @> word_grams(${word}) and `);
  const inName = sql`${indexed(sql`list_words(${of("owner_name")}, ${of("name")}, ${of("topics")})`)}
      (case when position('/' in ${word}) > 0 then ${of("owner_name")} || '/' || ${of("name")} like ${pattern} else ${of("name")} like ${pattern} end
        or exists (select 1 from unnest(${of("topics")}) as topic where topic like ${pattern}))`;
  return inDescription ? [inName, sql`${indexed(of("description"))}${of("description")} like ${pattern}`] : [inName];
}

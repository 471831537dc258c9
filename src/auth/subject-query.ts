import { sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Database } from "../db/client.ts";
import { accessTokenRepository } from "../db/schema/credentials.ts";
import { deployKey, sshKey } from "../db/schema/keys.ts";
import { accessModes, accessToken, account, owner, team, teamMember, type Unit } from "../db/schema/owners.ts";
import { repository } from "../db/schema/repositories.ts";
import { block } from "../db/schema/social.ts";
import { everyUnitModeSql, ownerVisibleSql, teamUnitsSql, teamsSql, type ViewerSql } from "./access-sql.ts";

/** Who asks: what they have shown. */
export type WhoKind = "nobody" | "token" | "key" | "user";
/** What they ask about. */
export type TargetKind = "nothing" | "owner" | "team" | "named-repository" | "numbered-repository";

/** A column of a table that the query has only sometimes. */
function value<Value>(present: boolean, column: PgColumn): SQL<Value | null> {
  return present ? (sql`${column}`.mapWith(column) as SQL<Value | null>) : sql<null>`null`;
}

const text = (present: boolean, version: SQL) => (present ? sql<string>`${version}` : sql<string>`''`);

const tokenReaches = sql<boolean>`(${accessToken.restricted} is not true or exists (select 1 from ${accessTokenRepository}
  where ${accessTokenRepository.tokenId} = ${accessToken.id} and ${accessTokenRepository.repositoryId} = ${repository.id}))`;

const users: Record<WhoKind, SQL> = {
  nobody: sql``,
  token: sql`left join ${accessToken} on ${accessToken.hash} = ${sql.placeholder("tokenHash")} and (${accessToken.expiresAt} is null or ${accessToken.expiresAt} > now())`,
  key: sql`left join ${sshKey} on ${sshKey.fingerprint} = ${sql.placeholder("keyFingerprint")}`,
  user: sql``,
};

const targets: Record<TargetKind, SQL> = {
  nothing: sql``,
  owner: sql`left join ${owner} on ${owner.lowerName} = ${sql.placeholder("ownerName")}`,
  team: sql`left join ${team} "asked" on "asked".id = ${sql.placeholder("teamId")} left join ${owner} on ${owner.id} = "asked".organization_id`,
  "named-repository": sql`left join ${owner} on ${owner.lowerName} = ${sql.placeholder("ownerName")}
    left join ${repository} on ${repository.ownerId} = ${owner.id} and ${repository.lowerName} = ${sql.placeholder("repositoryName")}`,
  "numbered-repository": sql`left join ${repository} on ${repository.id} = ${sql.placeholder("repositoryId")} left join ${owner} on ${owner.id} = ${repository.ownerId}`,
};

/**
 * The query for one kind of credential and one kind of target. It has the tables and subselects that these need and no
 * others, since starting the executor of a plan takes longer than running it: a stranger is answered in a third of the time.
 */
export function prepareSubjectQuery(db: Database, who: WhoKind, target: TargetKind) {
  const known = who !== "nobody";
  const byRepository = target === "named-repository" || target === "numbered-repository";
  const byOwner = target !== "nothing";
  const deploys = who === "key" && byRepository;
  const viewer: ViewerSql = {
    id: known ? sql`"self".id` : sql`null::bigint`,
    isAdmin: known ? sql`coalesce(${account.isAdmin}, false)` : sql`false`,
    restricted: known ? sql`coalesce(${account.restricted}, false)` : sql`false`,
    membership: known ? sql`teams.mode` : sql`null::integer`,
    teamMode: known ? sql`teams.every_unit` : sql`null::integer`,
    blocked: known ? sql`${block.blockerId} is not null` : sql`false`,
  };
  const userOf = { token: accessToken.userId, key: sshKey.userId, user: sql.placeholder("userId"), nobody: sql`null` }[who];
  const userMode = everyUnitModeSql(viewer).mapWith(Number);
  // The subselect is not even begun for those whose teams tell no units apart.
  const teamUnits = sql<Partial<Record<Unit, number>> | null>`(case when teams.unit_teams is not null and not ${viewer.blocked} then ${teamUnitsSql(sql`teams.unit_teams`)} end)`;
  // A deploy key opens the code of its repository and nothing else, public ones included; a key whose user may not sign in opens nothing.
  const keyMode = sql`(case when "self".id is not null then ${userMode}
    when ${deployKey.id} is null then 0 when ${deployKey.readOnly} then ${sql.raw(String(accessModes.read))} else ${sql.raw(String(accessModes.write))} end)`.mapWith(Number);
  const joins = [
    users[who],
    known ? sql`left join ${account} on ${account.ownerId} = ${userOf} and ${account.active} and not ${account.suspended} left join ${owner} "self" on "self".id = ${account.ownerId}` : sql``,
    targets[target],
    known && byOwner ? sql`left join ${block} on ${block.blockerId} = ${owner.id} and ${block.blockedId} = "self".id` : sql``,
    deploys ? sql`left join ${deployKey} on ${deployKey.keyId} = ${sshKey.id} and ${sshKey.userId} is null and ${deployKey.repositoryId} = ${repository.id}` : sql``,
  ];
  return db
    .select({
      actorId: known ? sql<number | null>`"self".id`.mapWith(owner.id) : sql<null>`null`,
      actorVersion: text(known, sql`"self".xmin::text || ' ' || "account".xmin::text`),
      tokenId: value<number>(who === "token", accessToken.id),
      tokenScopes: value<string[]>(who === "token", accessToken.scopes),
      tokenRestricted: value<boolean>(who === "token", accessToken.restricted),
      reached: who === "token" && byRepository ? tokenReaches : sql<boolean>`true`,
      keyId: value<number>(who === "key", sshKey.id),
      keyUserId: value<number>(who === "key", sshKey.userId),
      keyDeploys: who === "key" ? sql<boolean>`exists (select 1 from ${deployKey} other where other.key_id = ${sshKey.id})` : sql<boolean>`false`,
      deployKeyId: value<number>(deploys, deployKey.id),
      deployKeyReadOnly: value<boolean>(deploys, deployKey.readOnly),
      ownerId: value<number>(byOwner, owner.id),
      ownerVersion: text(byOwner, sql`"owner".xmin::text`),
      repositoryId: value<number>(byRepository, repository.id),
      repositoryVersion: text(byRepository, sql`"repository".xmin::text`),
      everyUnit: !byRepository ? sql<number>`0` : who === "key" ? keyMode : userMode,
      visible: !byOwner ? sql<boolean>`false` : who === "key" ? sql<boolean>`("self".id is not null and ${ownerVisibleSql(viewer)})` : ownerVisibleSql(viewer),
      membership: known ? sql<number | null>`teams.mode` : sql<number | null>`null::integer`,
      teamUnits: known && byRepository ? teamUnits : sql<null>`null`,
      blocked: known && byOwner ? sql<boolean>`${viewer.blocked}` : sql<boolean>`false`,
      teamId: target === "team" ? sql<number | null>`"asked".id`.mapWith(team.id) : sql<null>`null`,
      isTeamMember:
        target === "team" && known
          ? sql<boolean>`exists (select 1 from ${teamMember} where ${teamMember.teamId} = "asked".id and ${teamMember.userId} = "self".id)`
          : sql<boolean>`false`,
      createsRepositories: known ? sql<boolean>`coalesce(teams.creates, false)` : sql<boolean>`false`,
    })
    .from(sql`(values (1)) as one (n) ${sql.join(joins, sql` `)}`)
    .leftJoin(sql`lateral ${known && byOwner ? teamsSql(viewer, byRepository) : noTeams} teams`, sql`true`)
    .prepare(`find_subject_${who}_${target}`);
}

const noTeams = sql`(select null::integer as mode, null::boolean as creates, null::integer as every_unit, null::bigint[] as unit_teams)`;

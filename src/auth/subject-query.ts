import { sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Database } from "../db/client.ts";
import { accessTokenRepository, session, twoFactor, type SessionState } from "../db/schema/credentials.ts";
import { deployKey, sshKey } from "../db/schema/keys.ts";
import { accessModes, accessToken, account, owner, team, teamMember, type Unit } from "../db/schema/owners.ts";
import { repositoryCount, repositorySize } from "../db/schema/lists.ts";
import { repository } from "../db/schema/repositories.ts";
import { block } from "../db/schema/social.ts";
import { everyUnitModeSql, ownerVisibleSql, teamUnitsSql, teamsSql, type ViewerSql } from "./access-sql.ts";
import { signInStampSql } from "./sign-in-stamp.ts";

/**
 * The kind of a caller's credential; the numbered kinds and "stamped-user" are for looking again at one that was
 * accepted before.
 */
export type WhoKind =
  | "nobody"
  | "token"
  | "numbered-token"
  | "key"
  | "numbered-key"
  | "session"
  | "user"
  | "stamped-user";
/** The kind of a target. */
export type TargetKind =
  | "nothing"
  | "owner"
  | "numbered-owner"
  | "team"
  | "named-team"
  | "named-repository"
  | "numbered-repository";

/** A column of a table that the query has only sometimes. */
function value<Value>(present: boolean, column: PgColumn): SQL<Value | null> {
  return present ? (sql`${column}`.mapWith(column) as SQL<Value | null>) : sql<null>`null`;
}

const text = (present: boolean, version: SQL) => (present ? sql<string>`${version}` : sql<string>`''`);

const tokenReaches = sql<boolean>`(${accessToken.restricted} is not true or exists (select 1 from ${accessTokenRepository}
  where ${accessTokenRepository.tokenId} = ${accessToken.id} and ${accessTokenRepository.repositoryId} = ${repository.id}))`;

const isValidToken = sql`(${accessToken.expiresAt} is null or ${accessToken.expiresAt} > now())`;

/** The parameters of the query, with their types in SQL. `tokenHash` is written in hexadecimal digits. */
const inputTypes = {
  tokenHash: "text",
  tokenId: "bigint",
  keyFingerprint: "text",
  keyId: "bigint",
  sessionId: "bigint",
  userId: "bigint",
  stamp: "text",
  ownerName: "text",
  ownerId: "bigint",
  repositoryName: "text",
  repositoryId: "bigint",
  teamId: "bigint",
  teamName: "text",
} as const;

export type InputName = keyof typeof inputTypes;
type Input = (name: InputName) => SQL;

/** For one request: a placeholder of the query. */
const ofOne: Input = (name) => sql`${sql.placeholder(name)}`;
/** For several: a column of the rows that `inputRows` makes. */
const ofSeveral: Input = (name) => sql.raw(`input."${name}"`);
/** Rows of inputs from JSON, each with its number `n`. */
const inputRows = sql`json_to_recordset(${sql.placeholder("inputs")}::json) as input (n integer, ${sql.raw(
  Object.entries(inputTypes)
    .map(([name, type]) => `"${name}" ${type}`)
    .join(", "),
)})`;

const users = (input: Input): Record<WhoKind, SQL> => ({
  nobody: sql``,
  token: sql`left join ${accessToken} on ${accessToken.hash} = decode(${input("tokenHash")}, 'hex') and ${isValidToken}`,
  "numbered-token": sql`left join ${accessToken} on ${accessToken.id} = ${input("tokenId")} and ${isValidToken}`,
  key: sql`left join ${sshKey} on ${sshKey.fingerprint} = ${input("keyFingerprint")}`,
  "numbered-key": sql`left join ${sshKey} on ${sshKey.id} = ${input("keyId")}`,
  session: sql`left join ${session} on ${session.id} = ${input("sessionId")} and ${session.expiresAt} > now()`,
  user: sql``,
  "stamped-user": sql``,
});

const userIds = (input: Input): Record<WhoKind, SQL> => ({
  nobody: sql`null`,
  token: sql`${accessToken.userId}`,
  "numbered-token": sql`${accessToken.userId}`,
  key: sql`${sshKey.userId}`,
  "numbered-key": sql`${sshKey.userId}`,
  session: sql`${session.userId}`,
  user: sql`${input("userId")}`,
  "stamped-user": sql`(select ${account.ownerId} from ${account} left join ${twoFactor} on ${twoFactor.userId} = ${account.ownerId}
    where ${account.ownerId} = ${input("userId")} and ${signInStampSql} = ${input("stamp")})`,
});

const targets = (input: Input): Record<TargetKind, SQL> => ({
  nothing: sql``,
  owner: sql`left join ${owner} on ${owner.lowerName} = ${input("ownerName")}`,
  "numbered-owner": sql`left join ${owner} on ${owner.id} = ${input("ownerId")}`,
  team: sql`left join ${team} "asked" on "asked".id = ${input("teamId")} left join ${owner} on ${owner.id} = "asked".organization_id`,
  "named-team": sql`left join ${owner} on ${owner.lowerName} = ${input("ownerName")}
    left join ${team} "asked" on "asked".organization_id = ${owner.id} and "asked".lower_name = ${input("teamName")}`,
  "named-repository": sql`left join ${owner} on ${owner.lowerName} = ${input("ownerName")}
    left join ${repository} on ${repository.ownerId} = ${owner.id} and ${repository.lowerName} = ${input("repositoryName")}`,
  "numbered-repository": sql`left join ${repository} on ${repository.id} = ${input("repositoryId")} left join ${owner} on ${owner.id} = ${repository.ownerId}`,
});

/**
 * The counters of the repository. A repository that does not exist is looked up, too: the lookup must not tell it from one
 * that the caller may not know of.
 */
const counters = sql`left join ${repositorySize} on ${repositorySize.repositoryId} = coalesce(${repository.id}, 0)
  left join ${repositoryCount} on ${repositoryCount.repositoryId} = coalesce(${repository.id}, 0)`;

/**
 * The query for one kind of credential and one kind of target. It has the tables and subselects that these need and no
 * others, since starting the executor of a plan takes longer than running it: a stranger is answered in a third of the time.
 * `several`: for many requests at once, whose `inputs` are JSON; `n` says whose each row is.
 */
export function prepareSubjectQuery(db: Database, who: WhoKind, target: TargetKind, several: boolean) {
  const input = several ? ofSeveral : ofOne;
  const known = who !== "nobody";
  const byRepository = target === "named-repository" || target === "numbered-repository";
  const byOwner = target !== "nothing";
  const byTeam = target === "team" || target === "named-team";
  const byToken = who === "token" || who === "numbered-token";
  const byKey = who === "key" || who === "numbered-key";
  const deploys = byKey && byRepository;
  const viewer: ViewerSql = {
    id: known ? sql`"self".id` : sql`null::bigint`,
    isAdmin: known ? sql`coalesce(${account.isAdmin}, false)` : sql`false`,
    restricted: known ? sql`coalesce(${account.restricted}, false)` : sql`false`,
    membership: known ? sql`teams.mode` : sql`null::integer`,
    teamMode: known ? sql`teams.every_unit` : sql`null::integer`,
    blocked: known ? sql`${block.blockerId} is not null` : sql`false`,
  };
  const userMode = everyUnitModeSql(viewer).mapWith(Number);
  // The subselect is not even begun for those whose teams tell no units apart.
  const teamUnits = sql<Partial<
    Record<Unit, number>
  > | null>`(case when teams.unit_teams is not null and not ${viewer.blocked} then ${teamUnitsSql(sql`teams.unit_teams`)} end)`;
  // A deploy key opens the code of its repository and nothing else, public ones included; a key whose user may not sign in opens nothing.
  const keyMode = sql`(case when "self".id is not null then ${userMode}
    when ${deployKey.id} is null then 0 when ${deployKey.readOnly} then ${sql.raw(String(accessModes.read))} else ${sql.raw(String(accessModes.write))} end)`.mapWith(
    Number,
  );
  const joins = [
    users(input)[who],
    known
      ? sql`left join ${account} on ${account.ownerId} = ${userIds(input)[who]} and ${account.active} and not ${account.suspended} left join ${owner} "self" on "self".id = ${account.ownerId}`
      : sql``,
    targets(input)[target],
    known && byOwner
      ? sql`left join ${block} on ${block.blockerId} = ${owner.id} and ${block.blockedId} = "self".id`
      : sql``,
    byRepository ? counters : sql``,
    deploys
      ? sql`left join ${deployKey} on ${deployKey.keyId} = ${sshKey.id} and ${sshKey.userId} is null and ${deployKey.repositoryId} = ${repository.id}`
      : sql``,
  ];
  return db
    .select({
      n: several ? sql<number>`input.n` : sql<number>`0`,
      actorId: known ? sql<number | null>`"self".id`.mapWith(owner.id) : sql<null>`null`,
      actorVersion: text(known, sql`"self".xmin::text || ' ' || "account".xmin::text`),
      tokenId: value<number>(byToken, accessToken.id),
      tokenScopes: value<string[]>(byToken, accessToken.scopes),
      tokenRestricted: value<boolean>(byToken, accessToken.restricted),
      reached: byToken && byRepository ? tokenReaches : sql<boolean>`true`,
      sessionState: value<SessionState>(who === "session", session.state),
      keyId: value<number>(byKey, sshKey.id),
      keyUserId: value<number>(byKey, sshKey.userId),
      keyDeploys: byKey
        ? sql<boolean>`exists (select 1 from ${deployKey} other where other.key_id = ${sshKey.id})`
        : sql<boolean>`false`,
      deployKeyId: value<number>(deploys, deployKey.id),
      deployKeyReadOnly: value<boolean>(deploys, deployKey.readOnly),
      ownerId: value<number>(byOwner, owner.id),
      ownerVersion: text(byOwner, sql`"owner".xmin::text`),
      repositoryId: value<number>(byRepository, repository.id),
      repositoryVersion: text(byRepository, sql`"repository".xmin::text`),
      gitBytes: value<number>(byRepository, repositorySize.gitBytes),
      lfsBytes: value<number>(byRepository, repositorySize.lfsBytes),
      stars: value<number>(byRepository, repositoryCount.stars),
      watchers: value<number>(byRepository, repositoryCount.watchers),
      releases: value<number>(byRepository, repositoryCount.releases),
      transfers: value<number>(byRepository, repositoryCount.transfers),
      forks: value<number>(byRepository, repositoryCount.forks),
      openIssues: value<number>(byRepository, repositoryCount.openIssues),
      openPulls: value<number>(byRepository, repositoryCount.openPulls),
      language: value<string>(byRepository, repositoryCount.language),
      everyUnit: !byRepository ? sql<number>`0` : byKey ? keyMode : userMode,
      visible: !byOwner
        ? sql<boolean>`false`
        : byKey
          ? sql<boolean>`("self".id is not null and ${ownerVisibleSql(viewer)})`
          : ownerVisibleSql(viewer),
      membership: known ? sql<number | null>`teams.mode` : sql<number | null>`null::integer`,
      teamUnits: known && byRepository ? teamUnits : sql<null>`null`,
      blocked: known && byOwner ? sql<boolean>`${viewer.blocked}` : sql<boolean>`false`,
      teamId: byTeam ? sql<number | null>`"asked".id`.mapWith(team.id) : sql<null>`null`,
      isTeamMember:
        byTeam && known
          ? sql<boolean>`exists (select 1 from ${teamMember} where ${teamMember.teamId} = "asked".id and ${teamMember.userId} = "self".id)`
          : sql<boolean>`false`,
      packageMode:
        known && byOwner && !byRepository ? sql<number | null>`teams.packages` : sql<number | null>`null::integer`,
      createsRepositories: known ? sql<boolean>`coalesce(teams.creates, false)` : sql<boolean>`false`,
    })
    .from(sql`${several ? inputRows : sql`(values (1)) as one (n)`} ${sql.join(joins, sql` `)}`)
    .leftJoin(sql`lateral ${known && byOwner ? teamsSql(viewer, byRepository) : noTeams} teams`, sql`true`)
    .prepare(`find_subject${several ? "s" : ""}_${who}_${target}`);
}

const noTeams = sql`(select null::integer as mode, null::boolean as creates, null::integer as packages, null::integer as every_unit, null::bigint[] as unit_teams)`;

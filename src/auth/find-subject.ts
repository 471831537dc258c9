import { aliasedTable, and, eq, getTableColumns, isNull, sql, type SQL } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { accessTokenRepository } from "../db/schema/credentials.ts";
import { deployKey, sshKey } from "../db/schema/keys.ts";
import { accessModes, accessToken, account, owner, team, teamMember, type Unit } from "../db/schema/owners.ts";
import { repository } from "../db/schema/repositories.ts";
import { block } from "../db/schema/social.ts";
import { everyUnitModeSql, ownerVisibleSql, teamUnitsSql, teamsSql, type ViewerSql } from "./access-sql.ts";
import { parseScopes } from "./scopes.ts";
import { RowVersions } from "./row-versions.ts";
import type { Actor, OwnerAccess, OwnerRow, RepositoryAccess, RepositoryRow } from "./subject.ts";
import { highestMode, repositoryAccess, type FoundModes } from "./unit-modes.ts";

/** Who: the hash of a token, the fingerprint of an SSH key, the id of a user whose password or proxy was accepted, or nobody. */
export interface Who {
  tokenHash?: Uint8Array;
  keyFingerprint?: string;
  userId?: number;
}

/** What is asked about: an owner by name, a repository by owner and name, a repository by id, a team with its organization, or nothing. */
export interface Target {
  ownerName?: string;
  repositoryName?: string;
  repositoryId?: number;
  teamId?: number;
}

/** An SSH key that lets somebody in: its user's, or one that deploys; `deployKey` is how it opens the repository asked about. */
export interface FoundKey {
  id: number;
  deployKey: { id: number; readOnly: boolean } | null;
}

/**
 * The row of the one query, read into its parts. `token` null with a token hash asked for: no such token; `key` likewise.
 * An owner or repository that the caller may not know of is null, like one that does not exist.
 */
export interface FoundSubject {
  actor: Actor | null;
  token: { id: number; scopes: ReturnType<typeof parseScopes> } | null;
  key: FoundKey | null;
  owner: OwnerAccess | null;
  repository: RepositoryAccess | null;
}

const nothing: FoundSubject = { actor: null, token: null, key: null, owner: null, repository: null };

export type FindSubject = (who: Who, target: Target) => Promise<FoundSubject>;

type WhoKind = "nobody" | "token" | "key" | "user";
type TargetKind = "nothing" | "owner" | "team" | "named-repository" | "numbered-repository";

function kindOfWho(who: Who): WhoKind {
  return who.tokenHash !== undefined ? "token" : who.keyFingerprint !== undefined ? "key" : who.userId !== undefined ? "user" : "nobody";
}

function kindOfTarget(target: Target): TargetKind {
  if (target.repositoryId !== undefined) {
    return "numbered-repository";
  }
  if (target.teamId !== undefined) {
    return "team";
  }
  return target.ownerName === undefined ? "nothing" : target.repositoryName === undefined ? "owner" : "named-repository";
}

/**
 * The query for one kind of credential and one kind of target. What does not apply is joined on false, which the planner
 * drops: an executor that need not start eight subplans answers a stranger in a third of the time.
 */
function prepareQuery(db: Database, who: WhoKind, target: TargetKind) {
  const self = aliasedTable(owner, "self");
  const known = who !== "nobody";
  const viewer: ViewerSql = {
    id: known ? sql`${self.id}` : sql`null::bigint`,
    isAdmin: known ? sql`coalesce(${account.isAdmin}, false)` : sql`false`,
    restricted: known ? sql`coalesce(${account.restricted}, false)` : sql`false`,
    membership: known ? sql`teams.mode` : sql`null::integer`,
    teams: known ? { everyUnit: sql`teams.every_unit`, anyUnit: sql`null::integer` } : { everyUnit: sql`null::integer`, anyUnit: sql`null::integer` },
    blocked: known ? sql`${block.blockerId} is not null` : sql`false`,
  };
  const byRepository = target === "named-repository" || target === "numbered-repository";
  const userOf = { token: accessToken.userId, key: sshKey.userId, user: sql.placeholder("userId"), nobody: sql`null::bigint` }[who];
  const userMode = everyUnitModeSql(viewer).mapWith(Number);
  // The subselect is not even begun for those whose teams tell no units apart.
  const userUnits = sql<Partial<Record<Unit, number>> | null>`(case when teams.unit_teams is not null and not ${viewer.blocked} then ${teamUnitsSql(sql`teams.unit_teams`)} end)`;
  // A deploy key opens the code of its repository and nothing else, public ones included; a key whose user may not sign in opens nothing.
  const keyMode = sql`(case when ${self.id} is not null then ${userMode}
    when ${deployKey.id} is null then 0 when ${deployKey.readOnly} then ${sql.raw(String(accessModes.read))} else ${sql.raw(String(accessModes.write))} end)`.mapWith(Number);
  return db
    .select({
      actorId: self.id,
      actorVersion: sql<string>`"self".xmin::text || ' ' || "account".xmin::text`,
      token: { id: accessToken.id, scopes: accessToken.scopes, restricted: accessToken.restricted },
      reached: who === "token" && byRepository ? tokenReaches : sql<boolean>`true`,
      key: { id: sshKey.id, userId: sshKey.userId },
      keyDeploys: who === "key" ? sql<boolean>`exists (select 1 from deploy_key other where other.key_id = ${sshKey.id})` : sql<boolean>`false`,
      deployKey: { id: deployKey.id, readOnly: deployKey.readOnly },
      ownerId: owner.id,
      ownerVersion: sql<string>`"owner".xmin::text`,
      repositoryId: repository.id,
      repositoryVersion: sql<string>`"repository".xmin::text`,
      everyUnit: !byRepository ? sql<number>`0` : who === "key" ? keyMode : userMode,
      visible: target === "nothing" ? sql<boolean>`false` : who === "key" ? sql<boolean>`(${self.id} is not null and ${ownerVisibleSql(viewer)})` : ownerVisibleSql(viewer),
      membership: known ? sql<number | null>`teams.mode` : sql<number | null>`null::integer`,
      teamUnits: known && byRepository ? userUnits : sql<null>`null`,
      blocked: known ? sql<boolean>`${viewer.blocked}` : sql<boolean>`false`,
      team: { id: team.id, isMember: target === "team" ? sql<boolean>`${teamMember.userId} is not null` : sql<boolean>`false` },
      createsRepositories: known ? sql<boolean>`coalesce(teams.creates, false)` : sql<boolean>`false`,
    })
    .from(sql`(values (1)) as one (n)`)
    .leftJoin(
      accessToken,
      who === "token" ? and(eq(accessToken.hash, sql.placeholder("tokenHash")), sql`(${accessToken.expiresAt} is null or ${accessToken.expiresAt} > now())`) : never,
    )
    .leftJoin(sshKey, who === "key" ? eq(sshKey.fingerprint, sql.placeholder("keyFingerprint")) : never)
    .leftJoin(
      account,
      known ? and(eq(account.ownerId, userOf), eq(account.active, true), eq(account.suspended, false)) : never,
    )
    .leftJoin(self, known ? eq(self.id, account.ownerId) : never)
    .leftJoin(team, target === "team" ? eq(team.id, sql.placeholder("teamId")) : never)
    .leftJoin(teamMember, target === "team" && known ? and(eq(teamMember.teamId, team.id), eq(teamMember.userId, self.id)) : never)
    .leftJoin(owner, ownerOf[target])
    .leftJoin(block, known ? and(eq(block.blockerId, owner.id), eq(block.blockedId, self.id)) : never)
    .leftJoin(
      repository,
      target === "numbered-repository"
        ? eq(repository.id, sql.placeholder("repositoryId"))
        : target === "named-repository"
          ? and(eq(repository.ownerId, owner.id), eq(repository.lowerName, sql.placeholder("repositoryName")))
          : never,
    )
    .leftJoin(deployKey, who === "key" && byRepository ? and(eq(deployKey.keyId, sshKey.id), isNull(sshKey.userId), eq(deployKey.repositoryId, repository.id)) : never)
    .leftJoin(sql`lateral ${known && target !== "nothing" ? teamsSql(viewer, byRepository) : noTeams} teams`, sql`true`)
    .prepare(`find_subject_${who}_${target}`);
}

const rememberedRows = 10_000;

/** The rows that the query names by id and version. Read anew only when they changed. */
function prepareRows(db: Database) {
  const { passwordHash: _hash, ownerId: _owner, ...accountColumns } = getTableColumns(account);
  const id = sql.placeholder("id");
  const owners = db.select({ version: sql<string>`xmin::text`, row: getTableColumns(owner) }).from(owner).where(eq(owner.id, id)).prepare("owner_version");
  const repositories = db
    .select({ version: sql<string>`xmin::text`, row: getTableColumns(repository) })
    .from(repository)
    .where(eq(repository.id, id))
    .prepare("repository_version");
  const actors = db
    .select({ version: sql<string>`"owner".xmin::text || ' ' || "account".xmin::text`, owner: getTableColumns(owner), account: accountColumns })
    .from(owner)
    .innerJoin(account, eq(account.ownerId, owner.id))
    .where(eq(owner.id, id))
    .prepare("actor_version");
  return {
    owners: new RowVersions<OwnerRow>(async (ownerId) => (await owners.execute({ id: ownerId }))[0] ?? null, rememberedRows),
    repositories: new RowVersions<RepositoryRow>(async (repositoryId) => (await repositories.execute({ id: repositoryId }))[0] ?? null, rememberedRows),
    actors: new RowVersions<Actor>(async (actorId) => {
      const [found] = await actors.execute({ id: actorId });
      return found === undefined ? null : { version: found.version, row: { ...found.owner, ...found.account } };
    }, rememberedRows),
  };
}

const never = sql`false`;
const tokenReaches = sql<boolean>`(${accessToken.restricted} is not true or exists (select 1 from ${accessTokenRepository}
  where ${accessTokenRepository.tokenId} = ${accessToken.id} and ${accessTokenRepository.repositoryId} = ${repository.id}))`;
const noTeams = sql`(select null::integer as mode, null::boolean as creates, null::integer as every_unit, null::bigint[] as unit_teams)`;
const byName = eq(owner.lowerName, sql.placeholder("ownerName"));
const ownerOf: Record<TargetKind, SQL> = {
  nothing: never,
  owner: byName,
  "named-repository": byName,
  "numbered-repository": sql`${owner.id} = (select numbered.owner_id from ${repository} numbered where numbered.id = ${sql.placeholder("repositoryId")})`,
  team: eq(owner.id, team.organizationId),
};

/**
 * Prepares the queries that every request begins with: token, account, owner, repository and the access of the one to
 * the other, in one round trip. It answers ids and versions; the rows behind them are remembered by version, because
 * sending and reading their hundred columns costs more than finding them.
 */
export function prepareFindSubject(db: Database): FindSubject {
  const prepared = new Map<string, ReturnType<typeof prepareQuery>>();
  const rows = prepareRows(db);

  return async (who, target) => {
    const [whoKind, targetKind] = [kindOfWho(who), kindOfTarget(target)];
    if (whoKind === "nobody" && targetKind === "nothing") {
      return nothing;
    }
    const key = `${whoKind} ${targetKind}`;
    const query = prepared.get(key) ?? prepareQuery(db, whoKind, targetKind);
    prepared.set(key, query);
    const [row] = await query.execute({
      tokenHash: who.tokenHash,
      keyFingerprint: who.keyFingerprint,
      userId: who.userId,
      ownerName: target.ownerName?.toLowerCase(),
      repositoryName: target.repositoryName?.toLowerCase(),
      repositoryId: target.repositoryId,
      teamId: target.teamId,
    });
    if (row === undefined) {
      return nothing;
    }
    const actor = row.actorId === null ? null : await rows.actors.find(row.actorId, row.actorVersion);
    // What the caller may not know of is not even read, so that it takes no longer than what is not there.
    const mode = highestMode(row);
    const found = row.ownerId === null || !(row.visible || mode > 0) ? null : await rows.owners.find(row.ownerId, row.ownerVersion);
    const repo = row.repositoryId === null || found === null || mode === 0 || !row.reached ? null : await rows.repositories.find(row.repositoryId, row.repositoryVersion);
    return {
      actor,
      token: row.token && actor ? { id: row.token.id, scopes: parseScopes(row.token.scopes, { isAdmin: actor.isAdmin, restricted: row.token.restricted }) } : null,
      key: row.key && (actor !== null || (row.key.userId === null && row.keyDeploys)) ? { id: row.key.id, deployKey: row.deployKey } : null,
      owner: found && {
        owner: found,
        visible: row.visible,
        membership: row.membership,
        createsRepositories: row.createsRepositories,
        blocked: row.blocked,
        team: row.team,
      },
      repository: found && repo && accessWith(row.key !== null && actor === null, repo, found, row),
    };
  };
}

/** A deploy key is for git: it opens the code, and no other unit. */
function accessWith(isDeployKey: boolean, repo: RepositoryRow, of: OwnerRow, row: FoundModes): RepositoryAccess {
  return repositoryAccess(repo, of, isDeployKey ? { everyUnit: 0, teamUnits: { code: row.everyUnit }, blocked: false } : row);
}

import { eq, getTableColumns, sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { account, owner } from "../db/schema/owners.ts";
import { repository } from "../db/schema/repositories.ts";
import { parseScopes } from "./scopes.ts";
import { RowVersions } from "./row-versions.ts";
import type { Actor, OwnerAccess, OwnerRow, RepositoryAccess, RepositoryRow } from "./subject.ts";
import { prepareSubjectQuery, type TargetKind, type WhoKind } from "./subject-query.ts";
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

/**
 * Prepares the queries that every request begins with: token, account, owner, repository and the access of the one to
 * the other, in one round trip. It answers ids and versions; the rows behind them are remembered by version, because
 * sending and reading their hundred columns costs more than finding them.
 */
export function prepareFindSubject(db: Database): FindSubject {
  const prepared = new Map<string, ReturnType<typeof prepareSubjectQuery>>();
  const rows = prepareRows(db);

  return async (who, target) => {
    const [whoKind, targetKind] = [kindOfWho(who), kindOfTarget(target)];
    if (whoKind === "nobody" && targetKind === "nothing") {
      return nothing;
    }
    const key = `${whoKind} ${targetKind}`;
    const query = prepared.get(key) ?? prepareSubjectQuery(db, whoKind, targetKind);
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
    const { tokenId, keyId } = row;
    return {
      actor,
      token: tokenId === null || actor === null ? null : { id: tokenId, scopes: parseScopes(row.tokenScopes ?? [], { isAdmin: actor.isAdmin, restricted: row.tokenRestricted === true }) },
      key: keyId === null || (actor === null && (row.keyUserId !== null || !row.keyDeploys)) ? null : { id: keyId, deployKey: deployKeyOf(row) },
      owner: found && {
        owner: found,
        visible: row.visible,
        membership: row.membership,
        createsRepositories: row.createsRepositories,
        blocked: row.blocked,
        team: row.teamId === null ? null : { id: row.teamId, isMember: row.isTeamMember },
      },
      repository: found && repo && accessWith(keyId !== null && actor === null, repo, found, row),
    };
  };
}

function deployKeyOf({ deployKeyId: id, deployKeyReadOnly: readOnly }: { deployKeyId: number | null; deployKeyReadOnly: boolean | null }): FoundKey["deployKey"] {
  return id === null ? null : { id, readOnly: readOnly === true };
}

/** A deploy key is for git: it opens the code, and no other unit. */
function accessWith(isDeployKey: boolean, repo: RepositoryRow, of: OwnerRow, row: FoundModes): RepositoryAccess {
  return repositoryAccess(repo, of, isDeployKey ? { everyUnit: 0, teamUnits: { code: row.everyUnit }, blocked: false } : row);
}

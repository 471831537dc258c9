import { eq, getTableColumns, sql } from "drizzle-orm";
import { within, type Database, type Transaction } from "../db/client.ts";
import { RememberedRows } from "../db/remembered-rows.ts";
import { memoryOf, versionOf } from "../db/remembered-tables.ts";
import type { SessionState } from "../db/schema/credentials.ts";
import { account, owner } from "../db/schema/owners.ts";
import { batchByTurn } from "../lib/batch-by-turn.ts";
import { parseScopes } from "./scopes.ts";
import type { Actor, OwnerAccess, OwnerRow, RepositoryAccess, RepositoryCounts, RepositoryRow } from "./subject.ts";
import { prepareSubjectQuery, type InputName, type TargetKind, type WhoKind } from "./subject-query.ts";
import { highestMode, repositoryAccess, type FoundModes } from "./unit-modes.ts";

/**
 * The credential of a caller: the hash of a token, the fingerprint of an SSH key, the id of a user whose password or
 * proxy was accepted, or none. The ids of a token, key or session, and a user with a `stamp` (see `signInStamp`), are
 * for looking again at a credential that was accepted before.
 */
export interface Who {
  tokenHash?: Uint8Array;
  tokenId?: number;
  keyFingerprint?: string;
  keyId?: number;
  sessionId?: number;
  userId?: number;
  stamp?: string;
}

/**
 * The thing that a request is about: an owner by name or id, a repository by owner and name or by id, a team with its
 * organization, or nothing.
 */
export interface Target {
  ownerName?: string;
  ownerId?: number;
  repositoryName?: string;
  repositoryId?: number;
  teamId?: number;
  /** The name of a team of the organization `ownerName`. */
  teamName?: string;
}

/** An SSH key that lets somebody in: its user's, or one that deploys; `deployKey` is how it opens the repository asked about. */
export interface FoundKey {
  id: number;
  deployKey: { id: number; readOnly: boolean } | null;
}

/**
 * The row of the one query, read into its parts. `token` is null if the hash of the token is unknown, and `key` if the
 * key is. An owner or repository that the caller may not know of is null, like one that does not exist.
 */
export interface FoundSubject {
  actor: Actor | null;
  token: { id: number; scopes: ReturnType<typeof parseScopes> } | null;
  key: FoundKey | null;
  /** The state of a session that was asked for by its id; null also if it has expired. */
  sessionState: SessionState | null;
  owner: OwnerAccess | null;
  repository: RepositoryAccess | null;
}

const nothing: FoundSubject = {
  actor: null,
  token: null,
  key: null,
  sessionState: null,
  owner: null,
  repository: null,
};

/** `tx`: inside this transaction, and on its connection alone. */
export type FindSubject = (who: Who, target: Target, tx?: Transaction) => Promise<FoundSubject>;

const whoKinds: readonly [keyof Who, WhoKind][] = [
  ["tokenHash", "token"],
  ["tokenId", "numbered-token"],
  ["keyFingerprint", "key"],
  ["keyId", "numbered-key"],
  ["sessionId", "session"],
  ["stamp", "stamped-user"],
  ["userId", "user"],
];

function kindOfWho(who: Who): WhoKind {
  return whoKinds.find(([field]) => who[field] !== undefined)?.[1] ?? "nobody";
}

function kindOfTarget(target: Target): TargetKind {
  if (target.repositoryId !== undefined) {
    return "numbered-repository";
  }
  if (target.teamId !== undefined) {
    return "team";
  }
  if (target.ownerId !== undefined) {
    return "numbered-owner";
  }
  if (target.teamName !== undefined) {
    return "named-team";
  }
  return target.ownerName === undefined
    ? "nothing"
    : target.repositoryName === undefined
      ? "owner"
      : "named-repository";
}

const rememberedActors = 10_000;

/** Users as the query names them: by id, with the versions of their two rows. */
function rememberedUsers(db: Database): RememberedRows<Actor> {
  const { passwordHash: _hash, ownerId: _owner, ...accountColumns } = getTableColumns(account);
  const query = db
    .select({
      version: sql<string>`${versionOf(owner)} || ' ' || ${versionOf(account)}`,
      owner: getTableColumns(owner),
      account: accountColumns,
    })
    .from(owner)
    .innerJoin(account, eq(account.ownerId, owner.id))
    .where(sql`${owner.id} = any(${sql.placeholder("ids")}::bigint[])`)
    .prepare("actor_version");
  return new RememberedRows<Actor>(async (ids, tx) => {
    const found = await within(query, tx).execute({ ids: [...ids] });
    return found.map((each) => ({
      id: each.owner.id,
      version: each.version,
      row: { ...each.owner, ...each.account },
    }));
  }, rememberedActors);
}

/** Requests that share a query at most. */
const sharedAtMost = 100;

type Inputs = Partial<Record<InputName, string | number>>;
type Row = Awaited<ReturnType<ReturnType<typeof prepareSubjectQuery>["execute"]>>[number];

/** A name as it is stored. One that cannot be stored becomes the name of nothing, so that it fails nobody's query. */
function lowerName(name: string | undefined): string | undefined {
  return name === undefined || (name.isWellFormed() && !name.includes("\0")) ? name?.toLowerCase() : "";
}

function inputsOf(who: Who, target: Target): Inputs {
  const { tokenHash, ...shown } = who;
  const inputs = {
    ...shown,
    ...target,
    tokenHash: tokenHash === undefined ? undefined : Buffer.from(tokenHash).toString("hex"),
    ownerName: lowerName(target.ownerName),
    repositoryName: lowerName(target.repositoryName),
    teamName: lowerName(target.teamName),
  };
  return inputs as Inputs;
}

/** The queries for one kind of credential and target. Requests that come in one turn of the event loop share one. */
function prepareFindRow(db: Database, whoKind: WhoKind, targetKind: TargetKind) {
  const one = prepareSubjectQuery(db, whoKind, targetKind, false);
  const several = prepareSubjectQuery(db, whoKind, targetKind, true);
  const alone = async (inputs: Inputs, tx?: Transaction): Promise<Row | undefined> =>
    (await within(one, tx).execute(inputs))[0];
  const shared = batchByTurn(async (asked: readonly Inputs[]) => {
    const [first] = asked;
    if (asked.length === 1 && first !== undefined) {
      return [await alone(first)];
    }
    const rows = await several.execute({ inputs: JSON.stringify(asked.map((inputs, n) => ({ n, ...inputs }))) });
    const byNumber: (Row | undefined)[] = asked.map(() => undefined);
    for (const row of rows) {
      byNumber[row.n] = row;
    }
    return byNumber;
  }, sharedAtMost);
  return (inputs: Inputs, tx?: Transaction) => (tx === undefined ? shared(inputs) : alone(inputs, tx));
}

/**
 * Prepares the queries that every request begins with: token, account, owner, repository and the access of the one to
 * the other, in one round trip, which requests of one turn of the event loop share. It answers ids and versions; the rows
 * behind them are remembered by version, because sending and reading their hundred columns costs more than finding them.
 */
export function prepareFindSubject(db: Database): FindSubject {
  const prepared = new Map<string, ReturnType<typeof prepareFindRow>>();
  const { owners, repositories } = memoryOf(db, null);
  const actors = rememberedUsers(db);

  return async (who, target, tx) => {
    const [whoKind, targetKind] = [kindOfWho(who), kindOfTarget(target)];
    if (whoKind === "nobody" && targetKind === "nothing") {
      return nothing;
    }
    const key = `${whoKind} ${targetKind}`;
    const findRow = prepared.get(key) ?? prepareFindRow(db, whoKind, targetKind);
    prepared.set(key, findRow);
    const row = await findRow(inputsOf(who, target), tx);
    if (row === undefined) {
      return nothing;
    }
    const actor = row.actorId === null ? null : await actors.find(row.actorId, row.actorVersion, tx);
    // A row that the caller may not know of is not read, so that the answer takes no longer than for an absent one.
    const mode = highestMode(row);
    const found =
      row.ownerId === null || !(row.visible || mode > 0) ? null : await owners.find(row.ownerId, row.ownerVersion, tx);
    const repo =
      row.repositoryId === null || found === null || mode === 0 || !row.reached
        ? null
        : await repositories.find(row.repositoryId, row.repositoryVersion, tx);
    const { tokenId, keyId } = row;
    return {
      actor,
      token:
        tokenId === null || actor === null
          ? null
          : {
              id: tokenId,
              scopes: parseScopes(row.tokenScopes ?? [], {
                isAdmin: actor.isAdmin,
                restricted: row.tokenRestricted === true,
              }),
            },
      key:
        keyId === null || (actor === null && (row.keyUserId !== null || !row.keyDeploys))
          ? null
          : { id: keyId, deployKey: deployKeyOf(row) },
      sessionState: actor === null ? null : row.sessionState,
      owner: found && {
        owner: found,
        visible: row.visible,
        membership: row.membership,
        createsRepositories: row.createsRepositories,
        packageMode: row.packageMode ?? 0,
        blocked: row.blocked,
        team: row.teamId === null ? null : { id: row.teamId, isMember: row.isTeamMember },
      },
      repository: found && repo && accessWith(keyId !== null && actor === null, repo, found, row),
    };
  };
}

function deployKeyOf({
  deployKeyId: id,
  deployKeyReadOnly: readOnly,
}: {
  deployKeyId: number | null;
  deployKeyReadOnly: boolean | null;
}): FoundKey["deployKey"] {
  return id === null ? null : { id, readOnly: readOnly === true };
}

/** A deploy key has access to the code unit only. */
function accessWith(
  isDeployKey: boolean,
  repo: RepositoryRow,
  of: OwnerRow,
  row: FoundModes & { [Name in keyof RepositoryCounts]: RepositoryCounts[Name] | null },
): RepositoryAccess {
  const counts = {
    gitBytes: row.gitBytes ?? 0,
    lfsBytes: row.lfsBytes ?? 0,
    stars: row.stars ?? 0,
    watchers: row.watchers ?? 0,
    releases: row.releases ?? 0,
    transfers: row.transfers ?? 0,
    forks: row.forks ?? 0,
    openIssues: row.openIssues ?? 0,
    openPulls: row.openPulls ?? 0,
    language: row.language ?? "",
  };
  return repositoryAccess(
    repo,
    of,
    counts,
    isDeployKey ? { everyUnit: 0, teamUnits: { code: row.everyUnit }, blocked: false } : row,
  );
}

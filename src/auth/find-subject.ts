import { aliasedTable, and, eq, getTableColumns, sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { accessToken, account, owner } from "../db/schema/owners.ts";
import { repository } from "../db/schema/repositories.ts";
import { accessModeSql, createsRepositoriesSql, membershipSql, ownerVisibleSql } from "./access-sql.ts";
import { parseScopes } from "./scopes.ts";
import type { Actor, OwnerAccess, RepositoryAccess } from "./subject.ts";

/** Who: the hash of a token, or the id of a user whose password or proxy was accepted, or nobody. */
export interface Who {
  tokenHash?: Uint8Array;
  userId?: number;
}

/** What is asked about: an owner by name, a repository by owner and name, a repository by id, or nothing. */
export interface Target {
  ownerName?: string;
  repositoryName?: string;
  repositoryId?: number;
}

/** The row of the one query, read into its parts. `token` null with a token hash asked for: no such token. */
export interface FoundSubject {
  actor: Actor | null;
  token: { id: number; scopes: ReturnType<typeof parseScopes> } | null;
  owner: OwnerAccess | null;
  repository: RepositoryAccess | null;
}

export type FindSubject = (who: Who, target: Target) => Promise<FoundSubject>;

/**
 * Prepares the query that every request begins with: token, account, owner, repository and the access of the one to
 * the other, in one round trip.
 */
export function prepareFindSubject(db: Database): FindSubject {
  const self = aliasedTable(owner, "self");
  const { passwordHash: _hash, ownerId: _owner, ...accountColumns } = getTableColumns(account);
  const viewer = {
    id: sql`${self.id}`,
    isAdmin: sql`coalesce(${account.isAdmin}, false)`,
    restricted: sql`coalesce(${account.restricted}, false)`,
  };
  const query = db
    .select({
      self: getTableColumns(self),
      account: accountColumns,
      token: { id: accessToken.id, scopes: accessToken.scopes },
      owner: getTableColumns(owner),
      repository: getTableColumns(repository),
      mode: accessModeSql(viewer).mapWith(Number),
      visible: ownerVisibleSql(viewer),
      membership: membershipSql(viewer),
      createsRepositories: createsRepositoriesSql(viewer),
    })
    .from(sql`(values (1)) as one (n)`)
    .leftJoin(
      accessToken,
      and(eq(accessToken.hash, sql`${sql.placeholder("tokenHash")}::bytea`), sql`(${accessToken.expiresAt} is null or ${accessToken.expiresAt} > now())`),
    )
    .leftJoin(
      account,
      and(
        eq(account.ownerId, sql`coalesce(${accessToken.userId}, ${sql.placeholder("userId")}::bigint)`),
        eq(account.active, true),
        eq(account.suspended, false),
      ),
    )
    .leftJoin(self, eq(self.id, account.ownerId))
    .leftJoin(
      repository,
      sql`${repository.id} = ${sql.placeholder("repositoryId")}::bigint or (${repository.lowerName} = ${sql.placeholder("repositoryName")}::text
        and ${repository.ownerId} = (select named.id from ${owner} named where named.lower_name = ${sql.placeholder("ownerName")}::text))`,
    )
    .leftJoin(owner, sql`${owner.lowerName} = ${sql.placeholder("ownerName")}::text or ${owner.id} = ${repository.ownerId}`)
    .prepare("find_subject");

  return async (who, target) => {
    const [row] = await query.execute({
      tokenHash: who.tokenHash ?? null,
      userId: who.userId ?? null,
      ownerName: target.ownerName?.toLowerCase() ?? null,
      repositoryName: target.repositoryName?.toLowerCase() ?? null,
      repositoryId: target.repositoryId ?? null,
    });
    if (row === undefined) {
      return { actor: null, token: null, owner: null, repository: null };
    }
    return {
      actor: row.self && row.account ? { ...row.self, ...row.account } : null,
      token: row.token && row.account ? { id: row.token.id, scopes: parseScopes(row.token.scopes) } : null,
      owner: row.owner ? { owner: row.owner, visible: row.visible, membership: row.membership, createsRepositories: row.createsRepositories } : null,
      repository: row.owner && row.repository ? { repository: row.repository, owner: row.owner, mode: row.mode } : null,
    };
  };
}

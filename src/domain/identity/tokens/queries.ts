import { and, count, desc, eq, inArray, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { repositoryVisibleSql } from "../../../auth/access-sql.ts";
import { accessTokenRepository } from "../../../db/schema/credentials.ts";
import { oauthAccessToken } from "../../../db/schema/oauth.ts";
import { accessToken, account, owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";

/** Tokens of applications go with the user's consent, and are not in the user's list. */
const notOfApplications = sql`not exists (select 1 from ${oauthAccessToken} where ${oauthAccessToken.tokenId} = ${accessToken.id})`;

export type AccessTokenRow = typeof accessToken.$inferSelect;

export async function insertAccessToken(
  tx: Transaction,
  token: typeof accessToken.$inferInsert,
): Promise<AccessTokenRow> {
  const [row] = await tx.insert(accessToken).values(token).returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

/** The viewer is the token's user, as their account is now. */
const asUser = {
  id: sql`${account.ownerId}`,
  isAdmin: sql`${account.isAdmin}`,
  restricted: sql`${account.restricted}`,
};
const fullName = sql<string>`(${owner.name} || '/' || ${repository.name})`;

/** A page of a user's own tokens, newest first, with the names of the repositories that each is restricted to, as far as the user may still know them; and how many there are in all. */
export async function listAccessTokens(
  db: Reader,
  userId: number,
  page: { size: number; offset: number },
): Promise<{ rows: { row: AccessTokenRow; repositories: string[] | null }[]; total: number }> {
  const mine = and(eq(accessToken.userId, userId), notOfApplications);
  const [total] = await db.select({ value: count() }).from(accessToken).where(mine);
  const rows = await db
    .select()
    .from(accessToken)
    .where(mine)
    .orderBy(desc(accessToken.id))
    .limit(page.size)
    .offset(page.offset);
  const names = await namesOfRepositories(
    db,
    rows.filter(({ restricted }) => restricted).map(({ id }) => id),
  );
  return {
    rows: rows.map((row) => ({ row, repositories: row.restricted ? (names.get(row.id) ?? []) : null })),
    total: total?.value ?? 0,
  };
}

async function namesOfRepositories(db: Reader, tokenIds: readonly number[]): Promise<Map<number, string[]>> {
  const names = new Map<number, string[]>();
  if (tokenIds.length === 0) {
    return names;
  }
  const rows = await db
    .select({ tokenId: accessTokenRepository.tokenId, fullName })
    .from(accessTokenRepository)
    .innerJoin(accessToken, eq(accessToken.id, accessTokenRepository.tokenId))
    .innerJoin(account, eq(account.ownerId, accessToken.userId))
    .innerJoin(repository, eq(repository.id, accessTokenRepository.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(and(inArray(accessToken.id, [...tokenIds]), repositoryVisibleSql(asUser)))
    .orderBy(fullName);
  for (const { tokenId, fullName: name } of rows) {
    names.set(tokenId, [...(names.get(tokenId) ?? []), name]);
  }
  return names;
}

/** How many tokens of their own a user has. */
export async function countAccessTokens(db: Reader, userId: number): Promise<number> {
  const [row] = await db
    .select({ value: count() })
    .from(accessToken)
    .where(and(eq(accessToken.userId, userId), notOfApplications));
  return row?.value ?? 0;
}

/** The repositories of these names, `owner/name` in lower case, that the user may know of; ordered by name. */
export async function findRepositoriesNamed(
  db: Reader,
  userId: number,
  names: readonly string[],
): Promise<{ id: number; fullName: string }[]> {
  return db
    .select({ id: repository.id, fullName })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .innerJoin(account, eq(account.ownerId, userId))
    .where(
      and(
        sql`(${owner.lowerName} || '/' || ${repository.lowerName}) = any(${sql.param([...names])}::text[])`,
        repositoryVisibleSql(asUser),
      ),
    )
    .orderBy(sql`2`);
}

export async function insertTokenRepositories(
  tx: Transaction,
  tokenId: number,
  repositories: readonly { id: number }[],
): Promise<void> {
  if (repositories.length > 0) {
    await tx.insert(accessTokenRepository).values(repositories.map(({ id }) => ({ tokenId, repositoryId: id })));
  }
}

/**
 * The user's tokens that have this id or name, at most two: names may be digits. The one with the id comes first.
 */
export async function findTokensByIdOrName(
  db: Reader,
  userId: number,
  idOrName: string,
): Promise<{ id: number; name: string }[]> {
  const id = /^\d{1,15}$/.test(idOrName) ? Number(idOrName) : null;
  return db
    .select({ id: accessToken.id, name: accessToken.name })
    .from(accessToken)
    .where(
      and(
        eq(accessToken.userId, userId),
        notOfApplications,
        sql`(${accessToken.id} = ${id}::bigint or ${accessToken.name} = ${idOrName})`,
      ),
    )
    .orderBy(sql`(${accessToken.id} = ${id}::bigint) desc nulls last`);
}

export async function removeAccessToken(tx: Transaction, id: number): Promise<void> {
  await tx.delete(accessToken).where(eq(accessToken.id, id));
}

import { and, asc, count, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { emailAddress } from "../../../db/schema/credentials.ts";
import {
  oauthAccessToken,
  oauthApplication,
  oauthCode,
  oauthGrant,
  oauthRefreshToken,
} from "../../../db/schema/oauth.ts";
import { accessToken, owner, team, teamMember } from "../../../db/schema/owners.ts";
import { defaultApplications, type DefaultApplication } from "./default-applications.ts";

export type ApplicationRow = typeof oauthApplication.$inferSelect;
export type GrantRow = typeof oauthGrant.$inferSelect;
export type CodeRow = typeof oauthCode.$inferSelect;
export type RefreshTokenRow = typeof oauthRefreshToken.$inferSelect;

/** A grant with the application that it was given to. */
export interface GrantOf {
  grant: GrantRow;
  application: ApplicationRow;
}

/** An application that users registered, or one of these default ones. */
export async function findApplication(
  db: Reader,
  clientId: string,
  defaults: readonly DefaultApplication[],
): Promise<ApplicationRow | null> {
  const [row] = await db.select().from(oauthApplication).where(eq(oauthApplication.clientId, clientId));
  const isOff = row?.userId === null && !defaults.some((name) => defaultApplications[name] === clientId);
  return isOff ? null : (row ?? null);
}

export async function findGrant(db: Reader, applicationId: number, userId: number): Promise<GrantRow | null> {
  const [row] = await db
    .select()
    .from(oauthGrant)
    .where(and(eq(oauthGrant.applicationId, applicationId), eq(oauthGrant.userId, userId)));
  return row ?? null;
}

/** Lists the grants of a user, in the order of the applications' names. */
export async function listGrants(db: Reader, userId: number): Promise<GrantOf[]> {
  return db
    .select({ grant: oauthGrant, application: oauthApplication })
    .from(oauthGrant)
    .innerJoin(oauthApplication, eq(oauthApplication.id, oauthGrant.applicationId))
    .where(eq(oauthGrant.userId, userId))
    .orderBy(asc(oauthApplication.name), asc(oauthGrant.id));
}

/** Notes that a user agrees to an application's doing this, in place of what they agreed to before. */
export async function putGrant(
  tx: Transaction,
  applicationId: number,
  userId: number,
  scopes: readonly string[],
): Promise<GrantRow> {
  const [row] = await tx
    .insert(oauthGrant)
    .values({ applicationId, userId, scopes: [...scopes] })
    .onConflictDoUpdate({
      target: [oauthGrant.applicationId, oauthGrant.userId],
      set: { scopes: [...scopes], updatedAt: sql`now()` },
    })
    .returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

/** The different scopes of the codes and tokens that were given by a grant. */
export async function listGrantedScopes(tx: Transaction, grantId: number): Promise<string[][]> {
  const rows = await tx.execute<{ scopes: string[] }>(sql`
    select scopes from ${oauthCode} where grant_id = ${grantId}
    union select scopes from ${oauthRefreshToken} where grant_id = ${grantId}
    union select ${accessToken.scopes} from ${accessToken} join ${oauthAccessToken} on ${oauthAccessToken.tokenId} = ${accessToken.id}
      where ${oauthAccessToken.grantId} = ${grantId}`);
  return rows.map(({ scopes }) => scopes);
}

/** Ends the codes and tokens of a grant that have exactly these scopes. */
export async function deleteGrantedWith(tx: Transaction, grantId: number, scopes: readonly string[]): Promise<void> {
  const these = [...scopes];
  await tx.delete(oauthCode).where(and(eq(oauthCode.grantId, grantId), eq(oauthCode.scopes, these)));
  await tx
    .delete(oauthRefreshToken)
    .where(and(eq(oauthRefreshToken.grantId, grantId), eq(oauthRefreshToken.scopes, these)));
  await tx
    .delete(accessToken)
    .where(
      and(
        eq(accessToken.scopes, these),
        inArray(
          accessToken.id,
          tx
            .select({ id: oauthAccessToken.tokenId })
            .from(oauthAccessToken)
            .where(eq(oauthAccessToken.grantId, grantId)),
        ),
      ),
    );
}

/** Takes back a user's own grant, if there is one, and with it every token. */
export async function deleteGrant(tx: Transaction, userId: number, id: number): Promise<void> {
  await tx.delete(oauthGrant).where(and(eq(oauthGrant.id, id), eq(oauthGrant.userId, userId)));
}

export async function insertCode(tx: Transaction, row: typeof oauthCode.$inferInsert): Promise<void> {
  await tx.insert(oauthCode).values(row);
}

/** A code with its grant, locked until the transaction ends, used or not; null for none and for one of another application. */
export async function lockCode(
  tx: Transaction,
  applicationId: number,
  hash: Uint8Array,
): Promise<{ code: CodeRow; grant: GrantRow } | null> {
  const [row] = await tx
    .select({ code: oauthCode, grant: oauthGrant })
    .from(oauthCode)
    .innerJoin(oauthGrant, eq(oauthGrant.id, oauthCode.grantId))
    .where(and(eq(oauthCode.hash, hash), eq(oauthGrant.applicationId, applicationId)))
    .for("update");
  return row ?? null;
}

export async function markCodeUsed(tx: Transaction, hash: Uint8Array): Promise<void> {
  await tx
    .update(oauthCode)
    .set({ usedAt: sql`now()` })
    .where(and(eq(oauthCode.hash, hash), isNull(oauthCode.usedAt)));
}

export async function insertRefreshToken(tx: Transaction, row: typeof oauthRefreshToken.$inferInsert): Promise<void> {
  await tx.insert(oauthRefreshToken).values(row);
}

/** Like `lockCode`. */
export async function lockRefreshToken(
  tx: Transaction,
  applicationId: number,
  hash: Uint8Array,
): Promise<{ token: RefreshTokenRow; grant: GrantRow } | null> {
  const [row] = await tx
    .select({ token: oauthRefreshToken, grant: oauthGrant })
    .from(oauthRefreshToken)
    .innerJoin(oauthGrant, eq(oauthGrant.id, oauthRefreshToken.grantId))
    .where(and(eq(oauthRefreshToken.hash, hash), eq(oauthGrant.applicationId, applicationId)))
    .for("update");
  return row ?? null;
}

export async function markRefreshTokenUsed(tx: Transaction, hash: Uint8Array): Promise<void> {
  await tx
    .update(oauthRefreshToken)
    .set({ usedAt: sql`now()` })
    .where(eq(oauthRefreshToken.hash, hash));
}

/** Gives a grant an access token; the token is the user's, and goes with the grant. */
export async function insertGrantToken(
  tx: Transaction,
  grantId: number,
  token: typeof accessToken.$inferInsert,
): Promise<void> {
  const [row] = await tx.insert(accessToken).values(token).returning({ id: accessToken.id });
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  await tx.insert(oauthAccessToken).values({ tokenId: row.id, grantId });
}

/** Removes codes and tokens that have expired. Used ones stay until then, and codes for a day more, so that a second use is noticed. */
export async function deleteExpiredGranted(tx: Transaction): Promise<void> {
  await tx.delete(oauthCode).where(sql`${oauthCode.expiresAt} < now() - interval '1 day'`);
  await tx.delete(oauthRefreshToken).where(sql`${oauthRefreshToken.expiresAt} < now()`);
  await tx.execute(sql`delete from ${accessToken} using ${oauthAccessToken}
    where ${oauthAccessToken.tokenId} = ${accessToken.id} and ${accessToken.expiresAt} < now()`);
}

/** A valid access token of an application, with whose it is; null for any other. */
export async function findGrantToken(
  db: Reader,
  applicationId: number,
  hash: Uint8Array,
): Promise<{ userId: number; userName: string; scopes: string[]; expiresAt: Date | null } | null> {
  const [row] = await db
    .select({ userId: owner.id, userName: owner.name, scopes: accessToken.scopes, expiresAt: accessToken.expiresAt })
    .from(accessToken)
    .innerJoin(oauthAccessToken, eq(oauthAccessToken.tokenId, accessToken.id))
    .innerJoin(oauthGrant, eq(oauthGrant.id, oauthAccessToken.grantId))
    .innerJoin(owner, eq(owner.id, accessToken.userId))
    .where(
      and(
        eq(accessToken.hash, hash),
        eq(oauthGrant.applicationId, applicationId),
        sql`${accessToken.expiresAt} > now()`,
      ),
    );
  return row ?? null;
}

/** The scopes that a token has, as they are stored. */
export async function findTokenScopes(db: Reader, tokenId: number): Promise<string[]> {
  const [row] = await db.select({ scopes: accessToken.scopes }).from(accessToken).where(eq(accessToken.id, tokenId));
  return row?.scopes ?? [];
}

/** The organizations and teams of a user, as `organization` and `organization:team`; all, or of public organizations. */
export async function listGroups(db: Reader, userId: number, publicOnly: boolean): Promise<string[]> {
  const rows = await db
    .select({ organization: owner.name, team: team.name })
    .from(teamMember)
    .innerJoin(team, eq(team.id, teamMember.teamId))
    .innerJoin(owner, eq(owner.id, team.organizationId))
    .where(and(eq(teamMember.userId, userId), publicOnly ? eq(owner.visibility, "public") : undefined))
    .orderBy(asc(owner.lowerName), asc(team.lowerName));
  return [...new Set(rows.flatMap(({ organization, team: name }) => [organization, `${organization}:${name}`]))];
}

/** Whether a user's primary address was seen to be theirs. */
export async function hasVerifiedEmail(db: Reader, userId: number): Promise<boolean> {
  const [row] = await db
    .select({ value: count() })
    .from(emailAddress)
    .where(and(eq(emailAddress.userId, userId), eq(emailAddress.primary, true), eq(emailAddress.verified, true)));
  return (row?.value ?? 0) > 0;
}

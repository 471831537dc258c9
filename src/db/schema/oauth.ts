import { sql } from "drizzle-orm";
import { boolean, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigintNumber, bytea, bytewiseText, id, instant } from "./columns.ts";
import { accessToken, account } from "./owners.ts";

/** A program that lets its users sign in with their account here. */
export const oauthApplication = pgTable(
  "oauth_application",
  {
    id: id().primaryKey(),
    /** The user who registered it. null: it is one of the default applications (`domain/identity/oauth/default-applications.ts`). */
    userId: bigintNumber().references(() => account.ownerId, { onDelete: "cascade" }),
    name: text().notNull(),
    clientId: bytewiseText().notNull(),
    /** SHA-256 of the secret. A client that is not confidential proves itself by PKCE alone. */
    clientSecretHash: bytea().notNull(),
    confidential: boolean().notNull().default(true),
    redirectUris: text().array().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("oauth_application_client_id").on(table.clientId),
    index("oauth_application_user").on(table.userId, table.id),
  ],
);

/** A user's consent that an application acts for them. Revoking it takes every token with it. */
export const oauthGrant = pgTable(
  "oauth_grant",
  {
    id: id().primaryKey(),
    applicationId: bigintNumber()
      .notNull()
      .references(() => oauthApplication.id, { onDelete: "cascade" }),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    scopes: text().array().notNull(),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("oauth_grant_application_user").on(table.applicationId, table.userId),
    index("oauth_grant_user").on(table.userId),
  ],
);

/** An authorization code: good once, for minutes. The row stays until it expires, so that a second use is noticed. */
export const oauthCode = pgTable(
  "oauth_code",
  {
    /** SHA-256 of the code. */
    hash: bytea().primaryKey(),
    grantId: bigintNumber()
      .notNull()
      .references(() => oauthGrant.id, { onDelete: "cascade" }),
    redirectUri: text().notNull(),
    /** The code challenge of PKCE, method S256. */
    codeChallenge: text().notNull(),
    nonce: text().notNull().default(""),
    scopes: text()
      .array()
      .notNull()
      .default(sql`'{}'`),
    usedAt: instant(),
    expiresAt: instant().notNull(),
  },
  (table) => [index("oauth_code_grant").on(table.grantId), index("oauth_code_expires").on(table.expiresAt)],
);

/** A refresh token: good once, and answered with the next. A second use revokes the grant. */
export const oauthRefreshToken = pgTable(
  "oauth_refresh_token",
  {
    /** SHA-256 of the token. */
    hash: bytea().primaryKey(),
    grantId: bigintNumber()
      .notNull()
      .references(() => oauthGrant.id, { onDelete: "cascade" }),
    scopes: text().array().notNull(),
    usedAt: instant(),
    expiresAt: instant().notNull(),
  },
  (table) => [
    index("oauth_refresh_token_grant").on(table.grantId),
    index("oauth_refresh_token_expires").on(table.expiresAt),
  ],
);

/** The access tokens that were issued to an application: not in the user's own list, and gone with the grant. */
export const oauthAccessToken = pgTable(
  "oauth_access_token",
  {
    tokenId: bigintNumber()
      .primaryKey()
      .references(() => accessToken.id, { onDelete: "cascade" }),
    grantId: bigintNumber()
      .notNull()
      .references(() => oauthGrant.id, { onDelete: "cascade" }),
  },
  (table) => [index("oauth_access_token_grant").on(table.grantId)],
);

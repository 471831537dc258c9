import { sql } from "drizzle-orm";
import { boolean, check, index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigintNumber, bytea, bytewiseText, id, instant } from "./columns.ts";
import { accessToken, account } from "./owners.ts";
import { repository } from "./repositories.ts";

/** The repositories of a token that is restricted to some. */
export const accessTokenRepository = pgTable(
  "access_token_repository",
  {
    tokenId: bigintNumber()
      .notNull()
      .references(() => accessToken.id, { onDelete: "cascade" }),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.tokenId, table.repositoryId] }),
    index("access_token_repository_repository").on(table.repositoryId),
  ],
);

/** The addresses of users. The primary one also stands in `owner.email`, where whatever shows a user finds it. */
export const emailAddress = pgTable(
  "email_address",
  {
    id: id().primaryKey(),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    email: text().notNull(),
    lowerEmail: bytewiseText().notNull(),
    /** The user was seen to receive mail there, or an administrator vouched for it. */
    verified: boolean().notNull().default(false),
    primary: boolean().notNull().default(false),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("email_address_user_email").on(table.userId, table.lowerEmail),
    uniqueIndex("email_address_verified")
      .on(table.lowerEmail)
      .where(sql`${table.verified}`),
    uniqueIndex("email_address_primary")
      .on(table.userId)
      .where(sql`${table.primary}`),
    index("email_address_email").on(table.lowerEmail),
  ],
);

export const mailTokenPurposes = ["verify-email", "reset-password"] as const;

/** Tokens in links of mails. Each works once, for a limited time. */
export const mailToken = pgTable(
  "mail_token",
  {
    /** SHA-256 of the token. */
    hash: bytea().primaryKey(),
    purpose: text({ enum: mailTokenPurposes }).notNull(),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    /** The address that is verified by it. */
    emailId: bigintNumber().references(() => emailAddress.id, { onDelete: "cascade" }),
    createdAt: instant().notNull().defaultNow(),
    expiresAt: instant().notNull(),
  },
  (table) => [
    index("mail_token_user").on(table.userId, table.purpose),
    check("mail_token_purpose", sql`${table.purpose} in ('verify-email', 'reset-password')`),
  ],
);

/** The second factor of an account, RFC 6238. */
export const twoFactor = pgTable("two_factor", {
  userId: bigintNumber()
    .primaryKey()
    .references(() => account.ownerId, { onDelete: "cascade" }),
  /** The shared secret, sealed with the server's key. */
  sealedSecret: bytea().notNull(),
  /** The user has shown a first code. Until then, signing in asks for none. */
  confirmed: boolean().notNull().default(false),
  /** The time step of the last accepted code: a code of it or of an earlier one is refused. */
  lastStep: bigintNumber().notNull().default(0),
  createdAt: instant().notNull().defaultNow(),
});

/** Recovery codes that are not used yet. */
export const recoveryCode = pgTable(
  "recovery_code",
  {
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    /** SHA-256 of the code, which is random enough not to be guessed. */
    hash: bytea().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.hash] })],
);

export const sessionStates = ["second-factor", "change-password", "signed-in"] as const;
export type SessionState = (typeof sessionStates)[number];

/** A browser that signed in, or is about to. */
export const session = pgTable(
  "session",
  {
    id: id().primaryKey(),
    /** SHA-256 of what the cookie holds. */
    hash: bytea().notNull(),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    /** The step that the user still has to take before the session opens anything. */
    state: text({ enum: sessionStates }).notNull(),
    createdAt: instant().notNull().defaultNow(),
    /** Written in batches: up to a minute behind. */
    lastUsedAt: instant().notNull().defaultNow(),
    expiresAt: instant().notNull(),
    address: text().notNull().default(""),
    userAgent: text().notNull().default(""),
  },
  (table) => [
    uniqueIndex("session_hash").on(table.hash),
    index("session_user").on(table.userId),
    index("session_expires").on(table.expiresAt),
    check("session_state", sql`${table.state} in ('second-factor', 'change-password', 'signed-in')`),
  ],
);

/** OpenPGP keys with which users sign commits and tags. */
export const gpgKey = pgTable(
  "gpg_key",
  {
    id: id().primaryKey(),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    /** The last 16 hex digits of the fingerprint, upper case. */
    keyId: bytewiseText().notNull(),
    /** The fingerprint of the primary key, in upper-case hex digits. */
    fingerprint: bytewiseText().notNull(),
    /** Key ids of its subkeys: signatures name these. */
    subkeyIds: text()
      .array()
      .notNull()
      .default(sql`'{}'`),
    /** The armored public key, as it was given. */
    content: text().notNull(),
    /** The addresses in its user ids. Which of them are the user's is looked up when it is shown. */
    emails: text()
      .array()
      .notNull()
      .default(sql`'{}'`),
    /** The owner proved to have the private key, by a signature over what the server gave them. */
    verified: boolean().notNull().default(false),
    /** When the key itself was made, not when it was added. */
    keyCreatedAt: instant().notNull(),
    keyExpiresAt: instant(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("gpg_key_fingerprint").on(table.fingerprint),
    index("gpg_key_user").on(table.userId, table.id),
    index("gpg_key_key_id").on(table.keyId),
    index("gpg_key_subkey_ids").using("gin", table.subkeyIds),
  ],
);

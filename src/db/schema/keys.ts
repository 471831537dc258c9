import { sql } from "drizzle-orm";
import { boolean, check, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigintNumber, bytewiseText, id, instant } from "./columns.ts";
import { account } from "./owners.ts";
import { repository } from "./repositories.ts";

/**
 * Public SSH keys. One key belongs to one user, or to deploy keys: a connection shows nothing but its key, so the key alone
 * has to say who comes.
 */
export const sshKey = pgTable(
  "ssh_key",
  {
    id: id().primaryKey(),
    /** `SHA256:` and the unpadded base64 of the digest, as ssh-keygen prints it. */
    fingerprint: bytewiseText().notNull(),
    /** The algorithm and the base64 of the key, without the comment. */
    content: bytewiseText().notNull(),
    /** The comment of a user's key. A deploy key has a comment of its own. */
    comment: text().notNull().default(""),
    /** The user who has the key; null: deploy keys use it. */
    userId: bigintNumber().references(() => account.ownerId, { onDelete: "cascade" }),
    /** The title of a user's key; a deploy key has its own. */
    title: text().notNull().default(""),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
    /** Written in batches: up to a minute behind. */
    lastUsedAt: instant(),
  },
  (table) => [
    uniqueIndex("ssh_key_fingerprint").on(table.fingerprint),
    uniqueIndex("ssh_key_user_title").on(table.userId, table.title),
    index("ssh_key_user").on(table.userId, table.id),
    check("ssh_key_title", sql`${table.userId} is not null or ${table.title} = ''`),
  ],
);

/** A key that opens one repository. The same key may open several. */
export const deployKey = pgTable(
  "deploy_key",
  {
    id: id().primaryKey(),
    keyId: bigintNumber()
      .notNull()
      .references(() => sshKey.id, { onDelete: "cascade" }),
    repositoryId: bigintNumber()
      .notNull()
      .references(() => repository.id, { onDelete: "cascade" }),
    title: text().notNull(),
    /** The comment of the line that was sent: clients compare the whole line. */
    comment: text().notNull().default(""),
    readOnly: boolean().notNull().default(true),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
    lastUsedAt: instant(),
  },
  (table) => [
    uniqueIndex("deploy_key_repository_key").on(table.repositoryId, table.keyId),
    uniqueIndex("deploy_key_repository_title").on(table.repositoryId, table.title),
    index("deploy_key_key").on(table.keyId),
  ],
);

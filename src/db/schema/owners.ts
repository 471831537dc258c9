import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { blob } from "./blob.ts";
import { bigintNumber, bytea, bytewiseText, id, instant } from "./columns.ts";

export const ownerKinds = ["user", "organization"] as const;
export type OwnerKind = (typeof ownerKinds)[number];

export const visibilities = ["public", "limited", "private"] as const;
export type Visibility = (typeof visibilities)[number];

/** Parts of a repository that can be switched off, and that a team's rights are told for. */
export const units = ["code", "issues", "pulls", "releases", "wiki", "packages", "projects", "actions"] as const;
export type Unit = (typeof units)[number];
/** The units of which a team has permissions. Outside trackers and wikis open nothing here; clients write them and compare what they read. */
export const teamUnits = [...units, "ext_issues", "ext_wiki"] as const;
export type TeamUnit = (typeof teamUnits)[number];

/** Users and organizations: whatever can own a repository. One namespace of names. */
export const owner = pgTable(
  "owner",
  {
    id: id().primaryKey(),
    kind: text({ enum: ownerKinds }).notNull(),
    name: bytewiseText().notNull(),
    /** The name as it is looked up: names are case-insensitive. */
    lowerName: bytewiseText().notNull(),
    fullName: text().notNull().default(""),
    email: text().notNull().default(""),
    description: text().notNull().default(""),
    website: text().notNull().default(""),
    location: text().notNull().default(""),
    /** Pronouns of a user. They are here and not in `account`, because every view of an owner shows them. */
    pronouns: text().notNull().default(""),
    /** Likewise: nobody but the user and site administrators sees the e-mail address. */
    keepEmailPrivate: boolean().notNull().default(false),
    visibility: text({ enum: visibilities }).notNull().default("public"),
    repoAdminChangeTeamAccess: boolean().notNull().default(false),
    /** A setting of users. */
    keepPronounsPrivate: boolean().notNull().default(false),
    /** The uploaded picture, a blob; null: one is drawn from the name. */
    avatarSha256: bytea().references(() => blob.sha256, { onDelete: "restrict" }),
    /** Counters of users. Triggers on `follow` and `star` keep them right however a row goes. */
    followers: integer().notNull().default(0),
    following: integer().notNull().default(0),
    starred: integer().notNull().default(0),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("owner_lower_name").on(table.lowerName),
    // Lists of users and organizations are merged from the visibilities that the viewer sees.
    index("owner_listed").on(table.kind, table.visibility, table.lowerName),
    index("owner_name").on(table.kind, table.lowerName),
    index("owner_created").on(table.kind, table.createdAt, table.id),
    index("owner_updated").on(table.kind, table.updatedAt, table.id),
    index("owner_words")
      .using("gin", sql`text_grams(${table.lowerName} || E'\\n' || lower(${table.fullName}))`)
      .with({ fastupdate: false }),
    index("owner_avatar")
      .on(table.avatarSha256)
      .where(sql`${table.avatarSha256} is not null`),
    check("owner_kind", sql`${table.kind} in ('user', 'organization')`),
    check("owner_visibility", sql`${table.visibility} in ('public', 'limited', 'private')`),
  ],
);

/** The notifications that a user wants as mails: all; those that name them or are about their assignments; also their own actions; none. */
export const mailChoices = ["enabled", "onmention", "andyourown", "disabled"] as const;
export type MailChoice = (typeof mailChoices)[number];

/** The columns that only users have. */
export const account = pgTable("account", {
  ownerId: bigintNumber()
    .primaryKey()
    .references(() => owner.id, { onDelete: "cascade" }),
  /** argon2id in PHC form; null: no password signs in. */
  passwordHash: text(),
  mustChangePassword: boolean().notNull().default(false),
  isAdmin: boolean().notNull().default(false),
  active: boolean().notNull().default(true),
  suspended: boolean().notNull().default(false),
  restricted: boolean().notNull().default(false),
  language: text().notNull().default(""),
  lastSignInAt: instant(),
  /** The activities and the heatmap are shown to the user and to site administrators only. */
  keepActivityPrivate: boolean().notNull().default(false),
  theme: text().notNull().default(""),
  diffViewStyle: text().notNull().default(""),
  enableRepoUnitHints: boolean().notNull().default(true),
  mayCreateOrganizations: boolean().notNull().default(true),
  /** -1: as many as the server allows everybody. */
  maxRepositories: integer().notNull().default(-1),
  /** null: what the server does for everybody. */
  mailChoice: text({ enum: mailChoices }),
  /** Kept for administrators who sync users from elsewhere; nothing here signs in by it. */
  loginName: text().notNull().default(""),
});

/** Where a user or organization was before it was renamed: old addresses lead to it until the name is used again. */
export const ownerRedirect = pgTable(
  "owner_redirect",
  {
    lowerName: bytewiseText().primaryKey(),
    ownerId: bigintNumber()
      .notNull()
      .references(() => owner.id, { onDelete: "cascade" }),
  },
  (table) => [index("owner_redirect_owner").on(table.ownerId)],
);

export const accessToken = pgTable(
  "access_token",
  {
    id: id().primaryKey(),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
    name: text().notNull(),
    /** SHA-256 of the token: the token itself is shown once and kept nowhere. */
    hash: bytea().notNull(),
    lastEight: text().notNull(),
    scopes: text().array().notNull(),
    createdAt: instant().notNull().defaultNow(),
    expiresAt: instant(),
    /** Written in batches: up to a minute behind. */
    lastUsedAt: instant(),
    /** The token sees and touches only the repositories in `access_token_repository`, of which there may be none left. */
    restricted: boolean().notNull().default(false),
  },
  (table) => [
    uniqueIndex("access_token_hash").on(table.hash),
    uniqueIndex("access_token_user_name").on(table.userId, table.name),
  ],
);

/** Access levels, in order; the same numbers wherever access is stored or compared. */
export const accessModes = { none: 0, read: 1, write: 2, admin: 3, owner: 4 } as const;

export const team = pgTable(
  "team",
  {
    id: id().primaryKey(),
    organizationId: bigintNumber()
      .notNull()
      .references(() => owner.id, { onDelete: "cascade" }),
    name: bytewiseText().notNull(),
    lowerName: bytewiseText().notNull(),
    description: text().notNull().default(""),
    /** One of accessModes. The owners team has `owner` and exists in every organization. */
    mode: integer().notNull(),
    includesAllRepositories: boolean().notNull().default(false),
    canCreateRepositories: boolean().notNull().default(false),
  },
  (table) => [
    uniqueIndex("team_organization_name").on(table.organizationId, table.lowerName),
    check("team_mode", sql`${table.mode} between 0 and 4`),
  ],
);

export const teamMember = pgTable(
  "team_member",
  {
    teamId: bigintNumber()
      .notNull()
      .references(() => team.id, { onDelete: "cascade" }),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.userId] }), index("team_member_user").on(table.userId)],
);

/** The permission of a team in one unit of its repositories. Teams with `mode` admin or owner have all units and no rows. */
export const teamUnit = pgTable(
  "team_unit",
  {
    teamId: bigintNumber()
      .notNull()
      .references(() => team.id, { onDelete: "cascade" }),
    unit: text({ enum: teamUnits }).notNull(),
    /** One of accessModes; `none` is a row too, since clients compare what they wrote. */
    mode: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.unit] }),
    check("team_unit_mode", sql`${table.mode} between 0 and 2`),
  ],
);

/** Members of organizations who let everybody know it. Others are concealed. */
export const publicMember = pgTable(
  "public_member",
  {
    organizationId: bigintNumber()
      .notNull()
      .references(() => owner.id, { onDelete: "cascade" }),
    userId: bigintNumber()
      .notNull()
      .references(() => account.ownerId, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.userId] }),
    index("public_member_user").on(table.userId),
  ],
);

import { Type, type Static, type TProperties } from "typebox";
import { choice } from "../../../lib/schema.ts";

const closed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

const SeedToken = closed({
  name: Type.String({ minLength: 1 }),
  /** Absent: generated. */
  value: Type.Optional(Type.String({ pattern: "^[!-~]{1,255}$" })),
  scopes: Type.Array(Type.String(), { minItems: 1 }),
});

const SeedUser = closed({
  username: Type.String(),
  /** Absent: generated. */
  password: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  admin: Type.Optional(Type.Boolean()),
  tokens: Type.Optional(Type.Array(SeedToken)),
});

const SeedOrganization = closed({ name: Type.String(), owner: Type.String() });

const SeedCommit = closed({
  message: Type.String({ minLength: 1 }),
  /** Whole texts by path; what earlier commits wrote stays. */
  files: Type.Record(Type.String(), Type.String()),
});

const SeedRepository = closed({
  owner: Type.String(),
  name: Type.String(),
  private: Type.Optional(Type.Boolean()),
  default_branch: Type.Optional(Type.String({ minLength: 1 })),
  /** On the default branch, after what the bundle brings. */
  commits: Type.Optional(Type.Array(SeedCommit)),
  /** Path of a git bundle; relative to the seed's file, or to the working directory for a seed on the command line. */
  bundle: Type.Optional(Type.String({ minLength: 1 })),
});

/** `owner/name` */
const FullName = Type.String({ pattern: "^[^/]+/[^/]+$" });
/** No half of a surrogate pair is meant here: what no database holds is NUL. */
const text = (maxLength: number) => Type.String({ maxLength, pattern: "^[^\\u0000]*$" });
const Instant = Type.String({
  pattern: "^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:\\d\\d))?$",
});
const longestText = 1_000_000;

/** A label of a repository or of an organization. */
const SeedLabel = closed({
  repository: Type.Optional(FullName),
  organization: Type.Optional(Type.String()),
  name: Type.String({ maxLength: 255, pattern: "^[^\\p{Cc}\\s]([^\\p{Cc}]*[^\\p{Cc}\\s])?$" }),
  color: Type.String({ pattern: "^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$" }),
  description: Type.Optional(text(1000)),
  exclusive: Type.Optional(Type.Boolean()),
});

const SeedMilestone = closed({
  repository: FullName,
  title: Type.String({ maxLength: 255, pattern: "^[^\\p{Cc}\\s]([^\\p{Cc}]*[^\\p{Cc}\\s])?$" }),
  description: Type.Optional(text(100_000)),
  due_date: Type.Optional(Instant),
  state: Type.Optional(choice(["open", "closed"])),
});

const SeedComment = closed({
  body: text(longestText),
  /** Absent: the issue's. */
  author: Type.Optional(Type.String()),
  /** Absent: now. */
  created_at: Type.Optional(Instant),
});

const SeedIssue = closed({
  repository: FullName,
  /** Absent: one more than that of the issue of the same repository before it, from 1. */
  number: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
  title: text(longestText),
  body: Type.Optional(text(longestText)),
  /** Absent: the owner of the repository, or the first owner of the organization. */
  author: Type.Optional(Type.String()),
  state: Type.Optional(choice(["open", "closed"])),
  locked: Type.Optional(Type.Boolean()),
  /** Names. */
  labels: Type.Optional(Type.Array(Type.String())),
  assignees: Type.Optional(Type.Array(Type.String())),
  /** A title. */
  milestone: Type.Optional(Type.String()),
  due_date: Type.Optional(Instant),
  ref: Type.Optional(text(1000)),
  /** Absent: now. */
  created_at: Type.Optional(Instant),
  closed_at: Type.Optional(Instant),
  comments: Type.Optional(Type.Array(SeedComment)),
});

/** The content of a seed, for the start of a server or later. Unknown keys are errors. */
export const Seed = closed({
  users: Type.Optional(Type.Array(SeedUser)),
  organizations: Type.Optional(Type.Array(SeedOrganization)),
  repositories: Type.Optional(Type.Array(SeedRepository)),
  labels: Type.Optional(Type.Array(SeedLabel)),
  milestones: Type.Optional(Type.Array(SeedMilestone)),
  issues: Type.Optional(Type.Array(SeedIssue)),
});

export type Seed = Static<typeof Seed>;
export type SeedUser = Static<typeof SeedUser>;
export type SeedOrganization = Static<typeof SeedOrganization>;
export type SeedLabel = Static<typeof SeedLabel>;
export type SeedMilestone = Static<typeof SeedMilestone>;
export type SeedIssue = Static<typeof SeedIssue>;
export type SeedCommit = Static<typeof SeedCommit>;
export type SeedRepository = Static<typeof SeedRepository>;

/** Without a seed: one administrator, with a token that may do everything. */
export const defaultSeed: Seed = {
  users: [{ username: "root", admin: true, tokens: [{ name: "root", scopes: ["all"] }] }],
};

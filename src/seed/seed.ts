import { Type, type Static, type TProperties } from "typebox";

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

/** What a throw-away server has from the start. Unknown keys are errors. */
export const Seed = closed({
  users: Type.Optional(Type.Array(SeedUser)),
  organizations: Type.Optional(Type.Array(SeedOrganization)),
  repositories: Type.Optional(Type.Array(SeedRepository)),
});

export type Seed = Static<typeof Seed>;
export type SeedUser = Static<typeof SeedUser>;
export type SeedCommit = Static<typeof SeedCommit>;
export type SeedRepository = Static<typeof SeedRepository>;

/** Without a seed: one administrator, with a token that may do everything. */
export const defaultSeed: Seed = {
  users: [{ username: "root", admin: true, tokens: [{ name: "root", scopes: ["all"] }] }],
};

import type { account, owner } from "../db/schema/owners.ts";
import type { repository } from "../db/schema/repositories.ts";
import type { ScopeSet } from "./scopes.ts";
import type { UnitModes } from "./unit-modes.ts";

export type OwnerRow = typeof owner.$inferSelect;
export type RepositoryRow = typeof repository.$inferSelect;

/** A signed-in user: what the owner and account rows say, without the password. */
export type Actor = OwnerRow & Omit<typeof account.$inferSelect, "passwordHash" | "ownerId">;

/**
 * How somebody proved who they are. It is the actor's own credential, or that of the site administrator who acts as the
 * actor (sudo).
 */
export type Credential =
  | { kind: "none" }
  /** `stamp` changes with the password and the second factor (`sign-in-stamp.ts`). */
  | { kind: "password"; userId: number; stamp: string }
  | { kind: "proxy"; userId: number }
  | { kind: "kerberos"; userId: number }
  /** A browser that signed in; for pages only. */
  | { kind: "session"; sessionId: number }
  | { kind: "token"; tokenId: number; scopes: ScopeSet }
  /** A user's own SSH key. */
  | { kind: "ssh-key"; keyId: number }
  /** An SSH key that opens single repositories and is nobody's: there is no actor. `deployKeyId` is null where it does not open the one asked about. */
  | { kind: "deploy-key"; keyId: number; deployKeyId: number | null; readOnly: boolean };

/**
 * Counters of a repository, outside its row, so that a push or a star changes no row that others wait for or remember.
 */
export interface RepositoryCounts {
  /** Bytes of its packs, and of its LFS objects. */
  gitBytes: number;
  lfsBytes: number;
  stars: number;
  watchers: number;
  /** The language with most bytes in the default branch; empty until it is counted. */
  language: string;
  /** The releases that are no drafts. */
  releases: number;
  /** 1 while the repository is offered to a new owner. */
  transfers: number;
  forks: number;
  openIssues: number;
  openPulls: number;
}

/** A repository as the actor meets it. */
export interface RepositoryAccess {
  repository: RepositoryRow;
  owner: OwnerRow;
  counts: RepositoryCounts;
  /** One of accessModes: the highest in any unit, which counts for the repository as such. */
  mode: number;
  /** The mode in each unit. */
  units: UnitModes;
  /** The owner keeps the actor away: only what everybody may read is left to them, and not to take part in it. */
  blocked: boolean;
}

/** An owner (a user or an organization) as the actor meets it. */
export interface OwnerAccess {
  owner: OwnerRow;
  /** The actor may know that it exists. */
  visible: boolean;
  /** The actor's highest team level in it; null when in no team. */
  membership: number | null;
  /** One of the actor's teams may create repositories in it. */
  createsRepositories: boolean;
  /** The access of the actor's teams in it to its packages: one of accessModes. */
  packageMode: number;
  /** It keeps the actor away. */
  blocked: boolean;
  /** Its team that is asked about, where one is. */
  team: { id: number; isMember: boolean } | null;
}

/** The caller and the target, read in one query. */
export interface Subject {
  actor: Actor | null;
  credential: Credential;
  owner: OwnerAccess | null;
  repository: RepositoryAccess | null;
}

import { accessModes, type Unit } from "../db/schema/owners.ts";
import { hasScope, type ScopeCategory, type ScopeLevel } from "./scopes.ts";
import type { Actor, Credential, OwnerAccess, RepositoryAccess } from "./subject.ts";

/** `participate`: what a reader does with an account of theirs, and nobody whom the owner keeps away. */
type RepositoryMode = "read" | "participate" | "write" | "admin" | "owner";

/** `belong`: as a member of the organization. */
type OwnerVerb = "see" | "belong" | "manage" | "create-repository";

/** What somebody wants to do. Everything that a surface does is one of these. */
export type Action =
  | { on: "instance"; do: "use" | "administer" }
  | { on: "account"; do: "act-as-self" }
  | { on: "owner"; do: OwnerVerb }
  /** The same, where a user is as good as nothing. */
  | { on: "organization"; do: OwnerVerb }
  /** `see`: its members and who manages the organization; `manage`: the latter. */
  | { on: "team"; do: "see" | "manage" }
  | { on: "repository"; do: RepositoryMode; unit?: Unit };

/** What it is done to: nothing for the instance and one's own account. */
export interface Resource {
  owner?: OwnerAccess | null;
  repository?: RepositoryAccess | null;
}

/** Which scopes a token needs for it: all of these categories at this level. */
export interface NeededScopes {
  categories: readonly ScopeCategory[];
  level: ScopeLevel;
}

/**
 * allowed; sign-in-required: nobody is signed in where somebody must be; scope-missing: the token may not;
 * token-restricted: nor may one that is for single repositories;
 * hidden: the actor may not know that it exists; forbidden: they may know, but not do this.
 */
export type Decision = "allowed" | "sign-in-required" | "scope-missing" | "token-restricted" | "hidden" | "forbidden";

/**
 * The one place where it is decided who may do what; every surface calls it. What is not allowed here is denied.
 * The order matters: what the credential lacks is told before anything about the resource is.
 */
export function authorize(actor: Actor | null, credential: Credential, needed: NeededScopes, action: Action, resource: Resource = {}): Decision {
  if (credential.kind === "token" && !needed.categories.every((category) => hasScope(credential.scopes, category, needed.level))) {
    return "scope-missing";
  }
  if (isRestricted(credential) && !isForRestricted(action, needed.level)) {
    return "token-restricted";
  }
  switch (action.on) {
    case "instance":
      return action.do === "use" || actor?.isAdmin === true ? "allowed" : actor === null ? "sign-in-required" : "forbidden";
    case "account":
      return actor === null ? "sign-in-required" : "allowed";
    case "owner":
      return authorizeOwner(actor, credential, action.do, resource.owner ?? null);
    case "organization":
      return authorizeOwner(actor, credential, action.do, resource.owner?.owner.kind === "organization" ? resource.owner : null);
    case "team":
      return authorizeTeam(actor, credential, action.do, resource.owner ?? null);
    case "repository":
      return authorizeRepository(actor, credential, action, resource.repository ?? null);
  }
}

function authorizeOwner(actor: Actor | null, credential: Credential, verb: OwnerVerb, access: OwnerAccess | null): Decision {
  if (verb !== "see" && actor === null) {
    return "sign-in-required";
  }
  if (access === null || isHidden(credential, access)) {
    return "hidden";
  }
  if (verb === "see" || manages(actor, access)) {
    return "allowed";
  }
  const isEntitled = verb === "belong" ? access.membership !== null : verb === "create-repository" && access.createsRepositories;
  return isEntitled ? "allowed" : "forbidden";
}

function authorizeTeam(actor: Actor | null, credential: Credential, verb: "see" | "manage", access: OwnerAccess | null): Decision {
  if (actor === null) {
    return "sign-in-required";
  }
  if (access === null || access.team === null || isHidden(credential, access)) {
    return "hidden";
  }
  if (manages(actor, access) || (verb === "see" && access.team.isMember)) {
    return "allowed";
  }
  // Which teams there are, the members of the organization know.
  return access.membership === null ? "hidden" : "forbidden";
}

function isHidden(credential: Credential, access: OwnerAccess): boolean {
  return !access.visible || (isPublicOnly(credential) && access.owner.visibility !== "public");
}

/** Whether it is the actor, or an organization that they own, or they administer the site. */
function manages(actor: Actor | null, { owner, membership }: OwnerAccess): boolean {
  return actor !== null && (actor.isAdmin || owner.id === actor.id || (owner.kind === "organization" && membership === accessModes.owner));
}

function authorizeRepository(actor: Actor | null, credential: Credential, action: Action & { on: "repository" }, access: RepositoryAccess | null): Decision {
  if (action.do !== "read" && actor === null && credential.kind !== "deploy-key") {
    return "sign-in-required";
  }
  if (access === null || access.mode < accessModes.read) {
    return "hidden";
  }
  if (isPublicOnly(credential) && (access.repository.private || access.owner.visibility !== "public")) {
    return "hidden";
  }
  const mode = action.unit === undefined ? access.mode : access.units[action.unit];
  if (mode < accessModes.read) {
    return "hidden";
  }
  if (action.do === "participate") {
    return actor === null || access.blocked ? "forbidden" : "allowed";
  }
  return mode >= accessModes[action.do] ? "allowed" : "forbidden";
}

/** Whether the credential is a token for single repositories. */
export function isRestricted(credential: Credential): boolean {
  return credential.kind === "token" && credential.scopes.restricted;
}

/**
 * A token for single repositories changes nothing else: with an account, an organization or the instance in its hands it
 * could make itself a key to all the others.
 */
function isForRestricted(action: Action, level: ScopeLevel): boolean {
  switch (action.on) {
    case "repository":
      return true;
    case "instance":
      return action.do === "use";
    default:
      return level === "read" && action.do !== "manage";
  }
}

/** Whether the credential is a token that sees and touches public things only. */
export function isPublicOnly(credential: Credential): boolean {
  return credential.kind === "token" && credential.scopes.publicOnly;
}

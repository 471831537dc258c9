import { accessModes, type Unit } from "../db/schema/owners.ts";
import { hasScope, type ScopeCategory, type ScopeLevel } from "./scopes.ts";
import type { Actor, Credential, OwnerAccess, RepositoryAccess } from "./subject.ts";

type RepositoryMode = "read" | "write" | "admin" | "owner";

/** What somebody wants to do. Everything that a surface does is one of these. */
export type Action =
  | { on: "instance"; do: "use" | "administer" }
  | { on: "account"; do: "act-as-self" }
  | { on: "owner"; do: "see" | "manage" | "create-repository" }
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
 * hidden: the actor may not know that it exists; forbidden: they may know, but not do this.
 */
export type Decision = "allowed" | "sign-in-required" | "scope-missing" | "hidden" | "forbidden";

/**
 * The one place where it is decided who may do what; every surface calls it. What is not allowed here is denied.
 * The order matters: what the credential lacks is told before anything about the resource is.
 */
export function authorize(actor: Actor | null, credential: Credential, needed: NeededScopes, action: Action, resource: Resource = {}): Decision {
  if (credential.kind === "token" && !needed.categories.every((category) => hasScope(credential.scopes, category, needed.level))) {
    return "scope-missing";
  }
  switch (action.on) {
    case "instance":
      return action.do === "use" || actor?.isAdmin === true ? "allowed" : actor === null ? "sign-in-required" : "forbidden";
    case "account":
      return actor === null ? "sign-in-required" : "allowed";
    case "owner":
      return authorizeOwner(actor, credential, action.do, resource.owner ?? null);
    case "repository":
      return authorizeRepository(actor, credential, action, resource.repository ?? null);
  }
}

function authorizeOwner(actor: Actor | null, credential: Credential, verb: "see" | "manage" | "create-repository", access: OwnerAccess | null): Decision {
  if (verb !== "see" && actor === null) {
    return "sign-in-required";
  }
  if (access === null || !access.visible || (isPublicOnly(credential) && access.owner.visibility !== "public")) {
    return "hidden";
  }
  if (verb === "see") {
    return "allowed";
  }
  const isSelf = actor !== null && access.owner.id === actor.id;
  const isOwner = access.owner.kind === "organization" && access.membership === accessModes.owner;
  const isCreator = verb === "create-repository" && access.createsRepositories;
  return actor?.isAdmin === true || isSelf || isOwner || isCreator ? "allowed" : "forbidden";
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
  if (action.unit !== undefined && !isUnitEnabled(access, action.unit)) {
    return "hidden";
  }
  return access.mode >= accessModes[action.do] ? "allowed" : "forbidden";
}

/** Whether the credential is a token that sees and touches public things only. */
export function isPublicOnly(credential: Credential): boolean {
  return credential.kind === "token" && credential.scopes.publicOnly;
}

function isUnitEnabled({ repository }: RepositoryAccess, unit: Unit): boolean {
  switch (unit) {
    case "code":
      return repository.hasCode;
    case "issues":
      return repository.hasIssues;
    case "pulls":
      return repository.hasPullRequests;
    case "releases":
      return repository.hasReleases;
    case "wiki":
      return repository.hasWiki;
    case "packages":
      return repository.hasPackages;
    case "projects":
      return repository.hasProjects;
    case "actions":
      return repository.hasActions;
  }
}

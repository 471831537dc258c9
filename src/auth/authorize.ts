import { accessModes, type Unit } from "../db/schema/owners.ts";
import { hasScope, type ScopeCategory, type ScopeLevel } from "./scopes.ts";
import type { Actor, Credential, OwnerAccess, RepositoryAccess } from "./subject.ts";

/**
 * `participate`: actions of any signed-in reader whom the owner does not block. `change-teams`: give the repository to
 * teams, which is for the organization's owners, and for the repository's administrators if the organization allows it.
 */
type RepositoryMode = "read" | "participate" | "write" | "admin" | "owner" | "change-teams";

/**
 * `belong`: be a member of the organization. Everybody reads packages of public users and organizations; packages of a
 * private organization are for members whose teams may read them.
 */
export type OwnerVerb = "see" | "belong" | "manage" | "create-repository" | "read-packages" | "write-packages";

/** An action that a caller wants to take. Every endpoint, page and git service declares one of these. */
export type Action =
  | { on: "instance"; do: "use" | "administer" }
  | { on: "account"; do: "act-as-self" }
  | { on: "owner"; do: OwnerVerb }
  /** The same for organizations only; a user counts as absent. */
  | { on: "organization"; do: OwnerVerb }
  /** The same for users only; an organization counts as absent. */
  | { on: "user"; do: OwnerVerb }
  /**
   * `see`: for its members and for managers of the organization; `manage`: for managers. `know` that it exists: for members
   * of the organization, and for administrators of the repository in the request.
   */
  | { on: "team"; do: "see" | "manage" | "know" }
  /**
   * `unit` is the part of the repository. "any" is the repository as such: access to any unit is enough. "issues-or-pulls" is
   * for operations on both, before it is known which one it is. "code-of-pulls" is for the code in pull requests (files,
   * commits, comments on lines) and for making them: it needs both units.
   */
  | { on: "repository"; do: RepositoryMode; unit: AskedUnit };

type AskedUnit = Unit | "any" | "issues-or-pulls" | "code-of-pulls";

/** The resource that the action is about. Empty for the instance and for the caller's own account. */
export interface Resource {
  owner?: OwnerAccess | null;
  repository?: RepositoryAccess | null;
}

/** The scopes that a token needs: all of these categories at this level. */
export interface NeededScopes {
  categories: readonly ScopeCategory[];
  level: ScopeLevel;
}

/**
 * sign-in-required: the action needs a signed-in user; scope-missing: the token lacks a scope; token-restricted: the token
 * is for single repositories only; hidden: the actor may not know that the resource exists; forbidden: they may know of it,
 * but not do this.
 */
export type Decision = "allowed" | "sign-in-required" | "scope-missing" | "token-restricted" | "hidden" | "forbidden";

/**
 * Decides whether the actor may take the action. Every surface calls it, and what it does not allow is denied. The
 * order matters: it checks the credential's scopes before it reveals anything about the resource.
 */
export function authorize(
  actor: Actor | null,
  credential: Credential,
  needed: NeededScopes,
  action: Action,
  resource: Resource = {},
): Decision {
  if (
    credential.kind === "token" &&
    !needed.categories.every((category) => hasScope(credential.scopes, category, needed.level))
  ) {
    return "scope-missing";
  }
  if (isRestricted(credential) && !isForRestricted(action, needed.level)) {
    return "token-restricted";
  }
  switch (action.on) {
    case "instance":
      return action.do === "use" || actor?.isAdmin === true
        ? "allowed"
        : actor === null
          ? "sign-in-required"
          : "forbidden";
    case "account":
      return actor === null ? "sign-in-required" : "allowed";
    case "owner":
      return authorizeOwner(actor, credential, action.do, resource.owner ?? null);
    case "organization":
    case "user":
      return authorizeOwner(
        actor,
        credential,
        action.do,
        resource.owner?.owner.kind === action.on ? resource.owner : null,
      );
    case "team":
      return authorizeTeam(actor, credential, action.do, resource);
    case "repository":
      return authorizeRepository(actor, credential, action, resource);
  }
}

function authorizeOwner(
  actor: Actor | null,
  credential: Credential,
  verb: OwnerVerb,
  access: OwnerAccess | null,
): Decision {
  if (verb !== "see" && verb !== "read-packages" && actor === null) {
    return "sign-in-required";
  }
  if (access === null || isHidden(credential, access)) {
    return "hidden";
  }
  if (verb === "see" || manages(actor, access)) {
    return "allowed";
  }
  return isEntitled(verb, access) ? "allowed" : "forbidden";
}

/** Whether somebody who knows the owner, and does not manage it, may do this. */
function isEntitled(verb: OwnerVerb, access: OwnerAccess): boolean {
  switch (verb) {
    case "belong":
      return access.membership !== null;
    case "create-repository":
      return access.createsRepositories;
    case "read-packages":
      return access.owner.visibility !== "private" || access.packageMode >= accessModes.read;
    case "write-packages":
      return access.packageMode >= accessModes.write && !access.blocked;
    case "see":
    case "manage":
      return verb === "see";
  }
}

function authorizeTeam(
  actor: Actor | null,
  credential: Credential,
  verb: "see" | "manage" | "know",
  { owner: access = null, repository = null }: Resource,
): Decision {
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
  const isInsider = access.membership !== null || (verb === "know" && (repository?.mode ?? 0) >= accessModes.admin);
  return !isInsider ? "hidden" : verb === "know" ? "allowed" : "forbidden";
}

function isHidden(credential: Credential, access: OwnerAccess): boolean {
  return !access.visible || (isPublicOnly(credential) && access.owner.visibility !== "public");
}

/** Whether the owner is the actor, or an organization that they own, or the actor is a site administrator. */
function manages(actor: Actor | null, { owner, membership }: OwnerAccess): boolean {
  return (
    actor !== null &&
    (actor.isAdmin || owner.id === actor.id || (owner.kind === "organization" && membership === accessModes.owner))
  );
}

function authorizeRepository(
  actor: Actor | null,
  credential: Credential,
  action: Action & { on: "repository" },
  { owner = null, repository: access = null }: Resource,
): Decision {
  if (action.do !== "read" && actor === null && credential.kind !== "deploy-key") {
    return "sign-in-required";
  }
  if (access === null || access.mode < accessModes.read) {
    return "hidden";
  }
  if (isPublicOnly(credential) && (access.repository.private || access.owner.visibility !== "public")) {
    return "hidden";
  }
  const mode = modeIn(access, action.unit);
  if (mode < accessModes.read) {
    return "hidden";
  }
  if (action.do === "participate") {
    return actor === null || access.blocked ? "forbidden" : "allowed";
  }
  if (action.do === "change-teams") {
    return mayChangeTeams(actor, access, owner) ? "allowed" : "forbidden";
  }
  const isOpenWiki = action.unit === "wiki" && action.do === "write" && access.repository.globallyEditableWiki;
  if (isOpenWiki && actor !== null && !access.blocked) {
    return "allowed";
  }
  return mode >= accessModes[action.do] ? "allowed" : "forbidden";
}

function modeIn({ mode, units }: RepositoryAccess, unit: AskedUnit): number {
  switch (unit) {
    case "any":
      return mode;
    case "issues-or-pulls":
      return Math.max(units.issues, units.pulls);
    case "code-of-pulls":
      return units.code < accessModes.read ? accessModes.none : units.pulls;
    default:
      return units[unit];
  }
}

function mayChangeTeams(actor: Actor | null, { mode, owner }: RepositoryAccess, of: OwnerAccess | null): boolean {
  const isOwner = actor?.isAdmin === true || of?.membership === accessModes.owner;
  const administers = mode >= accessModes.admin && (owner.kind === "user" || owner.repoAdminChangeTeamAccess);
  return isOwner || administers;
}

/** Whether the credential is a token that is limited to single repositories. */
export function isRestricted(credential: Credential): boolean {
  return credential.kind === "token" && credential.scopes.restricted;
}

/**
 * Whether a token for single repositories may take the action. It changes nothing but repositories: with write access to an
 * account, an organization or the instance, it could give itself access to all the others.
 */
function isForRestricted(action: Action, level: ScopeLevel): boolean {
  switch (action.on) {
    case "repository":
      return true;
    case "instance":
      return action.do === "use";
    default:
      return level === "read" && action.do !== "manage" && action.do !== "read-packages";
  }
}

/** Whether the credential is a public-only token: it reads and changes public resources only. */
export function isPublicOnly(credential: Credential): boolean {
  return credential.kind === "token" && credential.scopes.publicOnly;
}

import { authorize, isPublicOnly, type Action, type Decision, type NeededScopes } from "../../auth/authorize.ts";
import type { Target } from "../../auth/find-subject.ts";
import type { ScopeCategory, ScopeLevel } from "../../auth/scopes.ts";
import type { Subject } from "../../auth/subject.ts";
import type { StithyError } from "../../lib/errors.ts";
import { Forbidden, NotFound, RepositoryArchived, ScopeMissing, SignInRequired } from "./errors.ts";
import type { Permit } from "./permit.ts";

/** An action that a surface asks about. `demandTo` makes it. */
export interface Demand {
  may: Action;
  /** The scopes that a token needs. */
  scopes: NeededScopes;
  /** Somebody must be signed in, even where anybody may look. */
  signedIn: boolean;
  /** It changes the repository, so an archived one refuses it. */
  changes: boolean;
  /** It gives access or makes a credential: a token for public things only may not, since that opens all others, too. */
  givesAccess?: boolean;
  /**
   * The client sends its credential only when it is asked to, as those of git, LFS and package registries do: without a
   * credential, what is hidden and what does not exist both ask for one.
   */
  challenges?: true;
}

/**
 * Returns the demand to take this action. `level` is "write" for each action that changes something. An archived repository refuses
 * it then, unless `onArchived` is "allowed".
 */
export function demandTo(
  may: Action,
  level: ScopeLevel,
  categories: readonly ScopeCategory[],
  more: Pick<Demand, "givesAccess" | "challenges"> & { signedIn?: boolean; onArchived?: "allowed" | undefined } = {},
): Demand {
  const { onArchived, signedIn = false, ...rest } = more;
  const changes = level === "write" && onArchived !== "allowed";
  return { may, scopes: { categories, level }, signedIn, changes, ...rest };
}

/** A decision of `authorize`, that the repository is archived, or that a token would give more than it has. */
export type Verdict = Decision | "archived" | "wider";

/** A caller, and the resource that the action is about; nothing for the instance and the caller's own account. */
type Judged = Pick<Subject, "actor" | "credential"> & Partial<Pick<Subject, "owner" | "repository">>;

/** Decides whether the caller may do what is demanded. Every surface asks here. */
export function judge({ actor, credential, owner = null, repository = null }: Judged, demand: Demand): Verdict {
  if (demand.signedIn && actor === null) {
    return "sign-in-required";
  }
  const decision = authorize(actor, credential, demand.scopes, demand.may, { owner, repository });
  if (decision === "allowed" && demand.givesAccess === true && isPublicOnly(credential)) {
    return "wider";
  }
  const isArchived = demand.may.on === "repository" && repository !== null && repository.repository.archivedAt !== null;
  return decision === "allowed" && demand.changes && isArchived ? "archived" : decision;
}

/** Whether the caller may do what is demanded. */
export function isAllowed(judged: Judged, demand: Demand): boolean {
  return judge(judged, demand) === "allowed";
}

/** Why a token for public things gives no access. */
export const opensOthers = "The token is for public things only, and this gives access to others";

/** The kind and name of a thing, in the words of the caller, for the message that it does not exist. */
export interface Named {
  what: string;
  name: string;
}

/** The error that a verdict means. What is hidden is told in the same words as what does not exist. */
export function refusal(
  verdict: Exclude<Verdict, "allowed">,
  { credential, repository }: Subject,
  { demand: { may, scopes, challenges }, named: { what, name } }: Pick<Permit, "demand" | "named">,
): StithyError {
  switch (verdict) {
    case "sign-in-required":
      return new SignInRequired();
    case "scope-missing":
      return new ScopeMissing(scopes.categories.map((category) => `${scopes.level}:${category}`).join(", "));
    case "token-restricted":
      return new Forbidden("The token is restricted to repositories and may not do this");
    case "hidden":
      return challenges === true && credential.kind === "none" ? new SignInRequired() : new NotFound(what, name);
    case "forbidden": {
      if (may.on === "instance") {
        return new Forbidden("Only site administrators may do this");
      }
      if (may.on === "repository" && may.do === "change-teams") {
        return new Forbidden(
          `Which teams have "${name}" is for the organization's owners to say, and for its administrators where they let them`,
        );
      }
      if (may.on === "repository" && may.do === "write" && may.unit === "code") {
        const who = credential.kind === "deploy-key" ? "This deploy key" : "You";
        return new Forbidden(`${who} may read "${name}", but not push to it`);
      }
      if (may.on === "repository" && may.do === "write" && may.unit === "wiki") {
        return new Forbidden(`You may read the wiki of "${name.replace(/\.wiki$/i, "")}", but not write to it`);
      }
      return new Forbidden("You may see this, but not change it in this way");
    }
    case "wider":
      return new Forbidden(opensOthers);
    case "archived":
      return new RepositoryArchived(
        repository === null ? name : `${repository.owner.name}/${repository.repository.name}`,
      );
  }
}

/** Finds where a name of the past leads today: the id of a repository, the name of an owner. */
interface FormerNames {
  findRepository(ownerName: string, repositoryName: string): Promise<number | null>;
  findOwner(name: string): Promise<string | null>;
}

/** Finds a thing that is called otherwise today, and identifies the caller again for it. */
interface Moving {
  formerNames: FormerNames;
  identify: (target: Target) => Promise<Subject>;
}

/** The result of the guard: `moved` if the thing has another name today than the requested one. */
interface Opened {
  subject: Subject;
  moved: boolean;
}

/** The demand of somebody who only wants to know where the target is. */
function toLookAt({ may, scopes }: Demand): Demand {
  const look = (action: Action) => demandTo(action, scopes.level, scopes.categories, { onArchived: "allowed" });
  switch (may.on) {
    case "repository":
      return look({ ...may, do: "read" });
    case "owner":
    case "organization":
    case "user":
      return look({ ...may, do: "see" });
    default:
      return look(may);
  }
}

/**
 * Lets the caller in, or throws the refusal: SignInRequired, ScopeMissing, NotFound, Forbidden or RepositoryArchived.
 * With `moving`, what is not there under the name that was asked for is looked for under the name that it has today; if
 * the caller may look at it there, it is returned as moved, and the rest of the demand is still to be decided.
 */
export async function guard(subject: Subject, permit: Permit, moving: Moving | null = null): Promise<Opened> {
  const verdict = judge(subject, permit.demand);
  if (verdict === "allowed") {
    return { subject, moved: false };
  }
  const today = verdict === "hidden" && moving !== null ? await findToday(moving.formerNames, permit.target) : null;
  const there = today === null || moving === null ? null : await moving.identify(today);
  if (there !== null && isAllowed(there, toLookAt(permit.demand))) {
    return { subject: there, moved: true };
  }
  throw refusal(verdict, subject, permit);
}

async function findToday(names: FormerNames, { ownerName, repositoryName }: Target): Promise<Target | null> {
  if (ownerName === undefined) {
    return null;
  }
  if (repositoryName === undefined) {
    const name = await names.findOwner(ownerName);
    return name === null ? null : { ownerName: name };
  }
  const repositoryId = await names.findRepository(ownerName, repositoryName);
  return repositoryId === null ? null : { repositoryId };
}

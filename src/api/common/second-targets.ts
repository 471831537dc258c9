import type { Action } from "../../auth/authorize.ts";
import type { Target } from "../../auth/find-subject.ts";
import type { OwnerAccess, RepositoryAccess, Subject } from "../../auth/subject.ts";
import { judge, refusal, type Demand } from "../../domain/spine/guard.ts";
import { permitOn, targetIn, type GivenNames, type Permit } from "../../domain/spine/permit.ts";
import { NotOfOrganization } from "../../domain/spine/errors.ts";
import { InvalidInput } from "../../lib/errors.ts";

/** Where the name of a second target stands: the names of the parameters of the path, or of fields of the body. */
type NamedBy = { owner: string; repo: string } | { owner: string } | { user: string } | { team: string };

/**
 * Something else that an operation is about: the team of a repository, the user of a block, the new owner of a transfer.
 * It is declared like the first target, found beside it, and decided by the same guard.
 */
export interface SecondTarget {
  /** The action on it that the guard decides. */
  may: Action;
  /** A team is one of the organization that the first target is, or belongs to. */
  named: NamedBy;
  /** The names are fields of the body. Otherwise they are parameters of the path, and nothing of the body is read before. */
  in?: "body";
  /** A repository counts only if it belongs to the organization of the first target. */
  within?: true;
  /**
   * The response if it does not exist or is hidden: 404 by default, "invalid" is 422, "null" leaves it to the handler.
   */
  absent?: "invalid" | "null";
}

/** The argument of a handler for a second target. */
export type SecondAccess<Second extends SecondTarget> =
  | (Second["may"]["on"] extends "repository"
      ? RepositoryAccess
      : Second["may"]["on"] extends "team"
        ? OwnerAccess & { team: { id: number } }
        : OwnerAccess)
  | (Second extends { absent: "null" } ? null : never);

interface Asked {
  targets: Readonly<Record<string, SecondTarget>>;
  demand: Demand;
  first: Subject;
  identify: (target: Target) => Promise<Subject>;
}

/** The targets for the handler by name, and the permits that the unit of work checks again. */
interface FoundTargets {
  access: Record<string, RepositoryAccess | OwnerAccess | null>;
  permits: Permit[];
}

/**
 * Actions that change nothing of a second target. A token for single repositories may take them on other things than
 * its repositories.
 */
const looks: ReadonlySet<Action["do"]> = new Set(["see", "know", "read"]);

/** The organization or user that the first target is, or belongs to. */
function ownerOf({ owner, repository }: Subject) {
  return repository?.owner ?? owner?.owner ?? null;
}

/** Returns a text, or "" if it was not sent, which names nothing. */
function textOf(values: Readonly<Record<string, unknown>>, key: string): string {
  const value = values[key];
  return typeof value === "string" ? value : "";
}

function namesOf(named: NamedBy, values: Readonly<Record<string, unknown>>, first: Subject): GivenNames {
  const value = (key: string) => textOf(values, key);
  if ("team" in named) {
    const owner = ownerOf(first);
    if (owner !== null && owner.kind !== "organization") {
      throw new NotOfOrganization(owner.name);
    }
    return { owner: owner?.name, team: value(named.team) };
  }
  if ("user" in named) {
    return { owner: value(named.user) };
  }
  return { owner: value(named.owner), repository: "repo" in named ? value(named.repo) : undefined };
}

/** Returns what the operation needs of a second target. Only a write to a repository changes it. */
function permitOf(
  { may, named }: SecondTarget,
  { demand, first }: Asked,
  values: Readonly<Record<string, unknown>>,
): Permit {
  const writes = may.on === "repository" && ["write", "admin", "owner"].includes(may.do);
  const own: Demand = {
    ...demand,
    may,
    scopes: looks.has(may.do) ? { ...demand.scopes, level: "read" } : demand.scopes,
    changes: demand.changes && writes,
  };
  const permit = permitOn(own, namesOf(named, values, first));
  return may.on === "owner" ? { ...permit, named: { ...permit.named, what: "user or organization" } } : permit;
}

/**
 * Finds the second targets that stand in the path, or in the body, and decides about each. `values` are the parameters or
 * the fields. Throws the refusal, and InvalidInput where that is declared.
 */
export async function findSecondTargets(
  asked: Asked,
  where: "path" | "body",
  values: Readonly<Record<string, unknown>>,
): Promise<FoundTargets> {
  const { first } = asked;
  const found: FoundTargets = { access: {}, permits: [] };
  for (const [key, second] of Object.entries(asked.targets)) {
    if ((second.in ?? "path") !== where) {
      continue;
    }
    const permit = permitOf(second, asked, values);
    const subject = await asked.identify(permit.target);
    // Whether a team may be known depends on the repository that it has to do with.
    const resource = second.may.on === "team" ? { ...subject, repository: first.repository } : subject;
    const isOutside = second.within === true && ownerOf(subject)?.id !== ownerOf(first)?.id;
    const verdict = isOutside ? "hidden" : judge(resource, permit.demand);
    if (verdict === "hidden" && second.absent === "null") {
      found.access[key] = null;
      continue;
    }
    if (verdict === "hidden" && second.absent === "invalid") {
      const { what, name } = permit.named;
      throw new InvalidInput(`There is no ${what} "${name}"`, Object.values<string>(second.named).at(-1));
    }
    if (verdict !== "allowed") {
      throw refusal(verdict, resource, permit);
    }
    found.access[key] = second.may.on === "repository" ? subject.repository : subject.owner;
    if (second.may.on !== "team") {
      found.permits.push({ ...permit, target: targetIn(subject) });
    }
  }
  return found;
}

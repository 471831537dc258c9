import type { Action } from "../../auth/authorize.ts";
import type { Target } from "../../auth/find-subject.ts";
import type { OwnerAccess, RepositoryAccess, Subject } from "../../auth/subject.ts";
import { judge, refusal, type Demand, type Named } from "../../domain/access/guard.ts";
import type { Permit } from "../../domain/doer.ts";
import { NotOfOrganization } from "../../domain/errors.ts";
import { InvalidInput } from "../../lib/errors.ts";

/** Where the name of a second target stands: the names of the parameters of the path, or of fields of the body. */
type NamedBy = { owner: string; repo: string } | { owner: string } | { user: string } | { team: string };

/**
 * Something else that an operation is about: the team of a repository, the user of a block, the new owner of a transfer.
 * It is declared like the first target, found beside it, and decided by the same guard.
 */
export interface SecondTarget {
  /** What the caller wants to do with it. */
  may: Action;
  /** A team is one of the organization that the first target is, or belongs to. */
  named: NamedBy;
  /** The names are fields of the body. Otherwise they are parameters of the path, and nothing of the body is read before. */
  in?: "body";
  /** A repository counts only if it belongs to the organization of the first target. */
  within?: true;
  /** What happens where it does not exist, or is hidden: 404 if nothing is said, 422, or null for the handler. */
  absent?: "invalid" | "null";
}

/** What a handler gets for a second target. */
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

/** What was found: what each handler gets by name, and what the unit of work looks at again. */
interface FoundTargets {
  access: Record<string, RepositoryAccess | OwnerAccess | null>;
  permits: Permit[];
}

/** What changes nothing of a second target. A token for single repositories may do it, whatever the first target is for. */
const looks: ReadonlySet<Action["do"]> = new Set(["see", "know", "read"]);

/** The organization or user that the first target is, or belongs to. */
function ownerOf({ owner, repository }: Subject) {
  return repository?.owner ?? owner?.owner ?? null;
}

/** What was not sent is the name of nothing. */
function textOf(values: Readonly<Record<string, unknown>>, key: string): string {
  const value = values[key];
  return typeof value === "string" ? value : "";
}

function targetOf(named: NamedBy, values: Readonly<Record<string, unknown>>, first: Subject): Target {
  const value = (key: string) => textOf(values, key);
  if ("team" in named) {
    const owner = ownerOf(first);
    if (owner !== null && owner.kind !== "organization") {
      throw new NotOfOrganization(owner.name);
    }
    return { ownerName: owner?.name ?? "", teamName: value(named.team) };
  }
  if ("user" in named) {
    return { ownerName: value(named.user) };
  }
  return "repo" in named
    ? { ownerName: value(named.owner), repositoryName: value(named.repo) }
    : { ownerName: value(named.owner) };
}

function nameOf({ may, named }: SecondTarget, values: Readonly<Record<string, unknown>>): Named & { field: string } {
  const keys: string[] = Object.values(named);
  const name = keys.map((key) => textOf(values, key)).join("/");
  return { what: may.on === "owner" ? "user or organization" : may.on, name, field: keys.at(-1) ?? "" };
}

/**
 * Finds the second targets that stand in the path, or in the body, and decides about each. `values` are the parameters or
 * the fields. Throws the refusal, and InvalidInput where that is declared.
 */
export async function findSecondTargets(
  { targets, demand, first, identify }: Asked,
  where: "path" | "body",
  values: Readonly<Record<string, unknown>>,
): Promise<FoundTargets> {
  const found: FoundTargets = { access: {}, permits: [] };
  for (const [key, second] of Object.entries(targets)) {
    if ((second.in ?? "path") !== where) {
      continue;
    }
    const target = targetOf(second.named, values, first);
    const subject = await identify(target);
    // Whether a team may be known depends on the repository that it has to do with.
    const resource = second.may.on === "team" ? { ...subject, repository: first.repository } : subject;
    const writes = second.may.on === "repository" && ["write", "admin", "owner"].includes(second.may.do);
    const own: Demand = {
      ...demand,
      may: second.may,
      scopes: looks.has(second.may.do) ? { ...demand.scopes, level: "read" } : demand.scopes,
      changes: demand.changes && writes,
    };
    const isOutside = second.within === true && ownerOf(subject)?.id !== ownerOf(first)?.id;
    const verdict = isOutside ? "hidden" : judge(resource, own);
    const named = nameOf(second, values);
    if (verdict === "hidden" && second.absent === "null") {
      found.access[key] = null;
      continue;
    }
    if (verdict === "hidden" && second.absent === "invalid") {
      throw new InvalidInput(`There is no ${named.what} "${named.name}"`, named.field);
    }
    if (verdict !== "allowed") {
      throw refusal(verdict, resource, own, named);
    }
    found.access[key] = second.may.on === "repository" ? subject.repository : subject.owner;
    if (second.may.on !== "team") {
      const byId =
        subject.repository === null
          ? { ownerId: subject.owner?.owner.id ?? 0 }
          : { repositoryId: subject.repository.repository.id };
      found.permits.push({ demand: own, named, target: byId });
    }
  }
  return found;
}

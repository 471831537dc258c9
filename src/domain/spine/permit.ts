import type { Target } from "../../auth/find-subject.ts";
import type { RepositoryAccess, Subject } from "../../auth/subject.ts";
import type { Demand, Named } from "./guard.ts";

/** A demand on one thing. `guard` decides it for a request, and `forge.change` decides it again when the change is written. */
export interface Permit {
  readonly demand: Demand;
  readonly named: Named;
  /** Finds the thing. Empty for the instance and the caller's own account. */
  readonly target: Target;
  /** The second targets, each with its own demand. */
  readonly also?: readonly Permit[];
}

/** The names that a caller gave: parameters of a path, fields of a body, or arguments of a command. */
export interface GivenNames {
  /** The name of a user or an organization. */
  readonly owner?: string | undefined;
  readonly repository?: string | undefined;
  /** A team of the organization `owner`. */
  readonly team?: string | undefined;
  /**
   * The id of a repository without `owner` and `repository`, or of a team without `team`. Anything but a row id names
   * nothing.
   */
  readonly id?: string | undefined;
}

const isRowId = (id: string) => /^\d{1,15}$/.test(id);

/** Returns the demand on the thing with these names. The action decides which of the names count. */
export function permitOn(demand: Demand, { owner, repository, team, id = "" }: GivenNames): Permit {
  const { on } = demand.may;
  switch (on) {
    case "repository":
      return owner !== undefined && repository !== undefined
        ? {
            demand,
            target: { ownerName: owner, repositoryName: repository },
            named: { what: on, name: `${owner}/${repository}` },
          }
        : { demand, target: isRowId(id) ? { repositoryId: Number(id) } : {}, named: { what: on, name: id } };
    case "team":
      return team !== undefined
        ? { demand, target: { ownerName: owner ?? "", teamName: team }, named: { what: on, name: team } }
        : { demand, target: isRowId(id) ? { teamId: Number(id) } : {}, named: { what: on, name: id } };
    case "owner":
    case "organization":
    case "user":
      return {
        demand,
        target: owner === undefined ? {} : { ownerName: owner },
        named: { what: on === "owner" ? "user" : on, name: owner ?? "" },
      };
    default:
      return { demand, target: {}, named: { what: on, name: "" } };
  }
}

/** Names what was found by its id, as it may be renamed meanwhile. */
export function targetIn({ owner, repository }: Pick<Subject, "owner" | "repository">): Target {
  if (repository !== null) {
    return { repositoryId: repository.repository.id };
  }
  if (owner === null) {
    return {};
  }
  return owner.team === null ? { ownerId: owner.owner.id } : { teamId: owner.team.id };
}

/** Returns the demand on a repository that was found before. */
export function permitOnFound(demand: Demand, { owner, repository }: RepositoryAccess): Permit {
  return permitOnId(demand, repository.id, `${owner.name}/${repository.name}`);
}

/** Returns the demand on the repository with this id. A refusal calls it by `fullName`. */
export function permitOnId(demand: Demand, repositoryId: number, fullName: string): Permit {
  return { demand, target: { repositoryId }, named: { what: "repository", name: fullName } };
}

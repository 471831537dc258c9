import { accessModes, units, type Unit } from "../db/schema/owners.ts";
import type { OwnerRow, RepositoryAccess, RepositoryCounts, RepositoryRow } from "./subject.ts";

/** The access to each unit of a repository; none to disabled units. */
export type UnitModes = Readonly<Record<Unit, number>>;

function isUnitEnabled(repository: RepositoryRow, unit: Unit): boolean {
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
      // One elsewhere is a link, and nothing of it is here.
      return repository.hasWiki && repository.externalWikiUrl === null;
    case "packages":
      return repository.hasPackages;
    case "projects":
      return repository.hasProjects;
    case "actions":
      return repository.hasActions;
  }
}

/**
 * The modes that the database answers (access-sql.ts): one that holds in every unit, and those that teams give in
 * single units.
 */
export interface FoundModes {
  everyUnit: number;
  teamUnits: Partial<Record<Unit, number>> | null;
  blocked: boolean;
}

/** Returns the access of a user with the same mode in every unit. */
export function sameInEveryUnit(mode: number): FoundModes {
  return { everyUnit: mode, teamUnits: null, blocked: false };
}

/** Returns the highest access in any unit, switched on or not. With any access, the user may know of the repository. */
export function highestMode({ everyUnit, teamUnits }: Omit<FoundModes, "blocked">): number {
  return teamUnits === null
    ? everyUnit
    : Math.max(everyUnit, ...units.map((unit) => teamUnits[unit] ?? accessModes.none));
}

/** Returns the access to one unit. */
export function unitMode(enabled: boolean, { everyUnit, teamUnits }: Omit<FoundModes, "blocked">, unit: Unit): number {
  return enabled ? Math.max(everyUnit, teamUnits?.[unit] ?? 0) : accessModes.none;
}

/** Builds a repository's access from the row of the database. */
export function repositoryAccess(
  repository: RepositoryRow,
  owner: OwnerRow,
  counts: RepositoryCounts,
  found: FoundModes,
): RepositoryAccess {
  const entries = units.map((unit) => [unit, unitMode(isUnitEnabled(repository, unit), found, unit)] as const);
  return {
    repository,
    owner,
    counts,
    mode: highestMode(found),
    units: Object.fromEntries(entries) as Record<Unit, number>,
    blocked: found.blocked,
  };
}

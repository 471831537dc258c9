import { accessModes, teamUnits, units, type TeamUnit } from "../../../db/schema/owners.ts";
import { InvalidInput } from "../../../lib/errors.ts";

/** The input for a team's access, in the family's words. Absent fields keep their value. */
export interface TeamAccessInput {
  permission?: "read" | "write" | "admin" | undefined;
  /** Such as repo.code: these, with the permission. */
  units?: readonly string[] | undefined;
  /** From such names to none, read or write; it comes before `units`. */
  unitsMap?: Readonly<Record<string, string>> | undefined;
}

/** Returns the access of a team: `mode` in all units if it administers, else that of each in `units`. `mode` is none if no unit is open. */
export interface TeamAccess {
  mode: number;
  units: Readonly<Partial<Record<TeamUnit, number>>>;
}

const byName: ReadonlyMap<string, TeamUnit> = new Map(teamUnits.map((unit) => [`repo.${unit}`, unit]));
const unitModes: Readonly<Record<string, number>> = {
  none: accessModes.none,
  read: accessModes.read,
  write: accessModes.write,
};

function readUnit(name: string, field: string): TeamUnit {
  const unit = byName.get(name);
  if (unit === undefined) {
    throw new InvalidInput(
      `${field} must have names such as repo.code; "${name.slice(0, 60)}" is none (${[...byName.keys()].join(", ")})`,
      field,
    );
  }
  return unit;
}

function readUnitMode(name: string, text: string, isAdmin: boolean): number {
  const mode = unitModes[text];
  if (mode !== undefined) {
    return mode;
  }
  if (isAdmin && (text === "admin" || text === "owner")) {
    return accessModes.write;
  }
  throw new InvalidInput(
    `units_map must give none, read or write for "${name}", not "${text.slice(0, 60)}"`,
    "units_map",
  );
}

/** The access to these units; of a unit that is told twice, the higher. Its mode is the one that was told, else the highest. */
function together(entries: Iterable<readonly [TeamUnit, number]>, told: number | undefined): TeamAccess {
  const modes: Partial<Record<TeamUnit, number>> = {};
  for (const [unit, mode] of entries) {
    modes[unit] = Math.max(modes[unit] ?? accessModes.none, mode);
  }
  const highest = Math.max(...units.map((unit) => modes[unit] ?? accessModes.none));
  return { mode: highest === accessModes.none ? highest : (told ?? highest), units: modes };
}

/**
 * Returns the access of a team for this input; `current` is the access of an existing team. Administrators of
 * repositories have every unit. Without units in the input, the team has all, or keeps those that it has. Throws
 * InvalidInput that names the field for a unit or access that there is not.
 */
export function readTeamAccess(
  { permission, units: names, unitsMap }: TeamAccessInput,
  current: TeamAccess | null,
): TeamAccess {
  const isAdmin =
    permission === "admin" || (permission === undefined && current !== null && current.mode >= accessModes.admin);
  // Read in any case: what is not valid is refused, whatever it would change.
  const listed = names?.map((name) => readUnit(name, "units"));
  const mapped =
    unitsMap === undefined
      ? undefined
      : Object.entries(unitsMap).map(
          ([name, text]) => [readUnit(name, "units_map"), readUnitMode(name, text, isAdmin)] as const,
        );
  if (isAdmin) {
    return { mode: accessModes.admin, units: {} };
  }
  const told = permission === undefined ? undefined : accessModes[permission];
  if (mapped !== undefined) {
    return together(mapped, told);
  }
  if (permission === undefined && listed === undefined && current !== null) {
    return current;
  }
  const given = teamUnits.filter((unit) => (current?.units[unit] ?? accessModes.none) > accessModes.none);
  const kept = current !== null && current.mode > accessModes.none ? current.mode : accessModes.read;
  const mode = told ?? kept;
  return together(
    (listed ?? (given.length > 0 ? given : teamUnits)).map((unit) => [unit, mode] as const),
    mode,
  );
}

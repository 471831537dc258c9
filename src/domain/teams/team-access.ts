import { accessModes, units, type Unit } from "../../db/schema/owners.ts";
import { InvalidInput } from "../../lib/errors.ts";

/** What a caller says of a team's rights, in the family's words. What is absent is not said. */
export interface TeamAccessInput {
  permission?: "read" | "write" | "admin" | undefined;
  /** Such as repo.code: these, with the permission. */
  units?: readonly string[] | undefined;
  /** From such names to none, read or write; it comes before `units`. */
  unitsMap?: Readonly<Record<string, string>> | undefined;
}

/** What a team may do: the same in all units (`units` null) or this much in each. `mode` is the highest of it. */
export interface TeamAccess {
  mode: number;
  units: Readonly<Record<Unit, number>> | null;
}

/** Outside trackers and wikis are no units of their own here. */
const aliases: Readonly<Record<string, Unit>> = { ext_issues: "issues", ext_wiki: "wiki" };
const byName: ReadonlyMap<string, Unit> = new Map([
  ...units.map((unit) => [`repo.${unit}`, unit] as const),
  ...Object.entries(aliases).map(([name, unit]) => [`repo.${name}`, unit] as const),
]);
const unitModes: Readonly<Record<string, number>> = {
  none: accessModes.none,
  read: accessModes.read,
  write: accessModes.write,
};

function readUnit(name: string, field: string): Unit {
  const unit = byName.get(name);
  if (unit === undefined) {
    throw new InvalidInput(
      `${field} must have names such as repo.code; "${name.slice(0, 60)}" is none (${units.map((each) => `repo.${each}`).join(", ")})`,
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

function together(entries: Iterable<readonly [Unit, number]>): TeamAccess {
  const modes = Object.fromEntries(units.map((unit) => [unit, accessModes.none])) as Record<Unit, number>;
  for (const [unit, mode] of entries) {
    modes[unit] = Math.max(modes[unit], mode);
  }
  return { mode: Math.max(...Object.values(modes)), units: modes };
}

/**
 * What a team may do that has been given this; `current` is what it may do where it exists already. Administrators of
 * repositories have every unit. Whoever says nothing of units means all of them, or those that the team has.
 * Throws InvalidInput that names the field for a unit or access that there is not.
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
    return { mode: accessModes.admin, units: null };
  }
  if (mapped !== undefined) {
    return together(mapped);
  }
  const before = current?.units ?? null;
  const given = before === null ? [] : units.filter((unit) => before[unit] > accessModes.none);
  if (permission === undefined && listed === undefined && before !== null) {
    return together(Object.entries(before) as [Unit, number][]);
  }
  const kept =
    current !== null && current.units !== null && current.mode > accessModes.none ? current.mode : accessModes.read;
  const mode = permission === undefined ? kept : accessModes[permission];
  return together((listed ?? (given.length > 0 ? given : units)).map((unit) => [unit, mode] as const));
}

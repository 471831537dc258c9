import type { Static } from "elysia";
import type { Team as TeamSchema } from "./schema.ts";
import type { Actor } from "../../auth/subject.ts";
import { accessModes, teamUnits, type TeamUnit } from "../../db/schema/owners.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { Team } from "../../domain/identity/teams/queries.ts";
import { presentOrganization } from "../orgs/present.ts";

export type ModeName = keyof typeof accessModes;

/** The family's word for an access mode. */
export function modeName(mode: number): ModeName {
  return (Object.keys(accessModes) as ModeName[]).find((name) => accessModes[name] === mode) ?? "none";
}

/** A team as the family's Team. `units` are those that it gives any access to, `units_map` all that it was told, for clients compare what they sent. */
export function presentTeam(
  addresses: Addresses,
  { team, organization, units }: Team,
  viewer: Actor | null,
): Static<typeof TeamSchema> {
  const modeOf = (unit: TeamUnit) => (team.mode >= accessModes.admin ? team.mode : units[unit]);
  const told = teamUnits.flatMap((unit) => {
    const mode = modeOf(unit);
    return mode === undefined ? [] : [{ name: `repo.${unit}`, mode }];
  });
  return {
    id: team.id,
    name: team.name,
    description: team.description,
    organization: presentOrganization(addresses, organization, viewer),
    includes_all_repositories: team.includesAllRepositories,
    permission: modeName(team.mode),
    units: told.filter(({ mode }) => mode > accessModes.none).map(({ name }) => name),
    units_map: Object.fromEntries(told.map(({ name, mode }) => [name, modeName(mode)])),
    can_create_org_repo: team.canCreateRepositories,
  };
}

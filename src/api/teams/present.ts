import type { Static } from "elysia";
import type { Team as TeamSchema } from "./schema.ts";
import type { Actor } from "../../auth/subject.ts";
import { accessModes, units } from "../../db/schema/owners.ts";
import type { Addresses } from "../../domain/addresses.ts";
import type { Team } from "../../domain/teams/queries.ts";
import { presentOrganization } from "../orgs/present.ts";

export type ModeName = keyof typeof accessModes;

/** The family's word for an access mode. */
export function modeName(mode: number): ModeName {
  return (Object.keys(accessModes) as ModeName[]).find((name) => accessModes[name] === mode) ?? "none";
}

/** A team as the family's Team. Its units, in both forms, are those that it gives any access to: Terraform compares what it sent. */
export function presentTeam(
  addresses: Addresses,
  { team, organization, units: modes }: Team,
  viewer: Actor | null,
): Static<typeof TeamSchema> {
  const modeOf = (unit: (typeof units)[number]) =>
    team.mode >= accessModes.admin ? team.mode : (modes?.[unit] ?? accessModes.none);
  const opened = units.filter((unit) => modeOf(unit) > accessModes.none);
  return {
    id: team.id,
    name: team.name,
    description: team.description,
    organization: presentOrganization(addresses, organization, viewer),
    includes_all_repositories: team.includesAllRepositories,
    permission: modeName(team.mode),
    units: opened.map((unit) => `repo.${unit}`),
    units_map: Object.fromEntries(opened.map((unit) => [`repo.${unit}`, modeName(modeOf(unit))])),
    can_create_org_repo: team.canCreateRepositories,
  };
}

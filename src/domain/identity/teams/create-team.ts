import type { OwnerRow } from "../../../auth/subject.ts";
import { violatesUnique } from "../../../db/pg-errors.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { NameTaken, NotFound } from "../../spine/errors.ts";
import { insertTeam } from "../orgs/queries.ts";
import { lockOwner } from "../owners/queries.ts";
import { countTeams, getTeam, replaceTeamUnits, type Team } from "./queries.ts";
import { readTeamAccess, type TeamAccessInput } from "./team-access.ts";
import { checkTeamDescription, checkTeamName } from "./team-name.ts";
import type { Work } from "../../spine/work.ts";

export interface NewTeam extends TeamAccessInput {
  name: string;
  description?: string;
  includesAllRepositories?: boolean;
  canCreateRepositories?: boolean;
}

/** The most teams that an organization can have. */
export const maxTeams = 1000;

/** Creates a team without members. Throws InvalidInput that names the field, NameTaken, and NotFound when the organization is gone. */
export async function createTeam(work: Work, organization: OwnerRow, fields: NewTeam): Promise<Team> {
  const { tx } = work;
  checkTeamName(fields.name);
  checkTeamDescription(fields.description ?? "");
  const access = readTeamAccess(fields, null);
  if ((await lockOwner(tx, organization.id)) === null) {
    throw new NotFound("organization", organization.name);
  }
  if ((await countTeams(tx, organization.id)) >= maxTeams) {
    throw new InvalidInput(`"${organization.name}" has ${maxTeams} teams, which is the most it may have`, "org");
  }
  try {
    const id = await insertTeam(tx, {
      organizationId: organization.id,
      name: fields.name,
      description: fields.description ?? "",
      mode: access.mode,
      includesAllRepositories: fields.includesAllRepositories ?? false,
      canCreateRepositories: fields.canCreateRepositories ?? false,
    });
    await replaceTeamUnits(tx, id, access);
    return await getTeam(tx, id);
  } catch (error) {
    throw violatesUnique(error, "team_organization_name") ? new NameTaken(fields.name) : error;
  }
}

import { violatesUnique } from "../../../db/pg-errors.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { NameTaken } from "../../spine/errors.ts";
import type { NewTeam } from "./create-team.ts";
import { lockTeam } from "./lock-team.ts";
import { getTeam, replaceTeamUnits, updateTeam, type Team } from "./queries.ts";
import { readTeamAccess } from "./team-access.ts";
import { checkTeamDescription, checkTeamName } from "./team-name.ts";
import type { Work } from "../../spine/work.ts";
import { namedOwner } from "../../spine/events/names.ts";
import { namedTeam } from "./named-team.ts";

/**
 * The team of the owners stays what it is: its name and rights are what organizations are run by. "admin" is accepted,
 * since clients of the family write so for the team that has everything.
 */
function checkOwnersTeam({ team }: Team, change: Partial<NewTeam>): void {
  const wrong =
    change.name !== undefined && change.name.toLowerCase() !== team.lowerName
      ? "name"
      : change.permission !== undefined && change.permission !== "admin"
        ? "permission"
        : change.includesAllRepositories === false
          ? "includes_all_repositories"
          : change.canCreateRepositories === false
            ? "can_create_org_repo"
            : null;
  if (wrong !== null) {
    throw new InvalidInput(
      `${wrong} of the owners' team cannot be changed: it owns the organization and all that is in it`,
      wrong,
    );
  }
}

/** Changes what is given and answers the team. Throws InvalidInput that names the field, NameTaken, and NotFound when the team is gone. */
export async function editTeam(work: Work, id: number, change: Partial<NewTeam>): Promise<Team> {
  const { tx } = work;
  const current = await lockTeam(tx, id);
  const isOwners = current.team.mode === accessModes.owner;
  if (change.name !== undefined) {
    checkTeamName(change.name);
  }
  checkTeamDescription(change.description ?? "");
  const access = readTeamAccess(change, { mode: current.team.mode, units: current.units });
  if (isOwners) {
    checkOwnersTeam(current, change);
  }
  const fields = {
    ...(change.name === undefined || isOwners ? {} : { name: change.name }),
    ...(change.description === undefined ? {} : { description: change.description }),
    ...(change.includesAllRepositories === undefined
      ? {}
      : { includesAllRepositories: change.includesAllRepositories }),
    ...(change.canCreateRepositories === undefined ? {} : { canCreateRepositories: change.canCreateRepositories }),
    ...(isOwners ? {} : { mode: access.mode }),
  };
  try {
    await updateTeam(tx, id, fields);
  } catch (error) {
    throw violatesUnique(error, "team_organization_name") ? new NameTaken(change.name ?? "") : error;
  }
  if (!isOwners) {
    await replaceTeamUnits(tx, id, access);
  }
  const edited = await getTeam(tx, id);
  work.tell({ kind: "team.edited", owner: namedOwner(edited.organization), team: namedTeam(edited) });
  return edited;
}

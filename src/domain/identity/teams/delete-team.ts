import { accessModes } from "../../../db/schema/owners.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { lockTeam } from "./lock-team.ts";
import { deleteTeamRow, removeFormerMembers } from "./queries.ts";
import type { Work } from "../../spine/work.ts";
import { namedOwner } from "../../spine/events/names.ts";
import { namedTeam } from "./named-team.ts";

/** Deletes a team; what it had stays, who was only in it is no member any more. Throws InvalidInput for the owners' team, NotFound. */
export async function deleteTeam(work: Work, id: number): Promise<void> {
  const { tx } = work;
  const locked = await lockTeam(tx, id);
  const { team, organization } = locked;
  if (team.mode === accessModes.owner) {
    throw new InvalidInput(`The team "${team.name}" owns the organization and cannot be deleted`, "id");
  }
  await deleteTeamRow(tx, id);
  await removeFormerMembers(tx, team.organizationId);
  work.tell({ kind: "team.deleted", owner: namedOwner(organization), team: namedTeam(locked) });
}

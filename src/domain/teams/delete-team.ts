import type { Transaction } from "../../db/client.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { lockTeam } from "./lock-team.ts";
import { deleteTeamRow, forgetFormerMembers } from "./queries.ts";

/** Deletes a team; what it had stays, who was only in it is no member any more. Throws InvalidInput for the owners' team, NotFound. */
export async function deleteTeam(tx: Transaction, id: number): Promise<void> {
  const { team } = await lockTeam(tx, id);
  if (team.mode === accessModes.owner) {
    throw new InvalidInput(`The team "${team.name}" owns the organization and cannot be deleted`, "id");
  }
  await deleteTeamRow(tx, id);
  await forgetFormerMembers(tx, team.organizationId);
}

import type { OwnerRow } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { Forbidden, NotFound } from "../errors.ts";
import { lockUser } from "../keys/queries.ts";
import { insertTeamMember } from "../orgs/queries.ts";
import { lockOwner } from "../owners/queries.ts";
import { isBlockedBy } from "../social/queries.ts";
import { lockTeam } from "./lock-team.ts";
import { countTeamMembers, deleteMemberships, deleteTeamMember, findOwnersTeam, forgetFormerMembers, isTeamMember } from "./queries.ts";

/** Puts a user into a team, and so into its organization. Throws Forbidden for whom the organization blocked, NotFound. */
export async function addTeamMember(tx: Transaction, teamId: number, user: OwnerRow): Promise<void> {
  // The user before the organization, as whoever deletes users does.
  if (!(await lockUser(tx, user.id))) {
    throw new NotFound("user", user.name);
  }
  const { organization } = await lockTeam(tx, teamId);
  if (await isBlockedBy(tx, user.id, organization.id)) {
    throw new Forbidden(`"${user.name}" is blocked by "${organization.name}"`);
  }
  await insertTeamMember(tx, teamId, user.id);
}

async function demandAnotherOwner(tx: Transaction, ownersTeamId: number, user: OwnerRow): Promise<void> {
  if ((await isTeamMember(tx, ownersTeamId, user.id)) && (await countTeamMembers(tx, ownersTeamId)) <= 1) {
    throw new InvalidInput(`"${user.name}" is the only owner of the organization, which must have one`, "username");
  }
}

/** Takes a user out of a team. Throws InvalidInput for the last owner, NotFound when they are not in it. */
export async function removeTeamMember(tx: Transaction, teamId: number, user: OwnerRow): Promise<void> {
  const { team } = await lockTeam(tx, teamId);
  if (team.mode === accessModes.owner) {
    await demandAnotherOwner(tx, teamId, user);
  }
  if (!(await deleteTeamMember(tx, teamId, user.id))) {
    throw new NotFound("member", user.name);
  }
  await forgetFormerMembers(tx, team.organizationId);
}

/**
 * Ends a membership: the user is in no team of the organization any more and has nothing in its repositories but what
 * everybody has. Throws InvalidInput for the last owner, NotFound when they are no member.
 */
export async function removeMember(tx: Transaction, organization: OwnerRow, user: OwnerRow): Promise<void> {
  const owners = (await lockOwner(tx, organization.id)) === null ? null : await findOwnersTeam(tx, organization.id);
  if (owners === null) {
    throw new NotFound("organization", organization.name);
  }
  await demandAnotherOwner(tx, owners.id, user);
  if (!(await deleteMemberships(tx, organization.id, user.id))) {
    throw new NotFound("member", user.name);
  }
  await forgetFormerMembers(tx, organization.id);
}

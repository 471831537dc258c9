import type { OwnerRow } from "../../../auth/subject.ts";
import type { Transaction } from "../../../db/client.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { Forbidden, NotFound } from "../../spine/errors.ts";
import { lockAccount } from "../../spine/lock-queries.ts";
import { insertTeamMember } from "../orgs/queries.ts";
import { lockOwner } from "../owners/queries.ts";
import { isBlockedBy } from "../social/queries.ts";
import { lockTeam } from "./lock-team.ts";
import {
  countTeamMembers,
  deleteMemberships,
  deleteTeamMember,
  findOwnersTeam,
  removeFormerMembers,
  isTeamMember,
} from "./queries.ts";
import type { Work } from "../../spine/work.ts";
import { namedOwner } from "../../spine/events/names.ts";
import { namedTeam } from "./named-team.ts";

/** Puts a user into a team, and so into its organization. Throws Forbidden for whom the organization blocked, NotFound. */
export async function addTeamMember(work: Work, teamId: number, user: OwnerRow): Promise<void> {
  const { tx } = work;
  // The user before the organization, as in the deletion of users.
  if (!(await lockAccount(tx, user.id))) {
    throw new NotFound("user", user.name);
  }
  const locked = await lockTeam(tx, teamId);
  const { organization } = locked;
  if (await isBlockedBy(tx, user.id, organization.id)) {
    throw new Forbidden(`"${user.name}" is blocked by "${organization.name}"`);
  }
  if (await insertTeamMember(tx, teamId, user.id)) {
    const told = { owner: namedOwner(organization), team: namedTeam(locked), user: namedOwner(user) };
    work.tell({ kind: "team-member.added", ...told });
  }
}

async function checkAnotherOwner(tx: Transaction, ownersTeamId: number, user: OwnerRow): Promise<void> {
  if ((await isTeamMember(tx, ownersTeamId, user.id)) && (await countTeamMembers(tx, ownersTeamId)) <= 1) {
    throw new InvalidInput(`"${user.name}" is the only owner of the organization, which must have one`, "username");
  }
}

/** Takes a user out of a team. Throws InvalidInput for the last owner, NotFound when they are not in it. */
export async function removeTeamMember(work: Work, teamId: number, user: OwnerRow): Promise<void> {
  const { tx } = work;
  const locked = await lockTeam(tx, teamId);
  const { team, organization } = locked;
  if (team.mode === accessModes.owner) {
    await checkAnotherOwner(tx, teamId, user);
  }
  if (!(await deleteTeamMember(tx, teamId, user.id))) {
    throw new NotFound("member", user.name);
  }
  await removeFormerMembers(tx, team.organizationId);
  const told = { owner: namedOwner(organization), team: namedTeam(locked), user: namedOwner(user) };
  work.tell({ kind: "team-member.removed", ...told });
}

/**
 * Ends a membership: the user is in no team of the organization any more and has nothing in its repositories but what
 * everybody has. Throws InvalidInput for the last owner, NotFound when they are no member.
 */
export async function removeMember(work: Work, organization: OwnerRow, user: OwnerRow): Promise<void> {
  const { tx } = work;
  const owners = (await lockOwner(tx, organization.id)) === null ? null : await findOwnersTeam(tx, organization.id);
  if (owners === null) {
    throw new NotFound("organization", organization.name);
  }
  await checkAnotherOwner(tx, owners.id, user);
  if (!(await deleteMemberships(tx, organization.id, user.id))) {
    throw new NotFound("member", user.name);
  }
  await removeFormerMembers(tx, organization.id);
  work.tell({ kind: "member.removed", owner: namedOwner(organization), user: namedOwner(user) });
}

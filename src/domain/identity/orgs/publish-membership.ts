import type { NamedOwner } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";
import { deletePublicMember, insertPublicMember } from "./queries.ts";

/** Lets everybody know that a user is a member. That they are one, the caller has checked. */
export async function publishMembership(work: Work, organization: NamedOwner, user: NamedOwner): Promise<void> {
  await insertPublicMember(work.tx, organization.id, user.id);
}

/** Conceals a membership from those who are no members. */
export async function concealMembership(work: Work, organization: NamedOwner, user: NamedOwner): Promise<void> {
  await deletePublicMember(work.tx, organization.id, user.id);
}

import type { OwnerRow } from "../../auth/subject.ts";
import { NotFound } from "../errors.ts";
import { checkEmail } from "../names.ts";
import { checkProfile } from "../owners/profile.ts";
import { updateOwner } from "../owners/queries.ts";
import type { NewOrganization } from "./create-organization.ts";
import type { Work } from "../work.ts";
import { namedOwner } from "../events/names.ts";

/** Throws InvalidInput that names the field when an organization cannot be described so. An empty address is none. */
export function checkOrganization(fields: Partial<NewOrganization>): void {
  checkProfile(fields);
  if (fields.email) {
    checkEmail(fields.email);
  }
}

/** Changes what is given and answers the organization. Throws InvalidInput that names the field, NotFound when it is gone. */
export async function editOrganization(
  work: Work,
  organization: OwnerRow,
  change: Partial<Omit<NewOrganization, "name" | "ownerId">>,
): Promise<OwnerRow> {
  const { tx } = work;
  checkOrganization(change);
  const row = await updateOwner(tx, organization.id, change);
  if (row === null) {
    throw new NotFound("organization", organization.name);
  }
  work.tell({ kind: "organization.edited", owner: namedOwner(row), changed: Object.keys(change) });
  return row;
}

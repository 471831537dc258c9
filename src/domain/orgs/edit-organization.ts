import type { OwnerRow } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { NotFound } from "../errors.ts";
import { checkEmail } from "../names.ts";
import { checkProfile } from "../owners/profile.ts";
import { updateOwner } from "../owners/queries.ts";
import type { NewOrganization } from "./create-organization.ts";

/** Throws InvalidInput that names the field when an organization cannot be described so. An empty address is none. */
export function checkOrganization(fields: Partial<NewOrganization>): void {
  checkProfile(fields);
  if (fields.email) {
    checkEmail(fields.email);
  }
}

/** Changes what is given and answers the organization. Throws InvalidInput that names the field, NotFound when it is gone. */
export async function editOrganization(tx: Transaction, organization: OwnerRow, change: Partial<Omit<NewOrganization, "name" | "ownerId">>): Promise<OwnerRow> {
  checkOrganization(change);
  const row = await updateOwner(tx, organization.id, change);
  if (row === null) {
    throw new NotFound("organization", organization.name);
  }
  return row;
}

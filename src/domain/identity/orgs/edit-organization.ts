import type { OwnerRow } from "../../../auth/subject.ts";
import { visibilities } from "../../../db/schema/owners.ts";
import { demandToOpen } from "../../spine/demand-to-open.ts";
import { NotFound } from "../../spine/errors.ts";
import { checkEmail } from "../owners/names.ts";
import { checkProfile } from "../owners/profile.ts";
import { updateOwner } from "../owners/queries.ts";
import type { NewOrganization } from "./create-organization.ts";
import type { Work } from "../../spine/work.ts";
import { namedOwner } from "../../spine/events/names.ts";

/** Throws InvalidInput that names the field when an organization cannot be described so. An empty address is none. */
export function checkOrganization(fields: Partial<NewOrganization>): void {
  checkProfile(fields);
  if (fields.email) {
    checkEmail(fields.email);
  }
}

/** Whether more people see what the organization has, or more may give teams access to it. */
function opensMore(
  before: OwnerRow,
  { visibility = before.visibility, repoAdminChangeTeamAccess = false }: Partial<NewOrganization>,
): boolean {
  const isShown = visibilities.indexOf(visibility) < visibilities.indexOf(before.visibility);
  return isShown || (repoAdminChangeTeamAccess && !before.repoAdminChangeTeamAccess);
}

/** Changes what is given and answers the organization. Throws InvalidInput that names the field, NotFound when it is gone, and what `demandToOpen` throws. */
export async function editOrganization(
  work: Work,
  organization: OwnerRow,
  change: Partial<Omit<NewOrganization, "name" | "ownerId">>,
): Promise<OwnerRow> {
  const { tx } = work;
  checkOrganization(change);
  if (opensMore(organization, change)) {
    demandToOpen(work.doer, { categories: ["repository"], level: "write" });
  }
  const row = await updateOwner(tx, organization.id, change);
  if (row === null) {
    throw new NotFound("organization", organization.name);
  }
  work.tell({ kind: "organization.edited", owner: namedOwner(row), changed: Object.keys(change) });
  return row;
}

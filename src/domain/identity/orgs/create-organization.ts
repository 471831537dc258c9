import { violatesUnique } from "../../../db/pg-errors.ts";
import { accessModes, type Visibility } from "../../../db/schema/owners.ts";
import { NameTaken } from "../../spine/errors.ts";
import { checkOwnerName } from "../owners/names.ts";
import { deleteOwnerRedirect } from "../owners/queries.ts";
import { insertOrganization, insertTeam, insertTeamMember } from "./queries.ts";
import type { Work } from "../../spine/work.ts";

export interface NewOrganization {
  name: string;
  /** The user who owns it first. */
  ownerId: number;
  fullName?: string;
  email?: string;
  description?: string;
  website?: string;
  location?: string;
  visibility?: Visibility;
  repoAdminChangeTeamAccess?: boolean;
}

/** Creates an organization with its owners team and one owner. Answers its id. Throws InvalidInput, NameTaken. */
export async function createOrganization(work: Work, organization: NewOrganization): Promise<number> {
  const { tx } = work;
  checkOwnerName(organization.name);
  const { ownerId, ...fields } = organization;
  try {
    const id = await insertOrganization(tx, fields);
    const teamId = await insertTeam(tx, {
      organizationId: id,
      name: "Owners",
      mode: accessModes.owner,
      includesAllRepositories: true,
      canCreateRepositories: true,
    });
    await insertTeamMember(tx, teamId, ownerId);
    await deleteOwnerRedirect(tx, organization.name);
    return id;
  } catch (error) {
    throw violatesUnique(error, "owner_lower_name") ? new NameTaken(organization.name) : error;
  }
}

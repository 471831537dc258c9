import type { OwnerRow } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { NotFound } from "../../spine/errors.ts";
import { lockOwner } from "../../identity/owners/queries.ts";
import { hasPackages } from "../../packages/queries.ts";
import { countRepositories, deleteOrganizationRow } from "../../identity/orgs/queries.ts";
import type { Work } from "../../spine/work.ts";

/** Deletes an organization with its teams. Throws InvalidInput while it has repositories or packages, NotFound when it is gone. */
export async function deleteOrganization(work: Work, organization: OwnerRow): Promise<void> {
  const { tx } = work;
  if ((await lockOwner(tx, organization.id)) === null) {
    throw new NotFound("organization", organization.name);
  }
  const repositories = await countRepositories(tx, organization.id);
  if (repositories > 0) {
    throw new InvalidInput(
      `"${organization.name}" has ${repositories === 1 ? "a repository" : `${repositories} repositories`}, which must be deleted first`,
      "org",
    );
  }
  if (await hasPackages(tx, organization.id)) {
    throw new InvalidInput(`"${organization.name}" has packages, which must be deleted first`, "org");
  }
  await deleteOrganizationRow(tx, organization.id);
}

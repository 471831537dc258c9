import type { Work } from "../../spine/work.ts";
import { deleteLostPlaces } from "./list-queries.ts";
import { copyBranchProtectionRows } from "./queries.ts";

/**
 * Gives a new repository the protections of branches of another one. On their lists are those users and teams who have the
 * access to the new repository that this takes.
 */
export async function copyBranchProtections(
  work: Work,
  from: { readonly id: number },
  to: { readonly id: number },
): Promise<void> {
  if (await copyBranchProtectionRows(work.tx, from.id, to.id)) {
    await deleteLostPlaces(work.tx, { repositoryId: to.id });
  }
}

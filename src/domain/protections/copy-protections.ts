import { namedRepository, type NamedRepository } from "../events/names.ts";
import type { Work } from "../work.ts";
import { deleteLostPlaces } from "./list-queries.ts";
import { copyBranchProtectionRows } from "./queries.ts";

/**
 * Gives a new repository the protections of branches of another one. On their lists are those users and teams who have the
 * access to the new repository that this takes.
 */
export async function copyBranchProtections(
  work: Work,
  from: { readonly id: number },
  to: Parameters<typeof namedRepository>[0],
): Promise<void> {
  const repository: NamedRepository = namedRepository(to);
  const copied = await copyBranchProtectionRows(work.tx, from.id, repository.id);
  if (copied.length === 0) {
    return;
  }
  await deleteLostPlaces(work.tx, { repositoryId: repository.id });
  for (const { id, ruleName } of copied) {
    work.tell({ kind: "branch-protection.created", repository, protection: { id, name: ruleName } });
  }
}

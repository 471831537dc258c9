import { lockOwners } from "../owners/queries.ts";
import type { Work } from "../../spine/work.ts";
import { lockRepositoryCounts } from "./queries.ts";
import { deleteTies, findTies, tieKinds, type Which } from "./tie-queries.ts";

/**
 * Takes away the stars, watches and access of users whom the owner of repositories keeps away, and tells of the latter. The block, and the owner, are in the database already. The caller holds the rows of the blocker and, where it is about one user, of theirs.
 */
export async function cutTies(work: Work, blockerId: number, which: Which): Promise<void> {
  const { tx } = work;
  const ties = await findTies(tx, blockerId, which);
  const starred = ties.filter(({ kind }) => kind === "star");
  await lockOwners(tx, [...new Set(starred.map(({ user }) => user.id))]);
  const counted = ties.filter(({ kind }) => kind !== "collaborator");
  await lockRepositoryCounts(tx, [...new Set(counted.map(({ repository }) => repository.id))]);
  for (const kind of tieKinds) {
    const cut = await deleteTies(
      tx,
      kind,
      ties.filter((tie) => tie.kind === kind),
    );
    if (kind === "collaborator") {
      cut.forEach(({ repository, user }) => work.tell({ kind: "collaborator.removed", repository, user }));
    }
  }
}

import type { RepositoryRow } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { NotFound } from "../errors.ts";
import { deleteUnusedKeys, lockKeysOfRepositories } from "../keys/queries.ts";
import { lockOwners } from "../owners/queries.ts";
import { deleteUnlinkedPacks, lockPacks } from "../packs/queries.ts";
import { deleteRepositoryRow, lockRepositoryRows, stargazersOf } from "./queries.ts";

/**
 * Deletes a repository and all that is only its own, down to the rows of packs that no other repository has and
 * of deploy keys' keys that open nothing else; the pack files are removed by the collector. Throws NotFound when it is gone already.
 */
export async function deleteRepository(tx: Transaction, repository: RepositoryRow): Promise<void> {
  if ((await deleteRepositories(tx, [repository.id])) === 0) {
    throw new NotFound("repository", repository.name);
  }
}

/**
 * The same for several, of which some may be gone already; answers how many there were. Kind by kind instead of repository
 * by repository, in the order of locks that docs/architecture.md has.
 */
export async function deleteRepositories(tx: Transaction, repositoryIds: readonly number[]): Promise<number> {
  const ids = await lockRepositoryRows(tx, repositoryIds);
  if (ids.length > 0) {
    // Another repository may get one of the packs in this moment: their rows decide who is first.
    const packs = await lockPacks(tx, ids);
    const keys = await lockKeysOfRepositories(tx, ids);
    // Their numbers of stars change.
    await lockOwners(tx, await stargazersOf(tx, ids));
    // One by one: there is a limit to how long a statement takes.
    for (const id of ids) {
      await deleteRepositoryRow(tx, id);
    }
    await deleteUnlinkedPacks(tx, packs);
    await deleteUnusedKeys(tx, keys);
  }
  return ids.length;
}

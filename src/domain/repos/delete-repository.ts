import type { RepositoryRow } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { NotFound } from "../errors.ts";
import { deleteUnusedKeys, lockKeysOfRepository } from "../keys/queries.ts";
import { deleteUnlinkedPacks, lockPacks } from "../packs/queries.ts";
import { deleteRepositoryRow, lockRepositoryRow } from "./queries.ts";

/**
 * Deletes a repository and all that is only its own, down to the rows of packs that no other repository has and
 * of deploy keys' keys that open nothing else; the pack files are removed by the collector. Throws NotFound when it is gone already.
 */
export async function deleteRepository(tx: Transaction, repository: RepositoryRow): Promise<void> {
  if ((await lockRepositoryRow(tx, repository.id)) === null) {
    throw new NotFound("repository", repository.name);
  }
  // Another repository may get one of the packs in this moment: their rows decide who is first.
  const packs = await lockPacks(tx, repository.id);
  const keys = await lockKeysOfRepository(tx, repository.id);
  await deleteRepositoryRow(tx, repository.id);
  await deleteUnlinkedPacks(tx, packs);
  await deleteUnusedKeys(tx, keys);
}

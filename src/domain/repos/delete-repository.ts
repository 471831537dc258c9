import type { RepositoryRow } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { NotFound } from "../errors.ts";
import { deleteUnlinkedPacks } from "../packs/queries.ts";
import { deleteRepositoryRow } from "./queries.ts";

/**
 * Deletes a repository and all that is only its own, down to the rows of packs that no other repository has;
 * the pack files are removed by the collector. Throws NotFound when it is gone already.
 */
export async function deleteRepository(tx: Transaction, repository: RepositoryRow): Promise<void> {
  if (!(await deleteRepositoryRow(tx, repository.id))) {
    throw new NotFound("repository", repository.name);
  }
  await deleteUnlinkedPacks(tx);
}

import type { Transaction } from "../../db/client.ts";
import { NotFound } from "../errors.ts";
import { deleteDeployKeyRow, deleteUnusedKeys, lockKeysOfRepositories } from "./queries.ts";

/** Takes a deploy key from a repository. Throws NotFound when the repository has none with this id. */
export async function deleteDeployKey(tx: Transaction, id: number, repositoryId: number): Promise<void> {
  const keys = await lockKeysOfRepositories(tx, [repositoryId], id);
  if (!(await deleteDeployKeyRow(tx, id, repositoryId))) {
    throw new NotFound("deploy key", String(id));
  }
  await deleteUnusedKeys(tx, keys);
}

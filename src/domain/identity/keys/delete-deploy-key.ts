import { NotFound } from "../../spine/errors.ts";
import { deleteDeployKeyRow, deleteUnusedKeys, lockKeysOfRepositories } from "./queries.ts";
import type { Work } from "../../spine/work.ts";
import type { RepositoryAccess } from "../../../auth/subject.ts";

/** Takes a deploy key from a repository. Throws NotFound when the repository has none with this id. */
export async function deleteDeployKey(
  work: Work,
  access: Pick<RepositoryAccess, "repository" | "owner">,
  id: number,
): Promise<void> {
  const { tx } = work;
  const { id: repositoryId } = access.repository;
  const keys = await lockKeysOfRepositories(tx, [repositoryId], id);
  if (!(await deleteDeployKeyRow(tx, id, repositoryId))) {
    throw new NotFound("deploy key", String(id));
  }
  await deleteUnusedKeys(tx, keys);
}

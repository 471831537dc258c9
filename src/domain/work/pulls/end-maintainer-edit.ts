import type { RepositoryAccess } from "../../../auth/subject.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Work } from "../../spine/work.ts";
import { findPullById, findStoredRepository, lockPull } from "./queries.ts";
import { setMaintainerEdit } from "./write-queries.ts";

/**
 * Ends that maintainers of its base push to the branch of a repository that a pull request is from. For those who may push to the repository, also
 * where its base is hidden from them. `pullId`: of its issue. Throws NotFound, Forbidden.
 */
export async function endMaintainerEdit(work: Work, head: RepositoryAccess, pullId: number): Promise<void> {
  const { tx } = work;
  await work.demand({ on: "repository", do: "write", unit: "code" });
  const found = await findPullById(tx, pullId);
  const base = found === null ? null : await findStoredRepository(tx, found.pull.baseRepositoryId);
  const locked = found === null || base === null ? null : await lockPull(tx, base.repository.id, found.issue.number);
  const isOurs = locked?.pull.headRepositoryId === head.repository.id && locked.pull.allowMaintainerEdit;
  if (base === null || locked === null || !isOurs) {
    throw new NotFound("maintainer edit", String(pullId));
  }
  await setMaintainerEdit(tx, pullId, null);
}

import type { Actor, RepositoryRow } from "../../auth/subject.ts";
import { Forbidden, NotFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { changeRefs } from "../refs/change-refs.ts";
import { lockRepository } from "../refs/queries.ts";

/** Deletes a branch. Throws NotFound, Forbidden for the default branch, RefsRefused when it moved in this moment. */
export async function deleteBranch(forge: Forge, repository: RepositoryRow, actor: Actor, branch: string): Promise<void> {
  const name = `refs/heads/${branch}`;
  const found = await forge.refs.findRef(repository.id, name);
  if (found === null) {
    throw new NotFound("branch", branch);
  }
  await forge.database.db.transaction(async (tx) => {
    // Under the lock: the default branch may just have become another one.
    const locked = await lockRepository(tx, repository.id);
    if (locked?.defaultBranch === branch) {
      throw new Forbidden(`The branch "${branch}" is the default branch and cannot be deleted`);
    }
    await changeRefs(tx, {
      repositoryId: repository.id,
      repositoryName: repository.name,
      actorId: actor.id,
      policy: forge.config.git,
      reason: "delete branch",
      changes: [{ name, oldOid: found.oid, newOid: null, peeled: null }],
      packs: [],
      atomic: true,
    });
  });
}

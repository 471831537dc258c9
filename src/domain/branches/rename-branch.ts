import type { Actor, RepositoryRow } from "../../auth/subject.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { NotFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { changeRefs } from "../refs/change-refs.ts";
import { lockRepository, setHead } from "../refs/queries.ts";
import { checkBranchName } from "./create-branch.ts";

/**
 * Renames a branch; when it is the default one, the new name is the default one.
 * Throws InvalidInput (no name, or it exists), NotFound, RefsRefused (another name is in the way, or it moved in this moment).
 */
export async function renameBranch(forge: Forge, repository: RepositoryRow, actor: Actor, branch: string, newName: string): Promise<void> {
  const found = await forge.refs.findRef(repository.id, `refs/heads/${branch}`);
  if (found === null) {
    throw new NotFound("branch", branch);
  }
  checkBranchName(newName, "name");
  if (newName === branch) {
    return;
  }
  if ((await forge.refs.findRef(repository.id, `refs/heads/${newName}`)) !== null) {
    throw new InvalidInput(`The branch "${newName}" exists already`, "name");
  }
  await forge.database.db.transaction(async (tx) => {
    // First, because the default branch is not deleted.
    const locked = await lockRepository(tx, repository.id);
    if (locked?.defaultBranch === branch) {
      await setHead(tx, repository.id, { defaultBranch: newName, empty: false });
    }
    await changeRefs(tx, {
      repositoryId: repository.id,
      repositoryName: repository.name,
      actorId: actor.id,
      policy: forge.config.git,
      reason: "rename branch",
      changes: [
        { name: `refs/heads/${branch}`, oldOid: found.oid, newOid: null, peeled: null },
        { name: `refs/heads/${newName}`, oldOid: null, newOid: found.oid, peeled: null },
      ],
      packs: [],
      atomic: true,
    });
  });
}

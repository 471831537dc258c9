import type { RepositoryAccess } from "../../auth/subject.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Doer } from "../doer.ts";
import { NotFound } from "../errors.ts";
import { namedRepository } from "../events.ts";
import type { Forge } from "../forge.ts";
import { moveRefs } from "../refs/move-refs.ts";
import { setHead } from "../refs/queries.ts";
import { checkBranchName } from "./create-branch.ts";

/**
 * Renames a branch; when it is the default one, the new name is the default one.
 * Throws InvalidInput (no name, or it exists), NotFound, RefsRefused (another name is in the way, or it moved in this moment).
 */
export async function renameBranch(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  branch: string,
  newName: string,
): Promise<void> {
  const { repository } = access;
  const found = await forge.git.refs.findRef(repository.id, `refs/heads/${branch}`);
  if (found === null) {
    throw new NotFound("branch", branch);
  }
  checkBranchName(newName, "name");
  if (newName === branch) {
    return;
  }
  if ((await forge.git.refs.findRef(repository.id, `refs/heads/${newName}`)) !== null) {
    throw new InvalidInput(`The branch "${newName}" exists already`, "name");
  }
  await forge.change(doer, (work) =>
    moveRefs(work, {
      repository: namedRepository(access),
      changes: [
        { name: `refs/heads/${branch}`, oldOid: found.oid, newOid: null, peeled: null },
        { name: `refs/heads/${newName}`, oldOid: null, newOid: found.oid, peeled: null },
      ],
      reason: "rename branch",
      underLock: async (locked) => {
        if (locked.defaultBranch !== branch) {
          return locked;
        }
        // First, because the default branch is not deleted.
        await setHead(work.tx, repository.id, { defaultBranch: newName, empty: false });
        return { ...locked, defaultBranch: newName };
      },
    }),
  );
}

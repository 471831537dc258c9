import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Doer } from "../../spine/doer.ts";
import { Forbidden, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { moveRefs } from "../refs/move-refs.ts";

/** Deletes a branch. Throws NotFound, Forbidden for the default branch, RefsRefused when it moved in this moment. */
export async function deleteBranch(forge: Forge, doer: Doer, access: RepositoryAccess, branch: string): Promise<void> {
  const name = `refs/heads/${branch}`;
  const found = await forge.git.refs.findRef(access.repository.id, name);
  if (found === null) {
    throw new NotFound("branch", branch);
  }
  await forge.change(doer, (work) =>
    moveRefs(work, {
      repository: namedRepository(access),
      changes: [{ name, oldOid: found.oid, newOid: null, peeled: null }],
      reason: "delete branch",
      underLock: async (locked) => {
        // The default branch may just have become another one.
        if (locked.defaultBranch === branch) {
          throw new Forbidden(`The branch "${branch}" is the default branch and cannot be deleted`);
        }
        return locked;
      },
    }),
  );
}

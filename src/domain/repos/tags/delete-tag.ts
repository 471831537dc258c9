import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Doer } from "../../spine/doer.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { moveRefs } from "../../git/refs/move-refs.ts";
import { isReleased } from "../releases/queries.ts";

/** Deletes a tag; what it names stays. Throws NotFound, Conflict for the tag of a release, RefsRefused when it moved in this moment. */
export async function deleteTag(forge: Forge, doer: Doer, access: RepositoryAccess, tag: string): Promise<void> {
  const name = `refs/tags/${tag}`;
  const found = await forge.git.refs.findRef(access.repository.id, name);
  if (found === null) {
    throw new NotFound("tag", tag);
  }
  await forge.change(doer, (work) =>
    moveRefs(work, {
      repository: namedRepository(access),
      changes: [{ name, oldOid: found.oid, newOid: null, peeled: null }],
      reason: "delete tag",
      underLock: async (locked) => {
        if (await isReleased(work.tx, access.repository.id, tag)) {
          throw new Conflict(`The tag "${tag}" has a release: delete that first`, { tag });
        }
        return locked;
      },
    }),
  );
}

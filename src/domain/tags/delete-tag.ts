import type { Actor, RepositoryRow } from "../../auth/subject.ts";
import { NotFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { changeRefs } from "../refs/change-refs.ts";

/** Deletes a tag; what it names stays. Throws NotFound, RefsRefused when it moved in this moment. */
export async function deleteTag(forge: Forge, repository: RepositoryRow, actor: Actor, tag: string): Promise<void> {
  const name = `refs/tags/${tag}`;
  const found = await forge.refs.findRef(repository.id, name);
  if (found === null) {
    throw new NotFound("tag", tag);
  }
  await forge.database.db.transaction((tx) =>
    changeRefs(tx, {
      repositoryId: repository.id,
      repositoryName: repository.name,
      actorId: actor.id,
      policy: forge.config.git,
      reason: "delete tag",
      changes: [{ name, oldOid: found.oid, newOid: null, peeled: null }],
      packs: [],
      atomic: true,
    }),
  );
}

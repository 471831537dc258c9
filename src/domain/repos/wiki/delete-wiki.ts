import type { RepositoryAccess } from "../../../auth/subject.ts";
import { moveRefs } from "../../git/refs/move-refs.ts";
import { readRefs } from "../../git/refs/queries.ts";
import { wikiRow, wikiStoreOf } from "../../git/wiki-stores/wiki-store.ts";
import { NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";

/**
 * Deletes all branches of a wiki, and so its pages. The objects go with the next collection of what nothing leads to. Throws NotFound where there is
 * none, and what `moveRefs` throws.
 */
export async function deleteWiki(
  work: Work,
  { repository, owner }: Pick<RepositoryAccess, "repository" | "owner">,
): Promise<void> {
  const refs = await readRefs(work.tx, wikiStoreOf(repository.id));
  if (refs.size === 0) {
    throw new NotFound("wiki", `${owner.name}/${repository.name}`);
  }
  await moveRefs(work, {
    repository: namedRepository({ repository: wikiRow(repository, null), owner }),
    changes: [...refs].map(([name, oldOid]) => ({ name, oldOid, newOid: null, peeled: null })),
    reason: "delete wiki",
    takesHead: true,
  });
}

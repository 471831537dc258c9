import { namedRepository, type NamedOwner } from "../../spine/events/names.ts";
import type { RepositoryRow } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { moveRefs, RefsRefused } from "./move-refs.ts";
import { readRefsAround, type RefChange } from "./queries.ts";
import type { Work } from "../../spine/work.ts";
import { wikiRow } from "../wiki-stores/wiki-store.ts";

const asked = (name: string): RefChange => ({ name, oldOid: null, newOid: null, peeled: null });

/**
 * Lets a wiki's pages follow the setting `wikiBranch`, which the repository has in its new value already: the branch of the former
 * name gets the new one, unless there is a branch of that name, which then is the wiki. Throws InvalidInput where another
 * name is in the way, or the operator forbids to delete branches.
 */
export async function renameWikiBranch(
  work: Work,
  { repository, owner }: { repository: RepositoryRow; owner: NamedOwner },
  oldBranch: string,
): Promise<void> {
  const wiki = wikiRow(repository, null);
  const [oldName, newName] = [`refs/heads/${oldBranch}`, `refs/heads/${repository.wikiBranch}`];
  const refs = await readRefsAround(work.tx, wiki.id, [asked(oldName), asked(newName)]);
  const oid = refs.get(oldName);
  if (oid === undefined || refs.has(newName)) {
    return;
  }
  try {
    await moveRefs(work, {
      repository: namedRepository({ repository: wiki, owner }),
      changes: [
        { name: oldName, oldOid: oid, newOid: null, peeled: null },
        { name: newName, oldOid: null, newOid: oid, peeled: null },
      ],
      reason: "rename branch",
    });
  } catch (error) {
    throw error instanceof RefsRefused
      ? new InvalidInput(
          `The branch of the wiki cannot become "${repository.wikiBranch}": ${error.message}`,
          "wiki_branch",
        )
      : error;
  }
}

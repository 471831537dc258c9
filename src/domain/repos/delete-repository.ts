import type { RepositoryRow } from "../../auth/subject.ts";
import { NotFound } from "../spine/errors.ts";
import { findOpenHeads, findRelatives } from "./fork-queries.ts";
import { deleteUnusedKeys, lockKeysOfRepositories } from "../identity/keys/queries.ts";
import { lockOwners } from "../identity/owners/queries.ts";
import { retireUnlinkedPacks, lockPacks } from "../git/packs/queries.ts";
import { lockRepositoryCounts } from "../identity/social/queries.ts";
import {
  deleteRepositoryRow,
  lockRepositoryRows,
  lockTopicsOf,
  readWholeRepositories,
  stargazersOf,
} from "./queries.ts";
import { keepLast } from "../spine/events/last.ts";
import type { Work } from "../spine/work.ts";

/**
 * Deletes a repository and all that is only its own, down to the rows of deploy keys' keys that open nothing else. Packs
 * that no other repository has are retired: the collector removes them an hour later. Throws NotFound when it is gone already.
 */
export async function deleteRepository(work: Work, repository: RepositoryRow): Promise<void> {
  if ((await deleteRepositories(work, [repository.id])) === 0) {
    throw new NotFound("repository", repository.name);
  }
}

/**
 * Deletes several repositories, some of which may be gone already. Returns how many there were. Kind by kind instead of
 * repository by repository, in the order of locks that docs/architecture.md has.
 */
export async function deleteRepositories(work: Work, repositoryIds: readonly number[]): Promise<number> {
  const { tx } = work;
  // Their forks lose their parent: the rows of both, in one order.
  const { forks, parents } = await findRelatives(tx, repositoryIds);
  // Pull requests from them are closed: nobody merges one meanwhile.
  const bases = (await findOpenHeads(tx, repositoryIds, false)).map(({ baseId }) => baseId);
  const wanted = new Set(repositoryIds);
  const locked = (await lockRepositoryRows(tx, [...repositoryIds, ...forks, ...bases])).filter(({ id }) =>
    wanted.has(id),
  );
  const ids = locked.map(({ id }) => id);
  if (ids.length > 0) {
    const heads = await findOpenHeads(tx, ids, true);
    // Another repository may get one of the packs in this moment: their rows decide who is first.
    const packs = await lockPacks(tx, ids);
    const keys = await lockKeysOfRepositories(tx, ids);
    // Their numbers of stars change.
    await lockOwners(tx, await stargazersOf(tx, ids));
    await lockRepositoryCounts(tx, [...ids, ...parents, ...heads.map(({ baseId }) => baseId)]);
    await lockTopicsOf(tx, ids);
    const last = await readWholeRepositories(tx, ids);
    // One by one: there is a limit to how long a statement takes.
    for (const id of ids) {
      await deleteRepositoryRow(tx, id);
    }
    await retireUnlinkedPacks(tx, packs);
    await deleteUnusedKeys(tx, keys);
    locked.forEach((repository, at) => {
      const issueIds = heads.filter(({ headId }) => headId === repository.id).map(({ issueId }) => issueId);
      if (issueIds.length > 0) {
        work.tell({ kind: "repository.heads-lost", repository, issueIds });
      }
      work.tell({ kind: "repository.deleted", repository, last: keepLast(last[at] ?? null) });
    });
  }
  return ids.length;
}

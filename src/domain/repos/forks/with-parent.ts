import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import type { Reader } from "../../../db/client.ts";
import { findVisibleRepositories } from "./queries.ts";

/** A repository with the one that it is a fork of; null where it is none, or the viewer may not know of that one. */
export interface RepositoryWithParent extends RepositoryAccess {
  parent: RepositoryAccess | null;
}

/** Adds their parents to repositories: one query for all of them, and none where no one is a fork. */
export async function withParents(
  db: Reader,
  viewer: Viewer,
  list: readonly RepositoryAccess[],
): Promise<RepositoryWithParent[]> {
  const ids = new Set(list.flatMap(({ repository }) => repository.forkOf ?? []));
  const parents = await findVisibleRepositories(db, viewer, [...ids]);
  return list.map((access) => ({ ...access, parent: parents.get(access.repository.forkOf ?? 0) ?? null }));
}

/** Adds its parent to a repository: one query for a fork, and none for others. */
export async function withParent(db: Reader, viewer: Viewer, access: RepositoryAccess): Promise<RepositoryWithParent> {
  const [found] = await withParents(db, viewer, [access]);
  return found ?? { ...access, parent: null };
}

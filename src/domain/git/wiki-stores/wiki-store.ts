import type { RepositoryAccess, RepositoryRow } from "../../../auth/subject.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import type { NamedRepository } from "../../spine/events/names.ts";

/**
 * Refs and packs hang on ids of `git_store`: the code's is the repository's own id, the wiki's is minus that. Git's
 * services and the engine take a wiki in the shape of a repository with that id; everything else is given the repository.
 */
export const wikiSuffix = ".wiki";

/** Returns the id that the refs and packs of a repository's wiki have. */
export function wikiStoreOf(repositoryId: number): number {
  return -repositoryId;
}

/** Whether refs and packs of this id are those of a wiki. */
export function isWikiStore(storeId: number): boolean {
  return storeId < 0;
}

/** Returns the id of the repository to which refs and packs of this id belong. */
export function repositoryOfStore(storeId: number): number {
  return Math.abs(storeId);
}

/** Whether this is a wiki, in the shape of a repository, that the caller writes to because anybody may: what they bring counts as guests'. */
export function isGuestOfWiki({ repository, units }: Pick<RepositoryAccess, "repository" | "units">): boolean {
  return isWikiStore(repository.id) && repository.globallyEditableWiki && units.wiki < accessModes.write;
}

/** The fields that change with each write to a wiki; null if nothing was ever written. */
export type WikiState = Pick<RepositoryRow, "generation" | "empty"> | null;

/** Returns the wiki of a repository in the shape of a repository. Its id is in no table of repositories. */
export function wikiRow(repository: RepositoryRow, state: WikiState): RepositoryRow {
  return {
    ...repository,
    id: wikiStoreOf(repository.id),
    name: repository.name + wikiSuffix,
    defaultBranch: repository.wikiBranch,
    generation: state?.generation ?? 0,
    empty: state?.empty ?? true,
  };
}

/** Returns the repository that events and rights are about, for a repository or a wiki in its shape. */
export function namedRepositoryOf(named: NamedRepository): NamedRepository {
  return isWikiStore(named.id)
    ? { ...named, id: repositoryOfStore(named.id), name: named.name.slice(0, -wikiSuffix.length) }
    : named;
}

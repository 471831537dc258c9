import type { NamedOwner, NamedRepository } from "../../spine/events/names.ts";

/** Whose secrets and variables they are: a user's or an organization's, or, where `repository` is not null, that repository's. */
export interface Holder {
  readonly owner: NamedOwner;
  readonly repository: NamedRepository | null;
}

/** The columns that a row of the holder has. */
export function holderColumns({ owner, repository }: Holder): { ownerId: number | null; repositoryId: number | null } {
  return repository === null
    ? { ownerId: owner.id, repositoryId: null }
    : { ownerId: null, repositoryId: repository.id };
}

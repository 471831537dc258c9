import type { NamedOwner, NamedRepository } from "../../spine/events/names.ts";

/** The holder of secrets and variables: a user or an organization, or `repository` if it is not null. */
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

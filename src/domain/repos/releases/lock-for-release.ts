import type { RepositoryAccess } from "../../../auth/subject.ts";
import { NotFound, RepositoryArchived } from "../../spine/errors.ts";
import { namedRepository, type NamedRepository } from "../../spine/events/names.ts";
import { lockRepositoryRow } from "../../spine/lock-queries.ts";
import type { Work } from "../../spine/work.ts";

/**
 * Takes the repository's row, with which every change of releases and their files begins: so a tag, its release and the
 * files are looked at and changed by one at a time. Throws NotFound, RepositoryArchived, and what `lookAgain` throws.
 */
export async function lockForRelease(work: Work, access: RepositoryAccess): Promise<NamedRepository> {
  const repository = namedRepository(access);
  const fullName = `${repository.owner.name}/${repository.name}`;
  const locked = await lockRepositoryRow(work.tx, repository.id);
  if (locked === null) {
    throw new NotFound("repository", fullName);
  }
  if (locked.archivedAt !== null) {
    throw new RepositoryArchived(fullName);
  }
  await work.lookAgainLocked(repository.id);
  return repository;
}

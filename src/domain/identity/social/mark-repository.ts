import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { NamedOwner } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";
import { NotFound } from "../../spine/errors.ts";
import {
  findWatch,
  insertStar,
  insertWatch,
  removeStar,
  removeWatch,
  updateWatch,
  type WatchKinds,
} from "./queries.ts";

/** Gives a repository a star of the user. A second one changes nothing. */
export async function starRepository(work: Work, user: NamedOwner, access: RepositoryAccess): Promise<void> {
  await insertStar(work.tx, user.id, access.repository.id);
}

/** Takes the star of the user back; nothing happens without one. */
export async function unstarRepository(work: Work, user: NamedOwner, access: RepositoryAccess): Promise<void> {
  await removeStar(work.tx, user.id, access.repository.id);
}

/** Lets a user watch a repository. Returns since when they do. */
export async function watchRepository(work: Work, user: NamedOwner, access: RepositoryAccess): Promise<Date> {
  await insertWatch(work.tx, user.id, access.repository.id);
  return (await findWatch(work.tx, user.id, access.repository.id))?.createdAt ?? new Date();
}

/** Lets a user no longer watch a repository; nothing happens when they did not. */
export async function unwatchRepository(work: Work, user: NamedOwner, access: RepositoryAccess): Promise<void> {
  await removeWatch(work.tx, user.id, access.repository.id);
}

/** Sets what a user hears of a repository that they watch. Throws NotFound if they do not. */
export async function editWatch(
  work: Work,
  user: NamedOwner,
  { owner, repository }: RepositoryAccess,
  kinds: WatchKinds,
): Promise<void> {
  if (!(await updateWatch(work.tx, user.id, repository.id, kinds))) {
    throw new NotFound("watched repository", `${owner.name}/${repository.name}`);
  }
}

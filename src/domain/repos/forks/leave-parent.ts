import type { RepositoryAccess } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { lockRepositoryCounts } from "../../identity/social/queries.ts";
import { isForkOfHidden } from "../fork-queries.ts";
import { lockRepositoryRows, updateRepository } from "../queries.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";
import { countForkLess } from "./queries.ts";

/**
 * Makes a repository of its own of a fork. Its pull requests to the parent stay. Throws InvalidInput for what is no fork, and for a fork of
 * something that fewer people may see: on its own it could be shown to all.
 */
export async function leaveParent(work: Work, access: Pick<RepositoryAccess, "repository" | "owner">): Promise<void> {
  const { tx } = work;
  const { id, forkOf } = access.repository;
  const fullName = `${access.owner.name}/${access.repository.name}`;
  if (forkOf === null) {
    throw new InvalidInput(`The repository "${fullName}" is not a fork`);
  }
  await lockRepositoryRows(tx, [forkOf, id]);
  if (await isForkOfHidden(tx, id)) {
    throw new InvalidInput(`"${fullName}" is a fork of a repository that fewer people may see, so it stays a fork`);
  }
  await lockRepositoryCounts(tx, [forkOf]);
  await updateRepository(tx, id, { forkOf: null });
  await countForkLess(tx, forkOf);
  work.tell({ kind: "repository.edited", repository: namedRepository(access), changed: ["forkOf"] });
}

import type { OwnerRow, RepositoryRow } from "../../../auth/subject.ts";
import { violatesUnique } from "../../../db/pg-errors.ts";
import { deleteCollaborator } from "../collaborators/queries.ts";
import { actorOf } from "../../spine/doer.ts";
import { Conflict, DeletedMeanwhile } from "../../spine/errors.ts";
import { namedOwner, namedRepository } from "../../spine/events/names.ts";
import { lockOwners } from "../../identity/owners/queries.ts";
import { checkRepositoryLimit } from "../check-limit.ts";
import { deleteRedirect, insertRedirect, updateRepository } from "../queries.ts";
import { cutTies } from "../../identity/social/cut-ties.ts";
import { findBlockedStargazers } from "../../identity/social/tie-queries.ts";
import { insertWatch } from "../../identity/social/queries.ts";
import type { Work } from "../../spine/work.ts";
import { checkNotBlocked } from "./check-transfer.ts";
import { deleteTeamsOf, deleteTransfer, findTeams, insertTeamsOf, isBeingMigrated } from "./queries.ts";

/**
 * Gives a repository another owner, with all that is in it. Its address leads to the new one. The teams of its
 * organization lose it, those of `teamIds` get it, and users whom the new owner blocks lose all access to it. The
 * caller holds the repository's row. Throws Conflict when the new owner has a repository of the name, or a migration
 * brings it still (the user who started it may cancel it, which deletes the repository), and Forbidden when they may
 * have no more, or they and the old owner keep each other away.
 */
export async function moveRepository(
  work: Work,
  current: { repository: RepositoryRow; owner: OwnerRow },
  recipient: OwnerRow,
  teamIds: readonly number[],
): Promise<RepositoryRow> {
  const { tx } = work;
  const { repository, owner } = current;
  const { id } = repository;
  // All at once, and before the counters: a star that is taken back takes its user first.
  await lockOwners(tx, [owner.id, recipient.id, ...(await findBlockedStargazers(tx, recipient.id, id))]);
  await checkNotBlocked(tx, recipient, [owner]);
  if (!actorOf(work.doer).isAdmin) {
    await checkRepositoryLimit(tx, recipient, work.config.users.repositories);
  }
  if (await isBeingMigrated(tx, id)) {
    throw new Conflict(
      `The repository "${owner.name}/${repository.name}" is being brought from elsewhere: wait until its migration has ended, or cancel it`,
    );
  }
  await deleteTransfer(tx, id);
  const row = await changeOwner(work, current, recipient);
  await deleteRedirect(tx, recipient.id, repository.name);
  await insertRedirect(tx, owner.id, repository.name, id);
  const named = namedRepository({ repository: row, owner: recipient });
  work.tell({ kind: "repository.transferred", repository: named, oldOwner: namedOwner(owner) });
  for (const team of await deleteTeamsOf(tx, id)) {
    work.tell({ kind: "team-repository.removed", repository: named, team });
  }
  const teams = await findTeams(tx, teamIds);
  await insertTeamsOf(
    tx,
    id,
    teams.filter(({ organizationId, hasAll }) => organizationId === recipient.id && !hasAll),
  );
  if (await deleteCollaborator(tx, id, recipient.id)) {
    work.tell({ kind: "collaborator.removed", repository: named, user: namedOwner(recipient) });
  }
  await cutTies(work, recipient.id, { repositoryId: id });
  if (recipient.kind === "user") {
    await insertWatch(tx, recipient.id, id);
  }
  return row;
}

async function changeOwner(
  { tx }: Work,
  { repository: { id, name } }: { repository: RepositoryRow },
  recipient: OwnerRow,
): Promise<RepositoryRow> {
  try {
    const row = await updateRepository(tx, id, { ownerId: recipient.id });
    if (row === null) {
      throw new DeletedMeanwhile("repository", name);
    }
    return row;
  } catch (error) {
    throw violatesUnique(error, "repository_owner_name")
      ? new Conflict(`The repository "${recipient.name}/${name}" already exists`)
      : error;
  }
}

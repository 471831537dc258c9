import type { Actor, OwnerRow, RepositoryAccess } from "../../../auth/subject.ts";
import type { Transaction } from "../../../db/client.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { actorOf } from "../../spine/doer.ts";
import { Conflict } from "../../spine/errors.ts";
import { namedOwner, namedRepository } from "../../spine/events/names.ts";
import { findMembership } from "../../identity/orgs/queries.ts";
import { findRepositoryByName } from "../queries.ts";
import type { Work } from "../../spine/work.ts";
import { checkNotBlocked, checkTransferToken } from "./check-transfer.ts";
import { lockForTransfer } from "./lock-for-transfer.ts";
import { moveRepository } from "./move-repository.ts";
import { findTransfer, writeReaders, insertTransfer } from "./queries.ts";
import { readTransferTeams } from "./transfer-teams.ts";

/**
 * Gives a repository a new owner: at once if the doer may make repositories there, else when the new owner accepts it.
 * `teamIds`: the teams of the new owner that will have it. Returns whether it waits to be accepted. Throws InvalidInput that
 * names the field, Forbidden, and Conflict when the repository is offered to somebody already.
 */
export async function startTransfer(
  work: Work,
  access: RepositoryAccess,
  recipient: OwnerRow,
  teamIds: readonly number[],
): Promise<"moved" | "offered"> {
  const { tx } = work;
  const actor = actorOf(work.doer);
  checkTransferToken(work.doer, recipient);
  const current = await lockForTransfer(work, access);
  const { repository, owner } = current;
  if (recipient.id === owner.id) {
    throw new InvalidInput(`"${recipient.name}" owns the repository already`, "new_owner");
  }
  const teams = await readTransferTeams(tx, recipient, teamIds);
  await checkNotBlocked(tx, recipient, [owner, actor]);
  if ((await findRepositoryByName(tx, recipient.name, repository.name)) !== null) {
    throw new InvalidInput(`The repository "${recipient.name}/${repository.name}" already exists`, "new_owner");
  }
  // The repository's row is held: nobody else offers it meanwhile.
  if ((await findTransfer(tx, repository.id)) !== null) {
    throw new Conflict(
      `The repository "${owner.name}/${repository.name}" is offered to a new owner already: reject that first`,
    );
  }
  if (await mayMakeAt(tx, actor, recipient)) {
    await moveRepository(work, current, recipient, teams);
    return "moved";
  }
  await insertTransfer(tx, {
    repositoryId: repository.id,
    doerId: actor.id,
    recipientId: recipient.id,
    teamIds: teams,
  });
  await writeReaders(tx, { repositoryId: repository.id });
  work.tell({ kind: "transfer.offered", repository: namedRepository(current), recipient: namedOwner(recipient) });
  return "offered";
}

/** Whether the repository would be the actor's own to make there: nobody else has to accept it. */
async function mayMakeAt(tx: Transaction, actor: Actor, recipient: OwnerRow): Promise<boolean> {
  return (
    actor.isAdmin ||
    actor.id === recipient.id ||
    (recipient.kind === "organization" && (await findMembership(tx, recipient.id, actor.id)).creates)
  );
}

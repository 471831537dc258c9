import type { RepositoryAccess, RepositoryRow } from "../../../auth/subject.ts";
import { actorOf } from "../../spine/doer.ts";
import { Forbidden, NotFound } from "../../spine/errors.ts";
import type { Work } from "../../spine/work.ts";
import { checkTransferToken } from "./check-transfer.ts";
import { lockForTransfer } from "./lock-for-transfer.ts";
import { moveRepository } from "./move-repository.ts";
import { deleteTransfer, findTransfer, isOfferedTo, mayGiveAway } from "./queries.ts";

/**
 * Takes a repository that is offered to the doer, or to an organization that they may make repositories in. Throws NotFound
 * when none is offered, Forbidden when it is offered to others, or by somebody who may not give it away any more, and what
 * `moveRepository` throws.
 */
export async function acceptTransfer(work: Work, access: RepositoryAccess): Promise<RepositoryRow> {
  const { current, transfer, isRecipient } = await findOffer(work, access);
  const { repository, owner } = current;
  if (!isRecipient) {
    throw new Forbidden(`"${owner.name}/${repository.name}" is not offered to you`);
  }
  const { recipient, doer, teamIds } = transfer;
  checkTransferToken(work.doer, recipient);
  if (!(await mayGiveAway(work.tx, doer.id, owner.id))) {
    throw new Forbidden(`"${doer.name}" offered the repository, and may not give it away any more`);
  }
  return moveRepository(work, current, recipient, teamIds);
}

/**
 * Ends an offer: the recipient rejects it, or a user who may transfer the repository withdraws it. Throws NotFound if
 * there is none, Forbidden for anybody else.
 */
export async function rejectTransfer(work: Work, access: RepositoryAccess): Promise<void> {
  const { current, isRecipient } = await findOffer(work, access);
  if (!isRecipient && !(await mayGiveAway(work.tx, actorOf(work.doer).id, current.owner.id))) {
    throw new Forbidden(`"${current.owner.name}/${current.repository.name}" is not offered to you, nor yours to offer`);
  }
  await deleteTransfer(work.tx, current.repository.id);
}

async function findOffer(work: Work, access: RepositoryAccess) {
  const { tx } = work;
  const current = await lockForTransfer(work, access);
  const { repository, owner } = current;
  const transfer = await findTransfer(tx, repository.id);
  if (transfer === null) {
    throw new NotFound("offer of the repository", `${owner.name}/${repository.name}`);
  }
  const actor = actorOf(work.doer);
  const isRecipient = actor.isAdmin || (await isOfferedTo(tx, repository.id, actor.id));
  return { current, transfer, isRecipient };
}

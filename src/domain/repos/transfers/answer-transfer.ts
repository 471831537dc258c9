import type { Actor, RepositoryAccess, RepositoryRow } from "../../../auth/subject.ts";
import type { Reader } from "../../../db/client.ts";
import { actorOf } from "../../spine/doer.ts";
import { Forbidden, NotFound } from "../../spine/errors.ts";
import type { Work } from "../../spine/work.ts";
import { checkTransferToken } from "./check-transfer.ts";
import { lockForTransfer } from "./lock-for-transfer.ts";
import { moveRepository } from "./move-repository.ts";
import { deleteTransfer, findTransfer, isOfferedTo, mayGiveAway, type Transfer } from "./queries.ts";

/** The offer of a repository, and what somebody may do with it. */
export interface Offer {
  readonly transfer: Transfer;
  readonly mayAccept: boolean;
  /** Reject it, or withdraw it. */
  readonly mayEnd: boolean;
}

/** Returns the offer of a repository with what the actor may do about it; null if there is none. */
export async function findOffer(
  db: Reader,
  { repository, owner }: Pick<RepositoryAccess, "repository" | "owner">,
  actor: Actor,
): Promise<Offer | null> {
  const transfer = await findTransfer(db, repository.id);
  if (transfer === null) {
    return null;
  }
  const mayAccept = actor.isAdmin || (await isOfferedTo(db, repository.id, actor.id));
  return { transfer, mayAccept, mayEnd: mayAccept || (await mayGiveAway(db, actor.id, owner.id)) };
}

/**
 * Takes a repository that is offered to the doer, or to an organization that they may make repositories in. Throws NotFound
 * when none is offered, Forbidden when it is offered to others, or by somebody who may not give it away any more, and what
 * `moveRepository` throws.
 */
export async function acceptTransfer(work: Work, access: RepositoryAccess): Promise<RepositoryRow> {
  const { current, transfer, mayAccept } = await getOffer(work, access);
  const { repository, owner } = current;
  if (!mayAccept) {
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
  const { current, mayEnd } = await getOffer(work, access);
  if (!mayEnd) {
    throw new Forbidden(`"${current.owner.name}/${current.repository.name}" is not offered to you, nor yours to offer`);
  }
  await deleteTransfer(work.tx, current.repository.id);
}

/** The offer of a repository whose row is held. Throws NotFound. */
async function getOffer(
  work: Work,
  access: RepositoryAccess,
): Promise<Offer & { current: Pick<RepositoryAccess, "repository" | "owner"> }> {
  const current = await lockForTransfer(work, access);
  const { repository, owner } = current;
  const offer = await findOffer(work.tx, current, actorOf(work.doer));
  if (offer === null) {
    throw new NotFound("offer of the repository", `${owner.name}/${repository.name}`);
  }
  return { ...offer, current };
}

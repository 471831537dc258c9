import type { RepositoryAccess } from "../../../auth/subject.ts";
import { InvalidInput, StithyError } from "../../../lib/errors.ts";
import { NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";
import { getLockedIssue } from "./edit-issue.ts";
import { lockSequence, updateIssue } from "./edit-queries.ts";
import { namedIssue } from "./named-issue.ts";
import { listPinnedIds, orderPins } from "./pin-queries.ts";

/** So many issues, or pull requests, of the repository are pinned already. */
class TooManyPins extends StithyError {
  constructor(most: number) {
    super("invalid", "too-many-pins", `At most ${most} are pinned at once: unpin another one first`, { most });
  }
}

/**
 * Pins an issue after the others of its kind; a pinned issue keeps its position. Throws NotFound and TooManyPins. Pins
 * of one repository change one at a time, so that the order has no gaps.
 */
export async function pinIssue(work: Work, access: RepositoryAccess, number: number): Promise<void> {
  const { tx, config } = work;
  await lockSequence(tx, access.repository.id);
  const row = await getLockedIssue(work, access, number);
  if (row.pinOrder !== null) {
    return;
  }
  const pinned = await listPinnedIds(tx, access.repository.id, row.isPull);
  if (pinned.length >= config.issues.pinned) {
    throw new TooManyPins(config.issues.pinned);
  }
  await updateIssue(tx, row.id, { pinOrder: pinned.length + 1 });
  work.tell({ kind: "issue.pinned", repository: namedRepository(access), issue: namedIssue(row) });
}

/** Unpins an issue; nothing happens to one that is not pinned. Throws NotFound. */
export async function unpinIssue(work: Work, access: RepositoryAccess, number: number): Promise<void> {
  const { tx } = work;
  await lockSequence(tx, access.repository.id);
  const row = await getLockedIssue(work, access, number);
  if (row.pinOrder === null) {
    return;
  }
  await updateIssue(tx, row.id, { pinOrder: null });
  await orderPins(tx, await listPinnedIds(tx, access.repository.id, row.isPull));
  work.tell({ kind: "issue.unpinned", repository: namedRepository(access), issue: namedIssue(row) });
}

/** Moves a pinned issue to a place from 1; one behind the last is the last. Throws NotFound, also for one that is not pinned. */
export async function movePin(work: Work, access: RepositoryAccess, number: number, position: number): Promise<void> {
  if (position < 1) {
    throw new InvalidInput("The first position is 1", "position");
  }
  const { tx } = work;
  await lockSequence(tx, access.repository.id);
  const row = await getLockedIssue(work, access, number);
  if (row.pinOrder === null) {
    throw new NotFound("pinned issue", String(number));
  }
  const others = (await listPinnedIds(tx, access.repository.id, row.isPull)).filter((id) => id !== row.id);
  await orderPins(tx, others.toSpliced(position - 1, 0, row.id));
}

import type { RepositoryAccess } from "../../../auth/subject.ts";
import { Forbidden } from "../../spine/errors.ts";
import { mayWriteIssue, unitOf } from "../issues/access.ts";
import { getLockedIssue } from "../issues/edit-issue.ts";
import type { IssueRow } from "../issues/queries.ts";
import type { Work } from "../../spine/work.ts";
import { IssueLocked } from "./errors.ts";
import { isBlockedBy } from "./queries.ts";

/**
 * Locks an issue for somebody who wants to say something about it. Throws NotFound, IssueLocked for those who may not write,
 * and Forbidden for whom its author keeps away.
 */
export async function lockToTakePart(work: Work, access: RepositoryAccess, number: number): Promise<IssueRow> {
  const row = await getLockedIssue(work, access, number);
  await work.demand({ on: "repository", do: "participate", unit: unitOf(row) });
  await checkMayTakePart(work, access, row);
  return row;
}

/** Throws IssueLocked, and Forbidden for whom the author of the issue keeps away; neither to those who may write. */
export async function checkMayTakePart(
  { tx, actorId }: Work,
  access: RepositoryAccess,
  row: Pick<IssueRow, "number" | "authorId" | "lockedAt" | "isPull">,
): Promise<void> {
  if (actorId === null || mayWriteIssue(access, row)) {
    return;
  }
  if (row.lockedAt !== null) {
    throw new IssueLocked(row.number);
  }
  if (row.authorId !== null && (await isBlockedBy(tx, row.authorId, actorId))) {
    throw new Forbidden(`The author of #${row.number} keeps you away`);
  }
}

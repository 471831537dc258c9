import type { RepositoryAccess } from "../../../auth/subject.ts";
import { Forbidden } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { namedIssue } from "../issues/named-issue.ts";
import type { Work } from "../../spine/work.ts";
import { getReview, lockPull } from "./lock-pull.ts";
import { standingDecisions, updateReview, type ReviewedPull, type ReviewRow } from "./queries.ts";

/**
 * Dismisses a decision: it counts for nothing any more. With `priors`, the other decisions of its author that stand, too. Nothing happens to one that is
 * dismissed. For administrators of the repository. Throws NotFound and Forbidden.
 */
export async function dismissReview(
  work: Work,
  access: RepositoryAccess,
  number: number,
  id: number,
  { message, priors }: { message: string; priors: boolean },
): Promise<ReviewRow> {
  const { locked, row } = await lockDecision(work, access, number, id);
  const others =
    priors && row.reviewerId !== null ? await standingDecisions(work.tx, locked.pull.issueId, row.reviewerId) : [];
  let dismissed = row;
  for (const one of [row, ...others.filter((other) => other.id !== id)]) {
    if (!one.dismissed) {
      const changed = await dismiss(work, access, locked, one, message);
      dismissed = one === row ? changed : dismissed;
    }
  }
  return dismissed;
}

/** Dismisses one decision of a locked pull request. */
export async function dismiss(
  work: Work,
  access: Parameters<typeof namedRepository>[0],
  { issue }: Pick<ReviewedPull, "issue">,
  row: ReviewRow,
  message: string,
): Promise<ReviewRow> {
  const changed = await updateReview(work.tx, row.id, { dismissed: true });
  work.tell({
    kind: "review.dismissed",
    repository: namedRepository(access),
    issue: namedIssue(issue),
    review: namedReview(row),
    message,
  });
  return changed;
}

/** Lets a dismissed decision count again. For administrators of the repository. Throws NotFound and Forbidden. */
export async function undismissReview(
  work: Work,
  access: RepositoryAccess,
  number: number,
  id: number,
): Promise<ReviewRow> {
  const { locked, row } = await lockDecision(work, access, number, id);
  if (!row.dismissed) {
    return row;
  }
  const changed = await updateReview(work.tx, id, { dismissed: false });
  work.tell({
    kind: "review.undismissed",
    repository: namedRepository(access),
    issue: namedIssue(locked.issue),
    review: namedReview(row),
  });
  return changed;
}

async function lockDecision(work: Work, access: RepositoryAccess, number: number, id: number) {
  const locked = await lockPull(work, access, number);
  const row = await getReview(work, locked, id);
  if (row.kind !== "approve" && row.kind !== "request-changes") {
    throw new Forbidden(`Review ${id} neither approves nor requests changes: there is nothing to dismiss`);
  }
  if (locked.issue.closedAt !== null) {
    throw new Forbidden(`Pull request #${number} is closed: its reviews stay as they are`);
  }
  return { locked, row };
}

/** Names a submitted review for events. */
function namedReview({ id, kind }: ReviewRow) {
  if (kind === "pending" || kind === "request") {
    throw new Error(`A ${kind} review was told of`);
  }
  return { id, kind };
}

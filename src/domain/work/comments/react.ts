import type { RepositoryAccess } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { actorOf } from "../../spine/doer.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Work } from "../../spine/work.ts";
import { lockToTakePart } from "./may-take-part.ts";
import { findEntry } from "./queries.ts";
import { deleteReaction, insertReaction, type ReactedTo, type ReactionRow } from "./reaction-queries.ts";

/** The target of a reaction: the number of an issue, or the id of a comment. */
export type ReactionTarget = { number: number } | { commentId: number };

async function lockTarget(work: Work, access: RepositoryAccess, target: ReactionTarget): Promise<ReactedTo> {
  if ("number" in target) {
    const issue = await lockToTakePart(work, access, target.number);
    return { issueId: issue.id, commentId: null };
  }
  const found = await findEntry(work.tx, access.repository.id, target.commentId);
  if (found === null || found.comment.kind !== "comment") {
    throw new NotFound("comment", String(target.commentId));
  }
  const issue = await lockToTakePart(work, access, found.issue.number);
  return { issueId: issue.id, commentId: target.commentId };
}

/** Reacts to an issue or a comment. Throws NotFound, IssueLocked, Forbidden, and InvalidInput for a reaction that there is not here. */
export async function addReaction(
  work: Work,
  access: RepositoryAccess,
  target: ReactionTarget,
  content: string,
): Promise<{ reaction: ReactionRow; added: boolean }> {
  const { reactions } = work.config.issues;
  if (!reactions.includes(content)) {
    throw new InvalidInput(`content must be one of ${reactions.join(", ")}, not "${clip(content, 80)}"`, "content");
  }
  const to = await lockTarget(work, access, target);
  work.refresh(`issue:${to.issueId}`);
  return insertReaction(work.tx, to, actorOf(work.doer).id, content);
}

/** Takes one's own reaction away; nothing happens where there is none. Throws NotFound, IssueLocked, Forbidden. */
export async function removeReaction(
  work: Work,
  access: RepositoryAccess,
  target: ReactionTarget,
  content: string,
): Promise<void> {
  const to = await lockTarget(work, access, target);
  work.refresh(`issue:${to.issueId}`);
  await deleteReaction(work.tx, to, actorOf(work.doer).id, content);
}

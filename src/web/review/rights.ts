import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { mayWriteIssue } from "../../domain/work/issues/access.ts";
import { findPushableHead } from "../../domain/work/merges/find-pushable-head.ts";
import type { IssueAndPull } from "../../domain/work/pulls/queries.ts";
import { splitSuggestions } from "../../domain/work/reviews/suggestions.ts";
import { StithyError } from "../../lib/errors.ts";
import { offers } from "../offers.ts";
import { movesPulls } from "../pages.ts";
import type { Visit } from "../visit.ts";
import type { Thread } from "./threads.ts";

/** What a visitor is offered in a review. The guard and the use cases decide. */
export interface ReviewRights {
  readonly userId: number | null;
  readonly comments: boolean;
  readonly writes: boolean;
  readonly resolves: boolean;
  readonly applies: boolean;
}

/** `hasSuggestions`: whether it matters who may push to the head. */
export async function reviewRights(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  found: IssueAndPull,
  hasSuggestions: boolean,
): Promise<ReviewRights> {
  const { issue } = found;
  const userId = visit.actor?.id ?? null;
  const takesPart = userId !== null && offers(visit, movesPulls);
  const writes = takesPart && mayWriteIssue(access, issue);
  const comments = takesPart && (issue.lockedAt === null || writes);
  const applies = comments && hasSuggestions && issue.closedAt === null && (await mayPush(forge, visit, access, found));
  return { userId, comments, writes, resolves: comments && (writes || issue.authorId === userId), applies };
}

/** Whether one of the comments suggests other lines. */
export function hasSuggestion({ comments }: Thread): boolean {
  return comments.some(({ comment }) => splitSuggestions(comment.body).some(({ kind }) => kind === "suggestion"));
}

async function mayPush(
  forge: Forge,
  { actor, credential }: Visit,
  access: RepositoryAccess,
  found: IssueAndPull,
): Promise<boolean> {
  try {
    return (
      actor !== null &&
      (await findPushableHead(forge, { kind: "user", actor, credential, permit: null }, access, found)) !== null
    );
  } catch (error) {
    if (error instanceof StithyError) {
      return false;
    }
    throw error;
  }
}

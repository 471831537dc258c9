import { referencedIssues, type ReferencedIssue } from "./referenced-issues.ts";
import type { ViewerSql } from "../../../auth/access-sql.ts";
import { viewerOf } from "../../../auth/viewer-of.ts";
import type { Reader } from "../../../db/client.ts";
import { viewerOfDoer } from "../../spine/doer.ts";
import type { Event } from "../../spine/events.ts";
import type { NamedIssue, NamedRepository } from "../../spine/events/names.ts";
import { mayWriteIssue } from "../issues/access.ts";
import type { Work } from "../../spine/work.ts";
import { findReferables, insertReferences, readText, type Referable } from "./queries.ts";

/** Subscriber: writes into the timelines of issues and pull requests who names them in the text of an issue or a comment. */
export async function recordReferences(work: Work, event: Event): Promise<void> {
  if (work.doer.kind !== "user") {
    return;
  }
  switch (event.kind) {
    case "issue.opened":
    case "issue.retitled":
    case "issue.rewritten":
      await recordText(work, event.repository, event.issue, null);
      break;
    case "comment.created":
    case "comment.edited":
      await recordText(work, event.repository, event.issue, event.comment.id);
  }
}

async function recordText(
  work: Work,
  repository: NamedRepository,
  source: NamedIssue,
  commentId: number | null,
): Promise<void> {
  const text = await readText(work.tx, source.id, commentId);
  const references = text === null ? [] : referencedIssues(text, work.serverUrl);
  const found = await findTargets(work.tx, viewerOf(viewerOfDoer(work.doer)), repository, references);
  const targets = new Map(found.map((one) => [one.target.issue.id, one]));
  targets.delete(source.id);
  const kind = commentId !== null ? "comment_ref" : source.isPull ? "pull_ref" : "issue_ref";
  await insertReferences(
    work.tx,
    [...targets.values()].map(({ target, reference }) => ({
      repositoryId: target.access.repository.id,
      issueId: target.issue.id,
      kind,
      authorId: work.actorId,
      otherIssueId: source.id,
      otherCommentId: commentId,
      // An issue and a comment close nothing; a pull request does when it is merged.
      refAction: kind === "pull_ref" && !target.issue.isPull ? reference.action : null,
      refKey: commentId === null ? `issue ${source.id}` : `comment ${commentId}`,
    })),
  );
}

/** A reference with what it names. */
interface Target {
  reference: ReferencedIssue;
  target: Referable;
}

/**
 * Finds what a text of a repository names, in the order in which it does, as far as the reader may take part there: not what they may not read, nor
 * what is archived, nor where they are kept away, nor what is locked for them.
 */
export async function findTargets(
  db: Reader,
  reader: ViewerSql,
  repository: NamedRepository,
  references: readonly ReferencedIssue[],
): Promise<Target[]> {
  const here = { owner: repository.owner.name, repository: repository.name };
  const found = await findReferables(
    db,
    reader,
    references.map(({ place, number }) => ({ ...(place ?? here), number })),
  );
  return references.flatMap((reference, index) => {
    const target = found[index] ?? null;
    const isMeant = target !== null && (reference.sign === "#" || target.issue.isPull);
    return isMeant && mayTakePart(target) ? [{ reference, target }] : [];
  });
}

function mayTakePart({ issue, access, isKeptAway }: Referable): boolean {
  const isOpen = issue.lockedAt === null && !isKeptAway;
  return access.repository.archivedAt === null && !access.blocked && (isOpen || mayWriteIssue(access, issue));
}

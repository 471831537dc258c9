import type { RepositoryAccess } from "../../../auth/subject.ts";
import { holdTextsBy } from "../issues/hold-texts.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { NotFound } from "../../spine/errors.ts";
import { keepLast } from "../../spine/events/last.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { checkText } from "../issues/create-issue.ts";
import { demandWriter, isGuest, mayReadIssue, unitOf } from "../issues/access.ts";
import { TextChanged } from "../issues/edit-issue.ts";
import { recordMentions } from "../issues/mentions.ts";
import { namedIssue } from "../issues/named-issue.ts";
import type { Work } from "../../spine/work.ts";
import { adoptFiles } from "../issues/loose-files.ts";
import { lockToTakePart } from "./may-take-part.ts";
import { deleteEntry, findEntry, insertEntry, updateComment, type EntryOfIssue } from "./queries.ts";

/** A text that somebody writes. */
export interface NewText {
  body: string;
  /** When it was written elsewhere; null: now. For administrators of the repository. */
  writtenAt: Date | null;
  /** The version of the text that a changed one was made of. If it is another one by now, the change is refused. */
  contentVersion?: number;
}

/** Throws InvalidInput for a text that is empty or too long, and Forbidden for a time that somebody may not choose. */
async function checkNew(work: Work, { body, writtenAt }: NewText): Promise<void> {
  if (body === "") {
    throw new InvalidInput("A comment has a text", "body");
  }
  checkText(body);
  if (writtenAt !== null) {
    await work.demand({ on: "repository", do: "admin", unit: "any" });
  }
}

/** Comments on an issue or pull request. Throws NotFound, IssueLocked, Forbidden. */
export async function createComment(
  work: Work,
  access: RepositoryAccess,
  number: number,
  text: NewText,
): Promise<EntryOfIssue> {
  const issue = await lockToTakePart(work, access, number);
  await checkNew(work, text);
  const { body, writtenAt } = text;
  const comment = await insertEntry(work.tx, {
    repositoryId: access.repository.id,
    issueId: issue.id,
    kind: "comment",
    authorId: work.actorId,
    body,
    byGuest: isGuest(access),
    ...(writtenAt === null ? {} : { createdAt: writtenAt, updatedAt: writtenAt }),
  });
  work.tell({
    kind: "comment.created",
    repository: namedRepository(access),
    issue: namedIssue(issue),
    comment: { id: comment.id },
  });
  await holdTextsBy(work, access);
  await recordMentions(work, access, issue, body);
  await adoptFiles(work, { issueId: issue.id, commentId: comment.id }, body);
  return { comment, issue };
}

/**
 * Locks an entry of a timeline that the doer wants to change: their own, or any for those who may write. Throws NotFound,
 * Forbidden.
 */
export async function lockOwnEntry(work: Work, access: RepositoryAccess, id: number): Promise<EntryOfIssue> {
  const found = await findEntry(work.tx, access.repository.id, id, true);
  if (found === null || !mayReadIssue(access, found.issue)) {
    throw new NotFound("comment", String(id));
  }
  if (work.actorId === null || found.comment.authorId !== work.actorId) {
    await demandWriter(work, access, found.issue);
  } else {
    await work.demand({ on: "repository", do: "participate", unit: unitOf(found.issue) });
  }
  return found;
}

/**
 * Writes another text, and keeps the former one, also of a comment on a line. Returns null where the entry is no comment, which has no text to change.
 * Throws NotFound, Forbidden, TextChanged.
 */
export async function editComment(
  work: Work,
  access: RepositoryAccess,
  id: number,
  text: NewText,
): Promise<EntryOfIssue | null> {
  const { comment, issue } = await lockOwnEntry(work, access, id);
  await checkNew(work, text);
  if (comment.kind !== "comment" && comment.kind !== "code") {
    return null;
  }
  if (text.contentVersion !== undefined && text.contentVersion !== comment.contentVersion) {
    throw new TextChanged();
  }
  if (comment.body === text.body && text.writtenAt === null) {
    return { comment, issue };
  }
  const edited = await updateComment(work.tx, comment, text, work.actorId);
  if (comment.kind === "comment") {
    const told = { repository: namedRepository(access), issue: namedIssue(issue), comment: { id } };
    work.tell({ kind: "comment.edited", ...told, oldBody: comment.body });
  }
  await holdTextsBy(work, access);
  await recordMentions(work, access, issue, text.body);
  await adoptFiles(work, { issueId: issue.id, commentId: id }, text.body);
  return { comment: edited, issue };
}

/** Deletes a comment; other entries of a timeline stay. Throws NotFound, Forbidden. */
export async function deleteComment(work: Work, access: RepositoryAccess, id: number): Promise<void> {
  const { comment, issue } = await lockOwnEntry(work, access, id);
  if (comment.kind === "comment") {
    await deleteEntry(work.tx, id);
    work.tell({
      kind: "comment.deleted",
      repository: namedRepository(access),
      issue: namedIssue(issue),
      comment: { id },
      last: keepLast({ comment, issue }),
    });
  }
}

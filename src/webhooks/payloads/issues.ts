import { presentIssue } from "../../api/issues/present.ts";
import { presentLabel } from "../../api/labels/present.ts";
import { seesEverybody } from "../../auth/viewer-of.ts";
import { findEntry, knownUsers, type EntryOfIssue } from "../../domain/comments/queries.ts";
import { presentComment } from "../../api/comments/present.ts";
import { attachmentsOfComments } from "../../domain/attachments/queries.ts";
import { describeEvent } from "../../domain/hooks/describe-event.ts";
import { findOwnerById } from "../../domain/owners/queries.ts";
import { presentPulls } from "../../api/pulls/present.ts";
import { presentOwner } from "../../api/users/present.ts";
import type { NamedIssue, NamedOwner } from "../../domain/events/names.ts";
import { readLast } from "../../domain/events/last.ts";
import type { HookEventRow } from "../../domain/hooks/delivery-queries.ts";
import { findLabelRow } from "../../domain/hooks/payload-queries.ts";
import { completeIssues, findIssueRow, type FoundIssue } from "../../domain/issues/queries.ts";
import { lastOf, stranger, type About } from "./sources.ts";

/** The issue of an event with all that is shown of it; as it was, if it is gone; null if that is not known. */
async function findIssue(about: About): Promise<FoundIssue | null> {
  const { forge, access, source } = about;
  const { db } = forge.database;
  const { id, number } = source.event["issue"] as NamedIssue;
  const row = await findIssueRow(db, access.repository.id, number);
  const [found] = row === null ? [] : await completeIssues(db, seesEverybody, [row]);
  return found ?? readLast<FoundIssue>(await lastOf(about, "issue", id));
}

/** What something was before, for an issue or pull request that was edited. */
function changesOf({ kind, event }: About["source"]) {
  const from = (field: string) => ({ from: event[field] as string });
  switch (kind) {
    case "issue.retitled":
      return { changes: { title: from("oldTitle") } };
    case "issue.rewritten":
      return { changes: { body: from("oldBody") } };
    case "issue.ref-changed":
      return { changes: { ref: from("oldRef") } };
    case "pull.retargeted":
      return { changes: { ref: from("oldBase") } };
    default:
      return {};
  }
}

/** The pull request of an event; null if it is gone. */
async function readPull({ forge, access, source }: About) {
  const { number } = source.event["issue"] as NamedIssue;
  const row = await findIssueRow(forge.database.db, access.repository.id, number);
  const [pull] = row === null ? [] : await presentPulls(forge, seesEverybody, access, [row], [], stranger);
  return pull ?? null;
}

/** Of an issue, or of a pull request: what happens to both is told of both. */
export async function issuePayload(about: About, { action }: HookEventRow) {
  const { forge, access, source, repository, sender } = about;
  const { isPull, number } = source.event["issue"] as NamedIssue;
  const named = action === "label_cleared" ? undefined : (source.event["label"] as { id: number } | undefined);
  const [row, subject] = await Promise.all([
    named === undefined ? null : findLabelRow(forge.database.db, named.id),
    isPull ? pullPart(about) : issuePart(about),
  ]);
  return subject === null
    ? null
    : {
        action,
        number,
        ...changesOf(source),
        ...subject,
        repository,
        sender,
        commit_id: "",
        ...(row === null ? {} : { label: presentLabel(forge.addresses, access, row) }),
      };
}

async function issuePart(about: About) {
  const found = await findIssue(about);
  return found === null ? null : { issue: presentIssue(about.forge, about.access, found, null) };
}

async function pullPart(about: About) {
  const { event } = about.source;
  const pull = await readPull(about);
  const { user } = event as { user?: NamedOwner | null };
  const isRequest = about.source.kind.startsWith("review.request");
  const reviewer = isRequest && user != null ? await findOwnerById(about.forge.database.db, user.id) : null;
  return pull === null
    ? null
    : {
        pull_request: pull,
        requested_reviewer: reviewer === null ? null : presentOwner(about.forge.addresses, reviewer, null),
        review: reviewOf(about.source),
      };
}

function reviewOf({ kind, event }: About["source"]) {
  const { type } = describeEvent(kind, event)[0] ?? { type: "" };
  return kind === "review.submitted" ? { type, content: (event["body"] as string | undefined) ?? "" } : null;
}

export async function commentPayload(about: About, { action }: HookEventRow) {
  const { forge, access, source, repository, sender } = about;
  const { db } = forge.database;
  const { id } = source.event["comment"] as { id: number };
  const entry =
    (await findEntry(db, access.repository.id, id)) ?? readLast<EntryOfIssue>(await lastOf(about, "comment", id));
  const issue = await findIssue(about);
  if (entry === null || issue === null) {
    return null;
  }
  const [authors, assets] = await Promise.all([
    knownUsers(db, seesEverybody, [entry.comment.authorId]),
    attachmentsOfComments(db, [id]),
  ]);
  const author = authors.get(entry.comment.authorId ?? 0) ?? null;
  return {
    action,
    issue: presentIssue(forge, access, issue, null),
    ...(issue.issue.isPull ? { pull_request: await readPull(about) } : {}),
    comment: presentComment(forge.addresses, access, { ...entry, author, assets }, null),
    ...(source.kind === "comment.edited" ? { changes: { body: { from: source.event["oldBody"] } } } : {}),
    repository,
    sender,
    is_pull: issue.issue.isPull,
  };
}

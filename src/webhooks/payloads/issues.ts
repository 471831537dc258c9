import { presentIssue } from "../../api/issues/present.ts";
import { presentLabel } from "../../api/labels/present.ts";
import { seesEverybody } from "../../auth/viewer-of.ts";
import { findEntry, knownUsers, type EntryOfIssue } from "../../domain/work/comments/queries.ts";
import { presentComment } from "../../api/comments/present.ts";
import { attachmentsOfComments } from "../../domain/repos/attachments/queries.ts";
import { findOwnerById } from "../../domain/identity/owners/queries.ts";
import { presentPulls } from "../../api/pulls/present.ts";
import { presentOwner } from "../../api/users/present.ts";
import type { Event, EventOf } from "../../domain/spine/events.ts";
import { readLast } from "../../domain/spine/events/last.ts";
import type { NamedIssue } from "../../domain/spine/events/names.ts";
import { findLabelRow } from "../../domain/exchange/hooks/payload-queries.ts";
import { completeIssues, findIssueRow, type FoundIssue } from "../../domain/work/issues/queries.ts";
import { lastOf, stranger, type About } from "./sources.ts";

/** An event of an issue or a pull request. */
type IssueEvent = Extract<Event, { readonly issue: NamedIssue }>;

/** The issue of an event with all that is shown of it; as it was, if it is gone; null if that is not known. */
async function findIssue(about: About<IssueEvent>): Promise<FoundIssue | null> {
  const { forge, access, event } = about;
  const { db } = forge.database;
  const { id, number } = event.issue;
  const row = await findIssueRow(db, access.repository.id, number);
  const [found] = row === null ? [] : await completeIssues(db, seesEverybody, [row]);
  return found ?? readLast<FoundIssue>(await lastOf(about, "issue", id));
}

/** The former values of an issue or pull request that was edited. */
function changesOf(event: Event) {
  switch (event.kind) {
    case "issue.retitled":
      return { changes: { title: { from: event.oldTitle } } };
    case "issue.rewritten":
      return { changes: { body: { from: event.oldBody } } };
    case "issue.ref-changed":
      return { changes: { ref: { from: event.oldRef } } };
    case "pull.retargeted":
      return { changes: { ref: { from: event.oldBase } } };
    default:
      return {};
  }
}

/** The pull request of an event; null if it is gone. */
async function readPull({ forge, access, event }: About<IssueEvent>) {
  const { number } = event.issue;
  const row = await findIssueRow(forge.database.db, access.repository.id, number);
  const [pull] = row === null ? [] : await presentPulls(forge, seesEverybody, access, [row], [], stranger);
  return pull ?? null;
}

/** The payload of an event of issues and pull requests alike. */
export async function issuePayload(about: About<IssueEvent>) {
  const { forge, access, event, action, repository, sender } = about;
  const { isPull, number } = event.issue;
  const named = "label" in event && action !== "label_cleared" ? event.label : null;
  const [row, subject] = await Promise.all([
    named === null ? null : findLabelRow(forge.database.db, named.id),
    isPull ? pullPart(about) : issuePart(about),
  ]);
  return subject === null
    ? null
    : {
        action,
        number,
        ...changesOf(event),
        ...subject,
        repository,
        sender,
        commit_id: "",
        ...(row === null ? {} : { label: presentLabel(forge.addresses, access, row) }),
      };
}

async function issuePart(about: About<IssueEvent>) {
  const found = await findIssue(about);
  return found === null ? null : { issue: presentIssue(about.forge, about.access, found, null) };
}

async function pullPart(about: About<IssueEvent>) {
  const { event, type } = about;
  const pull = await readPull(about);
  const isRequest = event.kind === "review.requested" || event.kind === "review.request-withdrawn";
  const reviewer =
    isRequest && event.user !== null ? await findOwnerById(about.forge.database.db, event.user.id) : null;
  return pull === null
    ? null
    : {
        pull_request: pull,
        requested_reviewer: reviewer === null ? null : presentOwner(about.forge.addresses, reviewer, null),
        review: event.kind === "review.submitted" ? { type, content: event.body } : null,
      };
}

export async function commentPayload(about: About<EventOf<"comment.created" | "comment.edited" | "comment.deleted">>) {
  const { forge, access, event, action, repository, sender } = about;
  const { db } = forge.database;
  const { id } = event.comment;
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
    ...(event.kind === "comment.edited" ? { changes: { body: { from: event.oldBody } } } : {}),
    repository,
    sender,
    is_pull: issue.issue.isPull,
  };
}

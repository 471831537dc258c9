import { presentIssue } from "../../api/issues/present.ts";
import { presentLabel } from "../../api/labels/present.ts";
import { seesEverybody } from "../../auth/viewer-of.ts";
import { findEntry, knownUsers, type EntryOfIssue } from "../../domain/comments/queries.ts";
import { presentComment } from "../../api/comments/present.ts";
import { attachmentsOfComments } from "../../domain/attachments/queries.ts";
import type { NamedIssue } from "../../domain/events/names.ts";
import { readLast } from "../../domain/events/last.ts";
import type { HookEventRow } from "../../domain/hooks/delivery-queries.ts";
import { findLabelRow } from "../../domain/hooks/payload-queries.ts";
import { completeIssues, findIssueRow, type FoundIssue } from "../../domain/issues/queries.ts";
import type { About } from "./sources.ts";

/** The issue of an event with all that is shown of it; as it was, if it is gone; null if that is not known. */
async function findIssue({ forge, access, source }: About): Promise<FoundIssue | null> {
  const { db } = forge.database;
  const { number } = source.event["issue"] as NamedIssue;
  const row = await findIssueRow(db, access.repository.id, number);
  const [found] = row === null ? [] : await completeIssues(db, seesEverybody, [row]);
  return found ?? (source.kind === "issue.deleted" ? readLast<FoundIssue>(source.event["last"]) : null);
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
    default:
      return {};
  }
}

export async function issuePayload(about: About, { action }: HookEventRow) {
  const { forge, access, source, repository, sender } = about;
  const found = await findIssue(about);
  if (found === null) {
    return null;
  }
  const named = source.event["label"] as { id: number } | undefined;
  const label = named === undefined ? null : await findLabelRow(forge.database.db, named.id);
  return {
    action,
    number: found.issue.number,
    ...changesOf(source),
    issue: presentIssue(forge, access, found, null),
    repository,
    sender,
    commit_id: "",
    ...(label === null ? {} : { label: presentLabel(forge.addresses, access, label) }),
  };
}

export async function commentPayload(about: About, { action }: HookEventRow) {
  const { forge, access, source, repository, sender } = about;
  const { db } = forge.database;
  const { id } = source.event["comment"] as { id: number };
  const entry = (await findEntry(db, access.repository.id, id)) ?? readLast<EntryOfIssue>(source.event["last"]);
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
    comment: presentComment(forge.addresses, access, { ...entry, author, assets }, null),
    ...(source.kind === "comment.edited" ? { changes: { body: { from: source.event["oldBody"] } } } : {}),
    repository,
    sender,
    is_pull: issue.issue.isPull,
  };
}

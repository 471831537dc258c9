import type { RepositoryAccess } from "../../../auth/subject.ts";
import { holdTextsBy } from "./hold-texts.ts";
import { InvalidInput, StithyError } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { Forbidden, NotFound } from "../../spine/errors.ts";
import { namedOwner, namedRepository } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";
import { adoptFiles } from "./loose-files.ts";
import { demandChangeTime, demandWriter, mayReadIssue, mayWriteIssue } from "./access.ts";
import { checkText, checkTitle } from "./create-issue.ts";
import { findAssignees, findMilestone } from "./detail-queries.ts";
import {
  hasOpenDependency,
  insertFormerContent,
  isPullRequest,
  listAssignees,
  lockIssue,
  removeAssignees,
  updateIssue,
  type IssueColumns,
} from "./edit-queries.ts";
import { lockRepository } from "../../spine/lock-queries.ts";
import { recordMentions } from "./mentions.ts";
import { namedIssue } from "./named-issue.ts";
import { insertAssignees, type IssueRow } from "./queries.ts";

/** A change of an issue; undefined fields stay. */
export interface IssuePatch {
  title?: string | undefined;
  body?: string | undefined;
  /** The version of title and text that the change was made of. If it is another one by now, the change is refused. */
  contentVersion?: number | undefined;
  closed?: boolean | undefined;
  /** The following are for those who may write issues. Empty: none. */
  ref?: string | undefined;
  assignees?: readonly string[] | undefined;
  /** An id; null: none. */
  milestone?: number | null | undefined;
  dueAt?: Date | null | undefined;
  /** When it is said to have been changed, which administrators of the repository may say. */
  updatedAt?: Date | undefined;
}

/** The issue depends on an open one. */
class OpenDependencies extends StithyError {
  constructor(number: number) {
    super("conflict", "open-dependencies", `Number ${number} depends on something open: close that first`, { number });
  }
}

/** Somebody else has changed a text since the caller read it. */
export class TextChanged extends StithyError {
  constructor() {
    super(
      "conflict",
      "text-changed",
      "Somebody has changed this text since you began: look at it, put your changes together, and save again",
    );
  }
}

/** Locks an issue or pull request that the doer may read, and returns it. Throws NotFound. */
export async function getLockedIssue(work: Work, access: RepositoryAccess, number: number): Promise<IssueRow> {
  const row = await lockIssue(work.tx, access.repository.id, number);
  if (row === null || !mayReadIssue(access, row)) {
    throw new NotFound("issue", String(number));
  }
  return row;
}

/**
 * Changes an issue or a pull request. Its author may change its title, its text and its state; everything else is for those who
 * may write issues. Throws Forbidden that names the field, NotFound, OpenDependencies, TextChanged and InvalidInput.
 */
export async function editIssue(
  work: Work,
  access: RepositoryAccess,
  number: number,
  patch: IssuePatch,
): Promise<IssueRow> {
  if (patch.closed === false && (await isPullRequest(work.tx, access.repository.id, number))) {
    // It goes with its branches again, whose lock comes first: a push at the same time finds it open, or is found.
    await lockRepository(work.tx, access.repository.id);
  }
  const before = await getLockedIssue(work, access, number);
  await checkRights(work, access, before, patch);
  if (patch.contentVersion !== undefined && patch.contentVersion !== before.contentVersion) {
    throw new TextChanged();
  }
  const changed = await changedColumns(work, access, before, patch);
  const repository = namedRepository(access);
  const issue = namedIssue({ ...before, title: changed.title ?? before.title });
  const isAssigned = patch.assignees !== undefined && (await assign(work, access, before, patch.assignees));
  if (Object.keys(changed).length === 0 && !isAssigned && patch.updatedAt === undefined) {
    return before;
  }
  const row = await updateIssue(work.tx, before.id, { ...changed, updatedAt: patch.updatedAt ?? new Date() });
  if (changed.title !== undefined) {
    work.tell({ kind: "issue.retitled", repository, issue, oldTitle: before.title });
  }
  if (changed.body !== undefined) {
    work.tell({ kind: "issue.rewritten", repository, issue, oldBody: before.body });
  }
  if (changed.title !== undefined || changed.body !== undefined) {
    await insertFormerContent(work.tx, {
      repositoryId: row.repositoryId,
      byGuest: row.byGuest,
      issueId: row.id,
      title: changed.title === undefined ? null : before.title,
      body: changed.body === undefined ? null : before.body,
      editorId: work.actorId,
    });
    await holdTextsBy(work, access);
    await recordMentions(work, access, row, `${row.title}\n${row.body}`);
    await adoptFiles(work, { issueId: row.id, commentId: null }, row.body);
  }
  if (changed.ref !== undefined) {
    work.tell({ kind: "issue.ref-changed", repository, issue, oldRef: before.ref, newRef: changed.ref });
  }
  if (changed.dueAt !== undefined) {
    const [oldDue, newDue] = [before.dueAt, changed.dueAt].map((at) => at?.toISOString() ?? null);
    work.tell({ kind: "issue.due-changed", repository, issue, oldDue: oldDue ?? null, newDue: newDue ?? null });
  }
  if (changed.closedAt !== undefined) {
    work.tell({ kind: changed.closedAt === null ? "issue.reopened" : "issue.closed", repository, issue });
  }
  return row;
}

async function checkRights(work: Work, access: RepositoryAccess, row: IssueRow, patch: IssuePatch): Promise<void> {
  const { title, body, closed, updatedAt, contentVersion: _read, ...forWriters } = patch;
  const isAuthor = row.authorId !== null && row.authorId === work.actorId;
  const own = { title, body, state: closed };
  const field = Object.entries({
    ...(isAuthor ? {} : own),
    ref: forWriters.ref,
    assignees: forWriters.assignees,
    milestone: forWriters.milestone,
    due_date: forWriters.dueAt,
  }).find(([, value]) => value !== undefined)?.[0];
  if (field !== undefined) {
    await demandWriter(work, access, row, field);
  }
  if (updatedAt !== undefined) {
    await demandChangeTime(work, row, updatedAt);
  }
  if (field === undefined && !isAuthor && updatedAt === undefined && !mayWriteIssue(access, row)) {
    throw new Forbidden("Only its author, and those who may write to the issues of the repository, may change it");
  }
}

/** The columns that become other ones. */
async function changedColumns(
  work: Work,
  access: RepositoryAccess,
  before: IssueRow,
  patch: IssuePatch,
): Promise<IssueColumns> {
  const { tx, actorId } = work;
  const changed: IssueColumns = {};
  const title = patch.title === undefined ? before.title : checkTitle(patch.title);
  if (title !== before.title) {
    changed.title = title;
  }
  if (patch.body !== undefined && patch.body !== before.body) {
    checkText(patch.body);
    changed.body = patch.body;
  }
  if (changed.title !== undefined || changed.body !== undefined) {
    changed.contentVersion = before.contentVersion + 1;
  }
  if (patch.ref !== undefined && patch.ref !== before.ref) {
    changed.ref = patch.ref;
  }
  if (patch.dueAt !== undefined && patch.dueAt?.getTime() !== before.dueAt?.getTime()) {
    changed.dueAt = patch.dueAt;
  }
  if (patch.milestone !== undefined && patch.milestone !== before.milestoneId) {
    await changeMilestone(work, access, before, patch.milestone);
    changed.milestoneId = patch.milestone;
  }
  if (patch.closed !== undefined && patch.closed !== (before.closedAt !== null)) {
    if (patch.closed && access.repository.enableIssueDependencies && (await hasOpenDependency(tx, before.id))) {
      throw new OpenDependencies(before.number);
    }
    changed.closedAt = patch.closed ? new Date() : null;
    changed.closedById = patch.closed ? actorId : null;
  }
  return changed;
}

async function changeMilestone(
  work: Work,
  access: RepositoryAccess,
  before: IssueRow,
  milestoneId: number | null,
): Promise<void> {
  const repository = namedRepository(access);
  const issue = namedIssue(before);
  const found = milestoneId === null ? null : await findMilestone(work.tx, access, milestoneId, "milestone");
  if (before.milestoneId !== null) {
    const { id, title } = await findMilestone(work.tx, access, before.milestoneId, "milestone");
    work.tell({ kind: "issue.demilestoned", repository, issue, milestone: { id, title } });
  }
  if (found !== null) {
    work.tell({ kind: "issue.milestoned", repository, issue, milestone: { id: found.id, title: found.title } });
  }
}

/**
 * Assigns an issue to exactly these users. A present assignee stays even without access. Returns whether anything
 * changed.
 */
async function assign(work: Work, access: RepositoryAccess, row: IssueRow, names: readonly string[]): Promise<boolean> {
  const { tx } = work;
  const current = await listAssignees(tx, row.id);
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const kept = new Set(
    current.filter(({ name }) => wanted.has(name.toLowerCase())).map(({ name }) => name.toLowerCase()),
  );
  const added = await findAssignees(
    tx,
    access,
    names.filter((name) => !kept.has(name.toLowerCase())),
    "assignees",
  );
  const removed = current.filter(({ name }) => !wanted.has(name.toLowerCase()));
  await removeAssignees(
    tx,
    row.id,
    removed.map(({ id }) => id),
  );
  await insertAssignees(
    tx,
    row.id,
    added.map(({ id }) => id),
  );
  const repository = namedRepository(access);
  const issue = namedIssue(row);
  for (const user of removed) {
    work.tell({ kind: "issue.unassigned", repository, issue, user: namedOwner(user) });
  }
  for (const user of added) {
    work.tell({ kind: "issue.assigned", repository, issue, user: namedOwner(user) });
  }
  return removed.length + added.length > 0;
}

/** The longest reason of a lock, characters. */
export const longestReason = 255;

/** Locks an issue: only those who may write issues comment on it. A second lock has another reason. Throws NotFound and Forbidden. */
export async function lockConversation(
  work: Work,
  access: RepositoryAccess,
  number: number,
  asked: string,
): Promise<void> {
  const row = await getLockedIssue(work, access, number);
  await demandWriter(work, access, row);
  const reason = asked.trim();
  if (reason.length > longestReason) {
    throw new InvalidInput(`"${clip(reason, 80)}" is longer than ${longestReason} characters`, "lock_reason");
  }
  if (row.lockedAt !== null && row.lockReason === reason) {
    return;
  }
  await updateIssue(work.tx, row.id, { lockedAt: row.lockedAt ?? new Date(), lockReason: reason });
  work.tell({ kind: "issue.locked", repository: namedRepository(access), issue: namedIssue(row), reason });
}

/** Unlocks an issue; nothing happens to one that is not locked. Throws NotFound and Forbidden. */
export async function unlockConversation(work: Work, access: RepositoryAccess, number: number): Promise<void> {
  const row = await getLockedIssue(work, access, number);
  await demandWriter(work, access, row);
  if (row.lockedAt !== null) {
    await updateIssue(work.tx, row.id, { lockedAt: null, lockReason: null });
    work.tell({ kind: "issue.unlocked", repository: namedRepository(access), issue: namedIssue(row) });
  }
}

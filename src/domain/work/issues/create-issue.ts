import type { RepositoryAccess } from "../../../auth/subject.ts";
import { holdTextsBy } from "./hold-texts.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { Forbidden } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";
import { adoptFiles } from "./loose-files.ts";
import { isGuest, mayWriteIssue } from "./access.ts";
import { findAssignees, findLabels, findMilestone } from "./detail-queries.ts";
import { recordMentions } from "./mentions.ts";
import { namedIssue } from "./named-issue.ts";
import { insertAssignees, insertIssue, insertLabels, type IssueRow } from "./queries.ts";

export interface NewIssue {
  title: string;
  body: string;
  /** A branch or tag that it is about; empty: none. */
  ref: string;
  /** The following are for those who may write issues. */
  assignees: readonly string[];
  /** Ids. */
  labels: readonly number[];
  milestone: number | null;
  dueAt: Date | null;
  closed: boolean;
  /** Inserts the pull request of the issue, before any event is told. */
  asPull?: (row: IssueRow) => Promise<void>;
}

/** The longest title of an issue, characters. */
export const longestTitle = 255;

/** The longest text of an issue or a comment, UTF-16 code units. */
export const longestText = 1024 * 1024;

/** Throws InvalidInput for a text that is too long. `what`: how it is called, with its article; `field`: where it was sent. */
export function checkLength(text: string, most: number, what: string, field: string): void {
  if (text.length > most) {
    throw new InvalidInput(`${what} has at most ${most} characters`, field);
  }
}

/** Throws InvalidInput for a text of an issue or a comment that is too long. */
export function checkText(text: string): void {
  checkLength(text, longestText, "A text", "body");
}

/** Returns the title without the blanks around it. Throws InvalidInput for one that is empty or too long. */
export function checkTitle(title: string): string {
  const trimmed = title.trim();
  if (trimmed === "" || trimmed.length > longestTitle) {
    throw new InvalidInput(`A title has 1 to ${longestTitle} characters`, "title");
  }
  return trimmed;
}

/** Throws Forbidden, naming the first field that only those may send who may write issues, or pull requests. */
function checkWriter(access: RepositoryAccess, isPull: boolean, sent: Readonly<Record<string, boolean>>): void {
  const field = Object.keys(sent).find((key) => sent[key]);
  if (field !== undefined && !mayWriteIssue(access, { isPull })) {
    throw new Forbidden(
      `"${field}" needs write access to the ${isPull ? "pull requests" : "issues"} of the repository`,
    );
  }
}

/**
 * Opens an issue, or a pull request. Throws InvalidInput that names the field, and Forbidden for details that need write access to issues.
 */
export async function createIssue(work: Work, access: RepositoryAccess, asked: NewIssue): Promise<IssueRow> {
  const title = checkTitle(asked.title);
  checkText(asked.body);
  const isPull = asked.asPull !== undefined;
  checkWriter(access, isPull, {
    assignees: asked.assignees.length > 0,
    labels: asked.labels.length > 0,
    milestone: asked.milestone !== null,
    due_date: asked.dueAt !== null,
    closed: asked.closed,
  });
  const { tx, actorId } = work;
  const assignees = await findAssignees(tx, access, asked.assignees, "assignees");
  const labels = await findLabels(tx, access, asked.labels, "labels");
  const milestone = asked.milestone === null ? null : await findMilestone(tx, access, asked.milestone, "milestone");
  const row = await insertIssue(tx, {
    repositoryId: access.repository.id,
    isPull,
    title,
    body: asked.body,
    byGuest: isGuest(access),
    ref: asked.ref,
    authorId: actorId,
    milestoneId: milestone?.id ?? null,
    dueAt: asked.dueAt,
    closedAt: asked.closed ? new Date() : null,
    closedById: asked.closed ? actorId : null,
  });
  await insertAssignees(
    tx,
    row.id,
    assignees.map(({ id }) => id),
  );
  await insertLabels(
    tx,
    row.id,
    labels.map(({ id }) => id),
  );
  await asked.asPull?.(row);
  const repository = namedRepository(access);
  const named = namedIssue(row);
  work.tell({ kind: "issue.opened", repository, issue: named });
  await holdTextsBy(work, access);
  await recordMentions(work, access, row, `${title}\n${asked.body}`);
  await adoptFiles(work, { issueId: row.id, commentId: null }, asked.body);
  for (const user of assignees) {
    work.tell({ kind: "issue.assigned", repository, issue: named, user });
  }
  for (const { id, name } of labels) {
    work.tell({ kind: "issue.labeled", repository, issue: named, label: { id, name } });
  }
  if (milestone !== null) {
    work.tell({
      kind: "issue.milestoned",
      repository,
      issue: named,
      milestone: { id: milestone.id, title: milestone.title },
    });
  }
  return row;
}

import { and, asc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { ownerVisibleSql } from "../../auth/access-sql.ts";
import type { OwnerRow } from "../../auth/subject.ts";
import { viewerOf, type Viewer } from "../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../db/client.ts";
import { issue, issueAssignee, issueLabel, issueSequence, label, milestone } from "../../db/schema/issues.ts";
import { owner } from "../../db/schema/owners.ts";
import { pull } from "../../db/schema/pulls.ts";
import { attachmentsOfIssues, type AttachmentRow } from "../attachments/queries.ts";

const { words: _, ...columns } = getTableColumns(issue);
/** All columns but the words, which only the database reads. */
export const issueColumns = columns;

export type IssueRow = Omit<typeof issue.$inferSelect, "words">;
export type LabelRow = typeof label.$inferSelect;
export type MilestoneRow = typeof milestone.$inferSelect;

type NewIssueColumns = Omit<typeof issue.$inferInsert, "id" | "number" | "words" | "comments" | "contentVersion">;

/** An issue with all that is shown of it. */
export interface FoundIssue {
  issue: IssueRow;
  /** null: gone, or unknown to the viewer. */
  author: OwnerRow | null;
  milestone: MilestoneRow | null;
  /** By name. */
  labels: LabelRow[];
  /** By name; those of whom the viewer may know. */
  assignees: OwnerRow[];
  /** Without those of its comments. */
  assets: AttachmentRow[];
  /** When it was merged (null: it was not); null for an issue. */
  pull: { mergedAt: Date | null } | null;
}

/** Takes the next number of a repository. Others who want one wait until this transaction ends. */
async function takeNumber(tx: Transaction, repositoryId: number): Promise<number> {
  const [row] = await tx
    .insert(issueSequence)
    .values({ repositoryId, last: 1 })
    .onConflictDoUpdate({ target: issueSequence.repositoryId, set: { last: sql`${issueSequence.last} + 1` } })
    .returning({ number: issueSequence.last });
  if (row === undefined) {
    throw new Error("A sequence gave no number");
  }
  return row.number;
}

/** Inserts an issue with the next number of its repository. */
export async function insertIssue(tx: Transaction, columns: NewIssueColumns): Promise<IssueRow> {
  const number = await takeNumber(tx, columns.repositoryId);
  const [row] = await tx
    .insert(issue)
    .values({ ...columns, number })
    .returning(issueColumns);
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

/** The row of an issue or pull request by its number; null when there is none. */
export async function findIssueRow(db: Reader, repositoryId: number, number: number): Promise<IssueRow | null> {
  const [row] = await db
    .select(issueColumns)
    .from(issue)
    .where(and(eq(issue.repositoryId, repositoryId), eq(issue.number, number)));
  return row ?? null;
}

export async function insertAssignees(tx: Transaction, issueId: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length > 0) {
    await tx
      .insert(issueAssignee)
      .values(userIds.map((userId) => ({ issueId, userId })))
      .onConflictDoNothing();
  }
}

export async function insertLabels(tx: Transaction, issueId: number, labelIds: readonly number[]): Promise<void> {
  if (labelIds.length > 0) {
    await tx
      .insert(issueLabel)
      .values(labelIds.map((labelId) => ({ issueId, labelId })))
      .onConflictDoNothing();
  }
}

/** Adds to issues what is shown of them, in one query for each kind of thing, however many issues there are. */
export async function completeIssues(db: Reader, viewer: Viewer, rows: readonly IssueRow[]): Promise<FoundIssue[]> {
  if (rows.length === 0) {
    return [];
  }
  const ids = rows.map(({ id }) => id);
  const authorIds = [...new Set(rows.flatMap(({ authorId }) => authorId ?? []))];
  const milestoneIds = [...new Set(rows.flatMap(({ milestoneId }) => milestoneId ?? []))];
  const known = ownerVisibleSql(viewerOf(viewer));
  const pullIds = rows.flatMap(({ id, isPull }) => (isPull ? [id] : []));
  const [authors, milestones, labels, assignees, assets, pulls] = await Promise.all([
    authorIds.length === 0
      ? []
      : db
          .select()
          .from(owner)
          .where(and(inArray(owner.id, authorIds), known)),
    milestoneIds.length === 0 ? [] : db.select().from(milestone).where(inArray(milestone.id, milestoneIds)),
    db
      .select({ issueId: issueLabel.issueId, label: getTableColumns(label) })
      .from(issueLabel)
      .innerJoin(label, eq(label.id, issueLabel.labelId))
      .where(inArray(issueLabel.issueId, ids))
      .orderBy(asc(label.name), asc(label.id)),
    db
      .select({ issueId: issueAssignee.issueId, user: getTableColumns(owner) })
      .from(issueAssignee)
      .innerJoin(owner, eq(owner.id, issueAssignee.userId))
      .where(and(inArray(issueAssignee.issueId, ids), known))
      .orderBy(asc(owner.lowerName)),
    attachmentsOfIssues(db, ids),
    pullIds.length === 0
      ? []
      : db.select({ issueId: pull.issueId, mergedAt: pull.mergedAt }).from(pull).where(inArray(pull.issueId, pullIds)),
  ]);
  const pullOf = new Map(pulls.map(({ issueId, mergedAt }) => [issueId, { mergedAt }]));
  const assetsOf = Map.groupBy(assets, ({ issueId }) => issueId);
  const authorOf = new Map(authors.map((row) => [row.id, row]));
  const milestoneOf = new Map(milestones.map((row) => [row.id, row]));
  const labelsOf = Map.groupBy(labels, ({ issueId }) => issueId);
  const assigneesOf = Map.groupBy(assignees, ({ issueId }) => issueId);
  return rows.map((row) => ({
    issue: row,
    author: authorOf.get(row.authorId ?? 0) ?? null,
    milestone: milestoneOf.get(row.milestoneId ?? 0) ?? null,
    labels: (labelsOf.get(row.id) ?? []).map((one) => one.label),
    assignees: (assigneesOf.get(row.id) ?? []).map((one) => one.user),
    assets: assetsOf.get(row.id) ?? [],
    pull: pullOf.get(row.id) ?? null,
  }));
}

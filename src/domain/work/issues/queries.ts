import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { OwnerRow } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import type { Database, Reader, Transaction } from "../../../db/client.ts";
import {
  issue,
  issueAssignee,
  issueLabel,
  issueSequence,
  type label,
  type milestone,
} from "../../../db/schema/issues.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { attachmentsOfIssues, type AttachmentRow } from "../../repos/attachments/queries.ts";
import { findDetails } from "./find-details-queries.ts";

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

const rowByNumber = preparedByShape((db: Reader) =>
  db
    .select(issueColumns)
    .from(issue)
    .where(and(eq(issue.repositoryId, sql.placeholder("repositoryId")), eq(issue.number, sql.placeholder("number"))))
    .prepare("issue_by_number"),
);

/** The row of an issue or pull request by its number; null when there is none. */
export async function findIssueRow(db: Reader, repositoryId: number, number: number): Promise<IssueRow | null> {
  const [row] = await rowByNumber(db, null).execute({ repositoryId, number });
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

const isThere = <Row>(row: Row | undefined): row is Row => row !== undefined;

/** Adds to issues what is shown of them, with a constant number of queries: two, as a rule. */
export async function completeIssues(db: Database, viewer: Viewer, rows: readonly IssueRow[]): Promise<FoundIssue[]> {
  if (rows.length === 0) {
    return [];
  }
  const ids = rows.map(({ id }) => id);
  const details = await findDetails(db, viewer, {
    issueIds: ids,
    userIds: rows.map(({ authorId }) => authorId),
    milestoneIds: rows.map(({ milestoneId }) => milestoneId),
  });
  const assets = details.issuesHaveFiles ? await attachmentsOfIssues(db, ids) : [];
  const assetsOf = Map.groupBy(assets, ({ issueId }) => issueId);
  const { users, labels, milestones, labelsOf, assigneesOf, mergedAtOf } = details;
  return rows.map((row) => {
    const mergedAt = mergedAtOf.get(row.id);
    return {
      issue: row,
      author: users.get(row.authorId ?? 0) ?? null,
      milestone: milestones.get(row.milestoneId ?? 0) ?? null,
      labels: (labelsOf.get(row.id) ?? []).map((id) => labels.get(id)).filter(isThere),
      assignees: (assigneesOf.get(row.id) ?? []).map((id) => users.get(id)).filter(isThere),
      assets: assetsOf.get(row.id) ?? [],
      pull: mergedAt === undefined ? null : { mergedAt },
    };
  });
}

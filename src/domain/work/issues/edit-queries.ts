import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { violatesUnique } from "../../../db/pg-errors.ts";
import { formerContent } from "../../../db/schema/comments.ts";
import { issue, issueAssignee, issueDependency, issueSequence } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { Conflict } from "../../spine/errors.ts";
import type { NamedOwner } from "../../spine/events/names.ts";
import { issueColumns, type IssueRow } from "./queries.ts";

/** Columns that are changed. */
export type IssueColumns = Partial<Omit<typeof issue.$inferInsert, "id" | "repositoryId" | "number" | "words">>;

/** Takes an issue's row for this transaction and reads it; null when there is none. */
export async function lockIssue(tx: Transaction, repositoryId: number, number: number): Promise<IssueRow | null> {
  const [row] = await tx
    .select(issueColumns)
    .from(issue)
    .where(and(eq(issue.repositoryId, repositoryId), eq(issue.number, number)))
    .for("no key update");
  return row ?? null;
}

/** Whether a number is that of a pull request. */
export async function isPullRequest(tx: Transaction, repositoryId: number, number: number): Promise<boolean> {
  const [row] = await tx
    .select({ isPull: issue.isPull })
    .from(issue)
    .where(and(eq(issue.repositoryId, repositoryId), eq(issue.number, number)));
  return row?.isPull === true;
}

/** Throws Conflict when a pull request that is reopened has the branches of an open one. */
export async function updateIssue(tx: Transaction, id: number, columns: IssueColumns): Promise<IssueRow> {
  const [row] = await tx
    .update(issue)
    .set(columns)
    .where(eq(issue.id, id))
    .returning(issueColumns)
    .catch((error: unknown) => {
      throw violatesUnique(error, "pull_open")
        ? new Conflict("Another pull request of the same branches is open")
        : error;
    });
  if (row === undefined) {
    throw new Error("A locked issue was gone");
  }
  return row;
}

/** So many edits of a text are kept. */
export const keptVersions = 200;

/** Keeps what a title and a text were (null: it stayed as it was), and of a text's edits the latest. */
export async function insertFormerContent(tx: Transaction, former: typeof formerContent.$inferInsert): Promise<void> {
  await tx.insert(formerContent).values(former);
  const { id } = formerContent;
  const older = sql`(select ${id} from ${formerContent} where ${formerContent.issueId} = ${former.issueId}
    and ${formerContent.commentId} is not distinct from ${former.commentId ?? null}::bigint order by ${id} desc offset ${keptVersions})`;
  await tx.delete(formerContent).where(sql`${id} in ${older}`);
}

export async function removeIssue(tx: Transaction, id: number): Promise<void> {
  await tx.delete(issue).where(eq(issue.id, id));
}

/** Keeps others from making, pinning and deleting issues of the repository until this transaction ends. No push takes the row. */
export async function lockSequence(tx: Transaction, repositoryId: number): Promise<void> {
  await tx
    .select({ last: issueSequence.last })
    .from(issueSequence)
    .where(eq(issueSequence.repositoryId, repositoryId))
    .for("update");
}

/** By name. */
export async function listAssignees(tx: Transaction, issueId: number): Promise<NamedOwner[]> {
  return tx
    .select({ id: owner.id, name: owner.name })
    .from(issueAssignee)
    .innerJoin(owner, eq(owner.id, issueAssignee.userId))
    .where(eq(issueAssignee.issueId, issueId))
    .orderBy(asc(owner.lowerName));
}

export async function removeAssignees(tx: Transaction, issueId: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length > 0) {
    await tx
      .delete(issueAssignee)
      .where(and(eq(issueAssignee.issueId, issueId), inArray(issueAssignee.userId, [...userIds])));
  }
}

/** Whether an issue depends on an open one, regardless of who may see that one. */
export async function hasOpenDependency(tx: Reader, issueId: number): Promise<boolean> {
  const [row] = await tx
    .select({ found: sql`1` })
    .from(issueDependency)
    .innerJoin(issue, eq(issue.id, issueDependency.dependsOnId))
    .where(and(eq(issueDependency.issueId, issueId), isNull(issue.closedAt)))
    .limit(1);
  return row !== undefined;
}

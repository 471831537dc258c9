import { and, eq } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { comment } from "../../../db/schema/comments.ts";
import { issue } from "../../../db/schema/issues.ts";
import { reflog } from "../../../db/schema/repositories.ts";
import type { IssueRow } from "../issues/queries.ts";

/** Whether a pull request once had this head, as its ref's log has it. */
export async function wasHead(
  db: Reader,
  { repositoryId, number }: Pick<IssueRow, "repositoryId" | "number">,
  oid: Uint8Array,
): Promise<boolean> {
  const [row] = await db
    .select({ id: reflog.id })
    .from(reflog)
    .where(
      and(eq(reflog.repositoryId, repositoryId), eq(reflog.name, `refs/pull/${number}/head`), eq(reflog.newOid, oid)),
    )
    .limit(1);
  return row !== undefined;
}

/** The number of the issue that a comment of a repository is on; null when there is none. */
export async function numberOfIssue(db: Reader, repositoryId: number, commentId: number): Promise<number | null> {
  const [row] = await db
    .select({ number: issue.number })
    .from(comment)
    .innerJoin(issue, eq(issue.id, comment.issueId))
    .where(and(eq(comment.id, commentId), eq(comment.repositoryId, repositoryId)));
  return row?.number ?? null;
}

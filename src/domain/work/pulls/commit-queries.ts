import { and, desc, eq } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { issue } from "../../../db/schema/issues.ts";
import { pull } from "../../../db/schema/pulls.ts";
import { issueColumns, type IssueRow } from "../issues/queries.ts";

/** The merged pull request whose merge brought a commit to its base, by the commit's oid; of several the latest. */
export async function findPullOfCommit(db: Reader, repositoryId: number, oid: string): Promise<IssueRow | null> {
  const [row] = await db
    .select(issueColumns)
    .from(pull)
    .innerJoin(issue, eq(issue.id, pull.issueId))
    .where(and(eq(pull.baseRepositoryId, repositoryId), eq(pull.mergeCommitOid, Buffer.from(oid, "hex"))))
    .orderBy(desc(pull.issueId))
    .limit(1);
  return row ?? null;
}

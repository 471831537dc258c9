import { and, asc, eq, inArray, isNotNull, sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { issue } from "../../../db/schema/issues.ts";
import { pull } from "../../../db/schema/pulls.ts";
import { issueColumns, type IssueRow } from "../issues/queries.ts";

/** The pull requests whose merges are these commits (hexadecimal), the first merged one first. */
export async function listMergedBy(
  db: Reader,
  repositoryId: number,
  oids: readonly string[],
  limit: number,
): Promise<IssueRow[]> {
  return db
    .select(issueColumns)
    .from(pull)
    .innerJoin(issue, eq(issue.id, pull.issueId))
    .where(
      and(
        eq(pull.baseRepositoryId, repositoryId),
        sql`${pull.mergeCommitOid} in (select decode(given, 'hex') from unnest(${sql.param([...oids])}::text[]) as given)`,
      ),
    )
    .orderBy(asc(pull.mergedAt), asc(pull.issueId))
    .limit(limit);
}

/** The first pull request of each of these users that was merged into the repository, by the users' ids. */
export async function findFirstMerged(
  db: Reader,
  repositoryId: number,
  authorIds: readonly number[],
): Promise<Map<number, number>> {
  if (authorIds.length === 0) {
    return new Map();
  }
  const rows = await db
    .selectDistinctOn([issue.authorId], { authorId: issue.authorId, issueId: issue.id })
    .from(pull)
    .innerJoin(issue, eq(issue.id, pull.issueId))
    .where(and(eq(issue.repositoryId, repositoryId), inArray(issue.authorId, [...authorIds]), isNotNull(pull.mergedAt)))
    .orderBy(asc(issue.authorId), asc(pull.mergedAt), asc(pull.issueId));
  return new Map(rows.flatMap(({ authorId, issueId }) => (authorId === null ? [] : [[authorId, issueId] as const])));
}

import { and, asc, count, eq, or, sql, type SQL } from "drizzle-orm";
import { discussionVisibleSql } from "../../../auth/access-sql.ts";
import { limitsOf, viewerOf, type CredentialLimits, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { issue, issueDependency } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { viewerValues } from "../../repos/list-queries.ts";
import { viewerSql } from "../../repos/list-sql-queries.ts";
import { issueColumns, type IssueRow } from "./queries.ts";

/** `dependencies`: what an issue depends on. `blocks`: what depends on it. */
export type DependencySide = "dependencies" | "blocks";

/** Whether the viewer may read `issue` of `repository` of `owner`. */
function readableSql(viewer: Viewer): SQL {
  const seen = viewerOf(viewer);
  return discussionVisibleSql(seen, issue.isPull);
}

/** A page of the issues on one side of an issue, in any repository, that the viewer may read, and their number. */
export async function pageOfDependencies(
  db: Reader,
  viewer: Viewer,
  issueId: number,
  side: DependencySide,
  slice: { size: number; offset: number },
): Promise<{ rows: IssueRow[]; total: number }> {
  const [here, there] =
    side === "dependencies"
      ? [issueDependency.issueId, issueDependency.dependsOnId]
      : [issueDependency.dependsOnId, issueDependency.issueId];
  const condition = and(eq(here, issueId), readableSql(viewer));
  const [rows, [counted]] = await Promise.all([
    db
      .select(issueColumns)
      .from(issueDependency)
      .innerJoin(issue, eq(issue.id, there))
      .innerJoin(repository, eq(repository.id, issue.repositoryId))
      .innerJoin(owner, eq(owner.id, repository.ownerId))
      .where(condition)
      .orderBy(asc(issue.id))
      .limit(slice.size)
      .offset(slice.offset),
    db
      .select({ value: count() })
      .from(issueDependency)
      .innerJoin(issue, eq(issue.id, there))
      .innerJoin(repository, eq(repository.id, issue.repositoryId))
      .innerJoin(owner, eq(owner.id, repository.ownerId))
      .where(condition),
  ]);
  return { rows, total: counted?.value ?? 0 };
}

const relatedOf = preparedByShape((db: Reader, limits: CredentialLimits) => {
  const id = sql`${sql.placeholder("issueId")}::bigint`;
  const here = eq(issueDependency.issueId, id);
  const other = sql`case when ${here} then ${issueDependency.dependsOnId} else ${issueDependency.issueId} end`;
  return db
    .select({ isDependency: sql<boolean>`${here}`, issue: issueColumns })
    .from(issueDependency)
    .innerJoin(issue, eq(issue.id, other))
    .innerJoin(repository, eq(repository.id, issue.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(and(or(here, eq(issueDependency.dependsOnId, id)), discussionVisibleSql(viewerSql(limits), issue.isPull)))
    .orderBy(asc(issue.id))
    .limit(sql.placeholder("most"))
    .prepare("related_issues");
});

/** The issues on both sides of an issue that the viewer may read, the first `most` of them. */
export async function findRelatedIssues(
  db: Reader,
  viewer: Viewer,
  issueId: number,
  most: number,
): Promise<Record<DependencySide, IssueRow[]>> {
  const values = { ...viewerValues(viewer), issueId, most };
  const rows = await relatedOf(db, limitsOf(viewer.credential)).execute(values);
  const [dependencies, blocks] = [true, false].map((side) =>
    rows.filter(({ isDependency }) => isDependency === side).map((row) => row.issue),
  ) as [IssueRow[], IssueRow[]];
  return { dependencies, blocks };
}

/** Keeps others from adding dependencies until the transaction ends, so that no two of them close a circle. */
export async function lockDependencies(tx: Transaction): Promise<void> {
  await tx.execute(sql`lock table ${issueDependency} in share row exclusive mode`);
}

/** Whether an issue depends on another one, by whatever comes between. */
export async function dependsOn(tx: Transaction, issueId: number, otherId: number): Promise<boolean> {
  const [row] = await tx.execute<{ depends: boolean }>(sql`
    with recursive reached (id) as (
      select ${issueDependency.dependsOnId} from ${issueDependency} where ${issueDependency.issueId} = ${issueId}
      union select ${issueDependency.dependsOnId} from ${issueDependency} join reached on ${issueDependency.issueId} = reached.id)
    select exists (select 1 from reached where id = ${otherId}) as depends`);
  return row?.depends === true;
}

export async function countDependencies(tx: Transaction, issueId: number): Promise<number> {
  const [row] = await tx.select({ value: count() }).from(issueDependency).where(eq(issueDependency.issueId, issueId));
  return row?.value ?? 0;
}

/** Returns whether it was not there. */
export async function insertDependency(tx: Transaction, issueId: number, dependsOnId: number): Promise<boolean> {
  const rows = await tx
    .insert(issueDependency)
    .values({ issueId, dependsOnId })
    .onConflictDoNothing()
    .returning({ id: issueDependency.issueId });
  return rows.length > 0;
}

/** Returns whether it was there. */
export async function removeDependency(tx: Transaction, issueId: number, dependsOnId: number): Promise<boolean> {
  const rows = await tx
    .delete(issueDependency)
    .where(and(eq(issueDependency.issueId, issueId), eq(issueDependency.dependsOnId, dependsOnId)))
    .returning({ id: issueDependency.issueId });
  return rows.length > 0;
}

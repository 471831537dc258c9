import { inArray, or, sql, and } from "drizzle-orm";
import { discussionVisibleSql } from "../../../auth/access-sql.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader } from "../../../db/client.ts";
import { issue, issueDependency } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { issueColumns, type IssueRow } from "./queries.ts";

/** Issues around one, and which of them depends on which. */
export interface DependencyGraph {
  readonly issues: readonly IssueRow[];
  readonly edges: readonly { readonly issueId: number; readonly dependsOnId: number }[];
  /** Whether there are more, further away or too many. */
  readonly hasMore: boolean;
}

const mostSteps = 3;
const mostIssues = 40;
const mostEdges = 400;

/** The issues that one depends on, or that depend on it, over three steps, as far as the viewer may read them. */
export async function findDependencyGraph(db: Reader, viewer: Viewer, start: IssueRow): Promise<DependencyGraph> {
  const seen = viewerOf(viewer);
  const issues = new Map([[start.id, start]]);
  const edges = new Map<string, { issueId: number; dependsOnId: number }>();
  let reached = [start.id];
  let hasMore = false;
  for (let step = 0; step <= mostSteps && reached.length > 0; step++) {
    const found = await db
      .select()
      .from(issueDependency)
      .where(or(inArray(issueDependency.issueId, reached), inArray(issueDependency.dependsOnId, reached)))
      .orderBy(issueDependency.issueId, issueDependency.dependsOnId)
      .limit(mostEdges);
    const further = [...new Set(found.flatMap(({ issueId, dependsOnId }) => [issueId, dependsOnId]))].filter(
      (id) => !issues.has(id),
    );
    const room = step === mostSteps ? 0 : mostIssues - issues.size;
    const rows =
      further.length === 0
        ? []
        : await db
            .select(issueColumns)
            .from(issue)
            .innerJoin(repository, sql`${repository.id} = ${issue.repositoryId}`)
            .innerJoin(owner, sql`${owner.id} = ${repository.ownerId}`)
            .where(and(inArray(issue.id, further), discussionVisibleSql(seen, issue.isPull)))
            .orderBy(issue.id)
            .limit(room + 1);
    hasMore ||= rows.length > room;
    const shown = rows.slice(0, room);
    for (const row of shown) {
      issues.set(row.id, row);
    }
    for (const edge of found) {
      if (issues.has(edge.issueId) && issues.has(edge.dependsOnId)) {
        edges.set(`${edge.issueId} ${edge.dependsOnId}`, edge);
      }
    }
    reached = shown.map(({ id }) => id);
  }
  return { issues: [...issues.values()], edges: [...edges.values()], hasMore };
}

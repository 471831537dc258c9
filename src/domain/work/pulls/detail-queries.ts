import { and, eq, sql, type SQL } from "drizzle-orm";
import type { Database } from "../../../db/client.ts";
import { issue } from "../../../db/schema/issues.ts";
import { pull } from "../../../db/schema/pulls.ts";
import { issueColumns } from "../issues/queries.ts";
import { pullColumns, type IssueAndPull, type PullRow } from "./queries.ts";

/** The data of a pull request beside its issue. */
export interface PullDetails extends PullRow {
  /** Whether the branch that it is from is there. */
  hasBranch: boolean;
  /** Whether somebody was asked for a review and has not given it. */
  hasRequests: boolean;
}

const isThere = (what: SQL) => sql<boolean>`exists (select 1 ${what})`;

const columns = {
  ...pullColumns,
  hasBranch: isThere(sql`from ref where ref.repository_id = ${pull.headRepositoryId}
    and ref.name = 'refs/heads/' || ${pull.headBranch} and ${pull.flow} = 'branch'`),
  hasRequests: isThere(sql`from review where review.pull_id = ${pull.issueId} and review.kind = 'request'`),
};

function prepareQueries(db: Database) {
  return {
    one: db
      .select({ issue: issueColumns, pull: columns })
      .from(issue)
      .innerJoin(pull, eq(pull.issueId, issue.id))
      .where(and(eq(issue.repositoryId, sql.placeholder("repositoryId")), eq(issue.number, sql.placeholder("number"))))
      .prepare("find_pull_with_details"),
    details: db
      .select(columns)
      .from(pull)
      .where(sql`${pull.issueId} = any(${sql.placeholder("ids")}::bigint[])`)
      .prepare("list_pull_details"),
  };
}

/** To write such a statement down takes several times as long as running it. */
const prepared = new WeakMap<Database, ReturnType<typeof prepareQueries>>();

function queriesOf(db: Database): ReturnType<typeof prepareQueries> {
  const known = prepared.get(db) ?? prepareQueries(db);
  prepared.set(db, known);
  return known;
}

/** A pull request by its number, with its details; null when there is none. */
export async function findPullWithDetails(
  db: Database,
  repositoryId: number,
  number: number,
): Promise<(IssueAndPull & { pull: PullDetails }) | null> {
  return (await queriesOf(db).one.execute({ repositoryId, number }))[0] ?? null;
}

/** The details of pull requests by the ids of their issues. */
export async function listPullDetails(db: Database, ids: readonly number[]): Promise<Map<number, PullDetails>> {
  const rows = ids.length === 0 ? [] : await queriesOf(db).details.execute({ ids: [...ids] });
  return new Map(rows.map((row) => [row.issueId, row]));
}

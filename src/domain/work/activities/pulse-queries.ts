import { and, desc, eq, gt, isNotNull, sql, type AnyColumn, type SQL } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { issue } from "../../../db/schema/issues.ts";
import { pull } from "../../../db/schema/pulls.ts";
import { release } from "../../../db/schema/releases.ts";

/** An issue or a pull request to which something happened. */
export interface PulseItem {
  readonly number: number;
  readonly title: string;
  readonly at: Date;
}

/** The latest ones, and how many there are. */
export interface PulseList<Item> {
  readonly rows: readonly Item[];
  readonly total: number;
}

const total = sql<number>`count(*) over ()`.mapWith(Number);

function listOf<Item extends object>(rows: readonly (Item & { total: number })[]): PulseList<Item> {
  return { rows, total: rows[0]?.total ?? 0 };
}

async function listItems(db: Reader, column: AnyColumn, condition: SQL | undefined, limit: number) {
  const rows = await db
    .select({ number: issue.number, title: issue.title, at: sql<Date>`${column}`.mapWith(issue.createdAt), total })
    .from(issue)
    .leftJoin(pull, eq(pull.issueId, issue.id))
    .where(condition)
    .orderBy(desc(column), desc(issue.id))
    .limit(limit);
  return listOf<PulseItem>(rows);
}

/** The issues, or the pull requests, of a repository that were opened since an instant. */
export async function listOpened(
  db: Reader,
  repositoryId: number,
  kind: { isPull: boolean },
  since: Date,
  limit: number,
): Promise<PulseList<PulseItem>> {
  const condition = and(
    eq(issue.repositoryId, repositoryId),
    eq(issue.isPull, kind.isPull),
    gt(issue.createdAt, since),
  );
  return listItems(db, issue.createdAt, condition, limit);
}

/** The issues of a repository that were closed since an instant. */
export async function listClosed(
  db: Reader,
  repositoryId: number,
  since: Date,
  limit: number,
): Promise<PulseList<PulseItem>> {
  const condition = and(
    eq(issue.repositoryId, repositoryId),
    eq(issue.isPull, false),
    isNotNull(issue.closedAt),
    // Closing is an update: this condition has an index.
    gt(issue.updatedAt, since),
    gt(issue.closedAt, since),
  );
  return listItems(db, issue.closedAt, condition, limit);
}

/** The pull requests of a repository that were merged since an instant. */
export async function listMerged(
  db: Reader,
  repositoryId: number,
  since: Date,
  limit: number,
): Promise<PulseList<PulseItem>> {
  const condition = and(
    eq(issue.repositoryId, repositoryId),
    eq(issue.isPull, true),
    gt(issue.updatedAt, since),
    gt(pull.mergedAt, since),
  );
  return listItems(db, pull.mergedAt, condition, limit);
}

/** A release. */
export interface PulseRelease {
  readonly tagName: string;
  readonly title: string;
  readonly at: Date;
}

/** The releases of a repository, without drafts, that were published since an instant. */
export async function listPublished(
  db: Reader,
  repositoryId: number,
  since: Date,
  limit: number,
): Promise<PulseList<PulseRelease>> {
  const rows = await db
    .select({ tagName: release.tagName, title: release.title, at: release.publishedAt, total })
    .from(release)
    .where(and(eq(release.repositoryId, repositoryId), eq(release.draft, false), gt(release.publishedAt, since)))
    .orderBy(desc(release.publishedAt), desc(release.id))
    .limit(limit);
  return listOf<PulseRelease>(rows);
}

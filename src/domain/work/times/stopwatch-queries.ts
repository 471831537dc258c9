import { and, count, eq, sql } from "drizzle-orm";
import { discussionVisibleSql, type ViewerSql } from "../../../auth/access-sql.ts";
import type { Actor } from "../../../auth/subject.ts";
import { limitsOf, viewerOf, type CredentialLimits, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { issue } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { stopwatch } from "../../../db/schema/times.ts";
import { viewerValues } from "../../repos/list-queries.ts";
import { viewerSql } from "../../repos/list-sql-queries.ts";

export interface Watched {
  startedAt: Date;
  issue: { id: number; number: number; title: string; isPull: boolean };
  /** Where the issue is. */
  home: { repository: { id: number; name: string; private: boolean }; owner: { id: number; name: string } };
}

export interface RunningStopwatch extends Watched {
  /** Whether its user may read the issue, whose repository tracks time and is not archived. */
  mayTrack: boolean;
  /** Whether they may with the credential that they use. */
  isReached: boolean;
}

const columns = {
  startedAt: stopwatch.startedAt,
  issue: { id: issue.id, number: issue.number, title: issue.title, isPull: issue.isPull },
  repository: { id: repository.id, name: repository.name, private: repository.private },
  owner: { id: owner.id, name: owner.name },
};

const readableSql = (viewer: ViewerSql) => discussionVisibleSql(viewer, issue.isPull);

/** The stopwatch of the viewer, which no other transaction changes until this one ends; null when none runs. */
export async function lockRunning(
  tx: Transaction,
  viewer: Viewer & { actor: Actor },
): Promise<RunningStopwatch | null> {
  const anyCredential = viewerOf({ actor: viewer.actor, credential: { kind: "none" } });
  const [row] = await tx
    .select({
      ...columns,
      mayTrack: sql<boolean>`${repository.enableTimeTracker} and ${repository.archivedAt} is null and ${readableSql(anyCredential)}`,
      isReached: readableSql(viewerOf(viewer)),
    })
    .from(stopwatch)
    .innerJoin(issue, eq(issue.id, stopwatch.issueId))
    .innerJoin(repository, eq(repository.id, issue.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(eq(stopwatch.userId, viewer.actor.id))
    .for("update", { of: stopwatch });
  if (row === undefined) {
    return null;
  }
  const { repository: of, owner: holder, ...rest } = row;
  return { ...rest, home: { repository: of, owner: holder } };
}

const runningOf = preparedByShape((db: Reader, limits: CredentialLimits) =>
  db
    .select(columns)
    .from(stopwatch)
    .innerJoin(issue, eq(issue.id, stopwatch.issueId))
    .innerJoin(repository, eq(repository.id, issue.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(
      and(
        eq(stopwatch.userId, sql`${sql.placeholder("viewerId")}::bigint`),
        discussionVisibleSql(viewerSql(limits), issue.isPull),
      ),
    )
    .prepare("running_stopwatch"),
);

/** The stopwatch of the viewer; null: none runs, or on nothing that they may read. */
export async function findRunning(db: Reader, viewer: Viewer): Promise<Watched | null> {
  const [row] = await runningOf(db, limitsOf(viewer.credential)).execute(viewerValues(viewer));
  return row === undefined
    ? null
    : { startedAt: row.startedAt, issue: row.issue, home: { repository: row.repository, owner: row.owner } };
}

/** Returns whether no other transaction of the same user came first. */
export async function insertStopwatch(tx: Transaction, userId: number, issueId: number): Promise<boolean> {
  const rows = await tx
    .insert(stopwatch)
    .values({ userId, issueId })
    .onConflictDoNothing()
    .returning({ id: stopwatch.userId });
  return rows.length > 0;
}

export async function removeStopwatch(tx: Transaction, userId: number): Promise<void> {
  await tx.delete(stopwatch).where(eq(stopwatch.userId, userId));
}

/** A page of the viewer's stopwatches on what they may read, and how many there are. */
export async function listStopwatches(
  db: Reader,
  viewer: Viewer & { actor: Actor },
  page: { size: number; offset: number },
): Promise<{ rows: Watched[]; total: number }> {
  const where = and(eq(stopwatch.userId, viewer.actor.id), readableSql(viewerOf(viewer)));
  const [rows, [counted]] = await Promise.all([
    db
      .select(columns)
      .from(stopwatch)
      .innerJoin(issue, eq(issue.id, stopwatch.issueId))
      .innerJoin(repository, eq(repository.id, issue.repositoryId))
      .innerJoin(owner, eq(owner.id, repository.ownerId))
      .where(where)
      .limit(page.size)
      .offset(page.offset),
    db
      .select({ total: count() })
      .from(stopwatch)
      .innerJoin(issue, eq(issue.id, stopwatch.issueId))
      .innerJoin(repository, eq(repository.id, issue.repositoryId))
      .innerJoin(owner, eq(owner.id, repository.ownerId))
      .where(where),
  ]);
  const watched = rows.map(({ startedAt, issue: on, repository: of, owner: holder }) => ({
    startedAt,
    issue: on,
    home: { repository: of, owner: holder },
  }));
  return { rows: watched, total: counted?.total ?? 0 };
}

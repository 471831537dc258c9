import { and, asc, desc, eq, getTableColumns, inArray, sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { OwnerRow, RepositoryCounts, RepositoryRow } from "../../../auth/subject.ts";
import type { Database, Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { issue } from "../../../db/schema/issues.ts";
import { repositoryCount, repositorySize } from "../../../db/schema/lists.ts";
import { owner } from "../../../db/schema/owners.ts";
import { pull, review } from "../../../db/schema/pulls.ts";
import { ref, reflog, repository } from "../../../db/schema/repositories.ts";
import { issueColumns, type IssueRow } from "../issues/queries.ts";
import { countColumns } from "../../repos/queries.ts";

const hex = (column: PgColumn) => sql<string>`encode(${column}, 'hex')`;
const maybeHex = (column: PgColumn) => sql<string | null>`encode(${column}, 'hex')`;

/** All columns; oids are hexadecimal. */
export const pullColumns = {
  ...getTableColumns(pull),
  baseOid: hex(pull.baseOid),
  headOid: hex(pull.headOid),
  mergeBaseOid: maybeHex(pull.mergeBaseOid),
  checkedHeadOid: maybeHex(pull.checkedHeadOid),
  checkedBaseOid: maybeHex(pull.checkedBaseOid),
  mergeCommitOid: maybeHex(pull.mergeCommitOid),
};

type Oids = "baseOid" | "headOid" | "mergeBaseOid" | "checkedHeadOid" | "checkedBaseOid" | "mergeCommitOid";

/** The row of a pull request beside its issue; oids are hexadecimal. */
export type PullRow = Omit<typeof pull.$inferSelect, Oids> & {
  baseOid: string;
  headOid: string;
  mergeBaseOid: string | null;
  checkedHeadOid: string | null;
  checkedBaseOid: string | null;
  mergeCommitOid: string | null;
};

/** A pull request with its issue. */
export interface IssueAndPull {
  issue: IssueRow;
  pull: PullRow;
}

/** A pull request by its number; null when there is none. */
export async function findPull(db: Reader, repositoryId: number, number: number): Promise<IssueAndPull | null> {
  return findOne(db, and(eq(issue.repositoryId, repositoryId), eq(issue.number, number)));
}

/** A pull request by the id of its issue; null when there is none. */
export async function findPullById(db: Reader, issueId: number): Promise<IssueAndPull | null> {
  return findOne(db, eq(issue.id, issueId));
}

async function findOne(db: Reader, where: SQL | undefined): Promise<IssueAndPull | null> {
  const [row] = await db
    .select({ issue: issueColumns, pull: pullColumns })
    .from(issue)
    .innerJoin(pull, eq(pull.issueId, issue.id))
    .where(where);
  return row ?? null;
}

/** A pull request by its number, both of its rows locked until the transaction ends; null when there is none. */
export async function lockPull(tx: Transaction, repositoryId: number, number: number): Promise<IssueAndPull | null> {
  const [row] = await tx
    .select({ issue: issueColumns, pull: pullColumns })
    .from(issue)
    .innerJoin(pull, eq(pull.issueId, issue.id))
    .where(and(eq(issue.repositoryId, repositoryId), eq(issue.number, number)))
    .for("no key update");
  return row ?? null;
}

/** From where to where. `flow` is "branch" where the pair is of branches. */
export interface PullPair {
  baseRepositoryId: number;
  baseBranch: string;
  headRepositoryId: number;
  headBranch: string;
  flow: PullRow["flow"];
}

/** The number of the open pull request of a pair; null when there is none. */
export async function findOpenNumber(db: Reader, pair: PullPair): Promise<number | null> {
  const [row] = await db
    .select({ number: issue.number })
    .from(pull)
    .innerJoin(issue, eq(issue.id, pull.issueId))
    .where(and(ofPair(pair), eq(pull.open, true)));
  return row?.number ?? null;
}

const openOfHead = preparedByShape((db: Database) =>
  db
    .select({ branch: pull.headBranch, number: issue.number, baseId: pull.baseRepositoryId })
    .from(pull)
    .innerJoin(issue, eq(issue.id, pull.issueId))
    .where(
      and(
        eq(pull.headRepositoryId, sql.placeholder("repositoryId")),
        sql`${pull.headBranch} = any(${sql.placeholder("branches")}::text[])`,
        sql`${pull.baseRepositoryId} = any(${sql.placeholder("baseIds")}::bigint[])`,
        eq(pull.flow, "branch"),
        eq(pull.open, true),
      ),
    )
    .orderBy(asc(pull.issueId))
    .prepare("open_pulls_of_head"),
);

/** The open pull requests from these branches of a repository to these bases, the latest last. */
export async function listOpenOfHead(
  db: Database,
  head: { repositoryId: number; branches: readonly string[] },
  baseIds: readonly number[],
): Promise<{ branch: string; number: number; baseId: number }[]> {
  return openOfHead(db, null).execute({ ...head, baseIds });
}

/** The pull request of a pair of branches: the open one, else the latest. */
export async function findPullOfPair(db: Reader, pair: PullPair): Promise<IssueAndPull | null> {
  const [row] = await db
    .select({ issue: issueColumns, pull: pullColumns })
    .from(pull)
    .innerJoin(issue, eq(issue.id, pull.issueId))
    .where(ofPair(pair))
    .orderBy(desc(pull.open), desc(pull.issueId))
    .limit(1);
  return row ?? null;
}

function ofPair({ baseRepositoryId, baseBranch, headRepositoryId, headBranch, flow }: PullPair): SQL | undefined {
  return and(
    eq(pull.baseRepositoryId, baseRepositoryId),
    eq(pull.baseBranch, baseBranch),
    eq(pull.headRepositoryId, headRepositoryId),
    eq(pull.headBranch, headBranch),
    eq(pull.flow, flow),
  );
}

/** Finds the requested reviewers without a review: users or teams by id, by the ids of the issues. */
export async function requestsByIssue(db: Reader, issueIds: readonly number[]) {
  const rows =
    issueIds.length === 0
      ? []
      : await db
          .select({ issueId: review.pullId, reviewerId: review.reviewerId, teamId: review.teamId })
          .from(review)
          .where(and(inArray(review.pullId, [...issueIds]), eq(review.kind, "request")))
          .orderBy(asc(review.id));
  return Map.groupBy(rows, ({ issueId }) => issueId);
}

/** The commit of a branch, hexadecimal; null when there is none. */
export async function findTip(db: Reader, repositoryId: number, branch: string): Promise<string | null> {
  const [row] = await db
    .select({ oid: hex(ref.oid) })
    .from(ref)
    .where(and(eq(ref.repositoryId, repositoryId), eq(ref.name, `refs/heads/${branch}`)));
  return row?.oid ?? null;
}

/** The last move of a ref; null where nothing is known of it. Oids are hexadecimal. */
interface RefMove {
  /** null: the server, a deploy key, or nobody knows. */
  actorId: number | null;
  oldOid: string | null;
  newOid: string | null;
}

/** How a ref moved the last time. `name` is its full name. */
export async function findLastMove(db: Reader, repositoryId: number, name: string): Promise<RefMove | null> {
  const [row] = await db
    .select({ actorId: reflog.actorId, oldOid: maybeHex(reflog.oldOid), newOid: maybeHex(reflog.newOid) })
    .from(reflog)
    .where(and(eq(reflog.repositoryId, repositoryId), eq(reflog.name, name)))
    .orderBy(desc(reflog.id))
    .limit(1);
  return row ?? null;
}

/** A repository as far as the engine has to do with it. */
export interface StoredRepository {
  repository: RepositoryRow;
  owner: OwnerRow;
  counts: RepositoryCounts;
}

/** Finds a repository by its id, without a permission check; null if it is gone. */
export async function findStoredRepository(db: Reader, id: number): Promise<StoredRepository | null> {
  const [row] = await db
    .select({ repository, owner, counts: countColumns })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .innerJoin(repositorySize, eq(repositorySize.repositoryId, repository.id))
    .innerJoin(repositoryCount, eq(repositoryCount.repositoryId, repository.id))
    .where(eq(repository.id, id));
  return row ?? null;
}

/** An open pull request that has to be worked out. Oids are hexadecimal. */
export interface StalePull {
  issueId: number;
  number: number;
  baseOid: string;
  headOid: string;
  /** Its head is a branch of another repository, which may have moved. */
  isFork: boolean;
}

/** Open pull requests of a repository that have to be worked out, oldest first. */
export async function listStale(db: Reader, repositoryId: number, after: number, limit: number): Promise<StalePull[]> {
  return db
    .select({
      issueId: pull.issueId,
      number: issue.number,
      baseOid: hex(pull.baseOid),
      headOid: hex(pull.headOid),
      isFork: sql<boolean>`(${pull.flow} = 'branch' and ${pull.headRepositoryId} is not null and ${pull.headRepositoryId} <> ${pull.baseRepositoryId})`,
    })
    .from(pull)
    .innerJoin(issue, eq(issue.id, pull.issueId))
    .where(
      and(
        eq(pull.baseRepositoryId, repositoryId),
        eq(pull.open, true),
        eq(pull.mergeability, "checking"),
        sql`${pull.issueId} > ${after}`,
      ),
    )
    .orderBy(asc(pull.issueId))
    .limit(limit);
}

/** How long ago refs of a repository moved, or something else of it changed, milliseconds; null when it is gone. */
export async function findRestMs(db: Reader, repositoryId: number): Promise<number | null> {
  const [row] = await db
    .select({ ms: sql<number>`(extract(epoch from clock_timestamp() - ${repository.updatedAt}) * 1000)::float8` })
    .from(repository)
    .where(eq(repository.id, repositoryId));
  return row?.ms ?? null;
}

/** The refs of a pull request in its base repository. */
export async function listPullRefs(db: Reader, repositoryId: number, number: number) {
  return db
    .select({ name: ref.name, oid: hex(ref.oid) })
    .from(ref)
    .where(
      and(
        eq(ref.repositoryId, repositoryId),
        inArray(ref.name, [`refs/pull/${number}/head`, `refs/pull/${number}/merge`]),
      ),
    );
}

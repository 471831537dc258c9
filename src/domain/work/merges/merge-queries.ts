import { and, eq, inArray, sql } from "drizzle-orm";
import type { OwnerRow } from "../../../auth/subject.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { emailAddress } from "../../../db/schema/credentials.ts";
import { issue } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { pull, pullAutoMerge } from "../../../db/schema/pulls.ts";
import { repository, type MergeStyle } from "../../../db/schema/repositories.ts";
import { latestCommitStatus } from "../../../db/schema/statuses.ts";
import type { MergeStatus } from "../../git/protections/decide-change.ts";

export interface MergedColumns {
  /** The tip of the base branch before the merge, hexadecimal. */
  readonly baseOid: string;
  /** The commit of the base branch that has it, hexadecimal. */
  readonly mergeCommitOid: string;
  readonly style: MergeStyle;
  /** null: nobody who is known here */
  readonly mergedById: number | null;
}

/** Closes a pull request as merged, and ends its wait for a merge. Its rows are locked. */
export async function markMerged(tx: Transaction, issueId: number, merged: MergedColumns): Promise<void> {
  await Promise.all([
    tx
      .update(issue)
      .set({ closedAt: sql`now()`, closedById: merged.mergedById, updatedAt: sql`now()` })
      .where(eq(issue.id, issueId)),
    tx
      .update(pull)
      .set({
        baseOid: Buffer.from(merged.baseOid, "hex"),
        mergeCommitOid: Buffer.from(merged.mergeCommitOid, "hex"),
        mergeStyle: merged.style,
        mergedAt: sql`now()`,
        mergedById: merged.mergedById,
      })
      .where(eq(pull.issueId, issueId)),
    tx.delete(pullAutoMerge).where(eq(pullAutoMerge.pullId, issueId)),
  ]);
}

const latestOf = preparedByShape((db: Reader) =>
  db
    .select({ context: latestCommitStatus.context, state: latestCommitStatus.state })
    .from(latestCommitStatus)
    .where(
      and(
        eq(latestCommitStatus.repositoryId, sql.placeholder("repositoryId")),
        sql`${latestCommitStatus.oid} = decode(${sql.placeholder("oid")}::text, 'hex')`,
      ),
    )
    .prepare("latest_statuses_of_commit"),
);

/** The latest status of each context of a commit. */
export async function latestStatuses(db: Reader, repositoryId: number, oid: string): Promise<MergeStatus[]> {
  return latestOf(db, null).execute({ repositoryId, oid });
}

/** Whether an open pull request is from or for a branch. */
export async function isBranchOfOpenPull(db: Reader, repositoryId: number, branch: string): Promise<boolean> {
  const [row] = await db.execute<{ found: boolean }>(sql`select
    exists (select 1 from ${pull} where ${pull.headRepositoryId} = ${repositoryId} and ${pull.headBranch} = ${branch}
      and ${pull.open} and ${pull.flow} = 'branch')
    or exists (select 1 from ${pull} where ${pull.baseRepositoryId} = ${repositoryId} and ${pull.baseBranch} = ${branch}
      and ${pull.open}) as found`);
  return row?.found === true;
}

/** A repository and its owner as they are called; null when it is gone. */
export async function findRepositoryName(db: Reader, id: number): Promise<{ name: string; ownerName: string } | null> {
  const [row] = await db
    .select({ name: repository.name, ownerName: owner.name })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(eq(repository.id, id));
  return row ?? null;
}

/** Users by their ids; those who are gone are left out. */
export async function findUsers(db: Reader, ids: readonly number[]): Promise<Map<number, OwnerRow>> {
  const rows =
    ids.length === 0
      ? []
      : await db
          .select()
          .from(owner)
          .where(inArray(owner.id, [...ids]));
  return new Map(rows.map((row) => [row.id, row]));
}

/** The addresses of a user that they have verified, in lower case. */
export async function verifiedEmails(db: Reader, userId: number): Promise<Set<string>> {
  const rows = await db
    .select({ email: emailAddress.lowerEmail })
    .from(emailAddress)
    .where(and(eq(emailAddress.userId, userId), emailAddress.verified));
  return new Set(rows.map(({ email }) => email));
}

/** Returns the branches with open pull requests, if the repository wants to detect merges by a push. */
export async function wantsDetection(tx: Transaction, repositoryId: number, branches: string[]): Promise<string[]> {
  const rows = await tx
    .selectDistinct({ branch: pull.baseBranch })
    .from(pull)
    .innerJoin(repository, eq(repository.id, pull.baseRepositoryId))
    .where(
      and(
        eq(pull.baseRepositoryId, repositoryId),
        inArray(pull.baseBranch, branches),
        eq(pull.open, true),
        eq(repository.autodetectManualMerge, true),
      ),
    );
  return rows.map(({ branch }) => branch);
}

/** The open pull requests for a branch: ids of their issues, and their heads, hexadecimal. */
export async function listOpenOfBase(
  db: Reader,
  { repositoryId, branch }: { repositoryId: number; branch: string },
): Promise<{ id: number; headOid: string }[]> {
  return db
    .select({ id: pull.issueId, headOid: sql<string>`encode(${pull.headOid}, 'hex')` })
    .from(pull)
    .where(and(eq(pull.baseRepositoryId, repositoryId), eq(pull.baseBranch, branch), eq(pull.open, true)));
}

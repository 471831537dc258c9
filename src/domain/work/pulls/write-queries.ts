import { and, eq, inArray, sql } from "drizzle-orm";
import type { Transaction } from "../../../db/client.ts";
import { violatesUnique } from "../../../db/pg-errors.ts";
import { issue } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { pull, type Mergeability } from "../../../db/schema/pulls.ts";
import { repository } from "../../../db/schema/repositories.ts";
import type { NamedIssue, NamedRepository } from "../../spine/events/names.ts";
import type { MergePreview } from "../../../git/operations/preview-merge.ts";
import { PullExists } from "./errors.ts";
import { pullColumns, type PullPair, type PullRow } from "./queries.ts";

const bytes = (oid: string) => Buffer.from(oid, "hex");
const maybeBytes = (oid: string | null) => (oid === null ? null : bytes(oid));

/** The result of a check for a pair of commits. */
export interface Checked {
  baseOid: string;
  headOid: string;
  /** null: it could not be worked out. */
  preview: MergePreview | null;
}

function mergeabilityOf({ empty, clean }: MergePreview): Mergeability {
  return empty ? "empty" : clean ? "mergeable" : "conflict";
}

function checkedColumns({ baseOid, headOid, preview }: Checked) {
  const pair = { checkedBaseOid: bytes(baseOid), checkedHeadOid: bytes(headOid) };
  if (preview === null) {
    return { ...pair, mergeability: "error" as const, conflictedFiles: [] };
  }
  return {
    ...pair,
    mergeability: mergeabilityOf(preview),
    mergeBaseOid: maybeBytes(preview.mergeBase),
    conflictedFiles: [...preview.conflicts],
    additions: preview.additions,
    deletions: preview.deletions,
    changedFiles: preview.files,
    commitCount: preview.ahead,
    behindCount: preview.behind,
  };
}

/** Writes what a new pull request has beside its issue. `maintainerEditById`: who lets maintainers edit it; null: nobody. Throws PullExists. */
export async function insertPull(
  tx: Transaction,
  issueId: number,
  pair: PullPair,
  checked: Checked,
  maintainerEditById: number | null,
): Promise<void> {
  await tx
    .insert(pull)
    .values({
      issueId,
      ...pair,
      baseOid: bytes(checked.baseOid),
      headOid: bytes(checked.headOid),
      ...checkedColumns(checked),
      allowMaintainerEdit: maintainerEditById !== null,
      maintainerEditById,
    })
    .catch((error: unknown) => {
      throw violatesUnique(error, "pull_open") ? new PullExists(pair.baseBranch, pair.headBranch, null) : error;
    });
}

/** The result of a check for the pair of a pull request. */
export type CheckedPull = Checked & { issueId: number };

/**
 * Stores what was worked out for pairs of commits, where it is still of this pair and open. Returns the ids of these issues. One statement, which
 * takes the rows in the order of their ids. Of several it leaves those that another transaction holds: a merge holds its own first, and then
 * waits for the others of its base.
 */
export async function storeChecked(tx: Transaction, all: readonly CheckedPull[]): Promise<Set<number>> {
  const given = all.map(({ issueId, baseOid, headOid, preview }) => ({
    id: issueId,
    base: baseOid,
    head: headOid,
    mergeability: preview === null ? "error" : mergeabilityOf(preview),
    merge_base: preview?.mergeBase ?? null,
    conflicts: preview?.conflicts ?? [],
    additions: preview?.additions ?? null,
    deletions: preview?.deletions ?? null,
    files: preview?.files ?? null,
    ahead: preview?.ahead ?? null,
    behind: preview?.behind ?? null,
  }));
  const meeting = all.length > 1 ? sql`skip locked` : sql``;
  // A failed computation leaves the numbers as they were.
  const rows = await tx.execute<{ id: string }>(sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as one (id bigint, base text, head text, mergeability text,
        merge_base text, conflicts jsonb, additions integer, deletions integer, files integer, ahead integer, behind integer)),
    locked as materialized (
      select issue_id from pull where issue_id in (select id from given) order by issue_id for no key update ${meeting})
    update pull set checked_base_oid = pull.base_oid, checked_head_oid = pull.head_oid, mergeability = given.mergeability,
      merge_base_oid = case when given.mergeability = 'error' then pull.merge_base_oid else decode(given.merge_base, 'hex') end,
      conflicted_files = array(select jsonb_array_elements_text(given.conflicts)),
      additions = coalesce(given.additions, pull.additions), deletions = coalesce(given.deletions, pull.deletions),
      changed_files = coalesce(given.files, pull.changed_files), commit_count = coalesce(given.ahead, pull.commit_count),
      behind_count = coalesce(given.behind, pull.behind_count)
    from given, locked
    where pull.issue_id = locked.issue_id and given.id = locked.issue_id and pull.open
      and pull.base_oid = decode(given.base, 'hex') and pull.head_oid = decode(given.head, 'hex')
    returning pull.issue_id as id`);
  return new Set(rows.map(({ id }) => Number(id)));
}

/** Where an open pull request is from and for has moved: it has to be worked out again. */
export async function setTips(
  tx: Transaction,
  issueId: number,
  { baseBranch, baseOid, headOid }: { baseBranch?: string; baseOid?: string; headOid?: string },
): Promise<void> {
  await tx
    .update(pull)
    .set({
      ...(baseBranch === undefined ? {} : { baseBranch }),
      ...(baseOid === undefined ? {} : { baseOid: bytes(baseOid) }),
      ...(headOid === undefined ? {} : { headOid: bytes(headOid) }),
      mergeability: "checking",
    })
    .where(eq(pull.issueId, issueId))
    .catch((error: unknown) => {
      throw violatesUnique(error, "pull_open") ? new PullExists(baseBranch ?? "", "", null) : error;
    });
}

/** Lets maintainers edit a pull request in the name of a user; null: ends that. */
export async function setMaintainerEdit(tx: Transaction, issueId: number, byId: number | null): Promise<void> {
  await tx
    .update(pull)
    .set({ allowMaintainerEdit: byId !== null, maintainerEditById: byId })
    .where(eq(pull.issueId, issueId));
}

/** A branch with its commit, which is null where it was deleted. */
export interface Tip {
  branch: string;
  oid: string | null;
}

/** An open pull request that is from, or for, a branch that moved. */
export interface Concerned {
  pull: PullRow;
  issue: NamedIssue;
  /** Its base. */
  repository: NamedRepository;
}

/**
 * Says of the open pull requests for these branches of a repository that their base has moved, and returns those that are from one of
 * them, or for one that was deleted. One statement, however many there are; it takes their rows in the order of their ids.
 */
export async function moveBases(tx: Transaction, repositoryId: number, tips: readonly Tip[]): Promise<Concerned[]> {
  const names = sql`${sql.param(tips.map(({ branch }) => branch))}::text[]`;
  const oids = sql`${sql.param(tips.map(({ oid }) => oid ?? ""))}::text[]`;
  const found = await tx.execute<{ id: string }>(sql`
    with tip as (select name, decode(nullif(oid, ''), 'hex') as oid from unnest(${names}, ${oids}) as given (name, oid)),
    locked as materialized (
      select issue_id, base_repository_id, base_branch, head_repository_id, head_branch, flow from pull where issue_id in (
        select issue_id from pull where open and base_repository_id = ${repositoryId} and base_branch in (select name from tip)
        union all
        select issue_id from pull where open and head_repository_id = ${repositoryId} and head_branch in (select name from tip))
      order by issue_id for no key update),
    moved as (
      update pull set base_oid = tip.oid, mergeability = 'checking' from locked, tip
      where pull.issue_id = locked.issue_id and locked.base_repository_id = ${repositoryId}
        and locked.base_branch = tip.name and tip.oid is not null)
    select locked.issue_id as id from locked join tip on
      (locked.head_repository_id = ${repositoryId} and locked.head_branch = tip.name and locked.flow = 'branch')
      or (locked.base_repository_id = ${repositoryId} and locked.base_branch = tip.name and tip.oid is null)
    group by locked.issue_id order by locked.issue_id`);
  return found.length === 0
    ? []
    : listConcerned(
        tx,
        found.map(({ id }) => Number(id)),
      );
}

/** Pull requests with their bases, in the order of their ids. */
export async function listConcerned(tx: Transaction, ids: readonly number[]): Promise<Concerned[]> {
  const rows = await tx
    .select({
      pull: pullColumns,
      issue: { id: issue.id, number: issue.number, title: issue.title, isPull: issue.isPull },
      repository: { id: repository.id, name: repository.name, private: repository.private },
      owner: { id: owner.id, name: owner.name },
    })
    .from(pull)
    .innerJoin(issue, eq(issue.id, pull.issueId))
    .innerJoin(repository, eq(repository.id, pull.baseRepositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(inArray(pull.issueId, [...ids]))
    .orderBy(pull.issueId);
  return rows.map((row) => ({
    pull: row.pull,
    issue: row.issue,
    repository: { ...row.repository, owner: row.owner },
  }));
}

/** Whether any pull request is from or for a repository: of most, none is. */
export async function hasPulls(tx: Transaction, repositoryId: number): Promise<boolean> {
  const [row] = await tx.execute<{
    has: boolean;
  }>(sql`select exists (select 1 from pull where base_repository_id = ${repositoryId})
    or exists (select 1 from pull where head_repository_id = ${repositoryId}) as has`);
  return row?.has === true;
}

/** Whether any open pull request of a repository has to be worked out. */
export async function hasStale(tx: Transaction, repositoryId: number): Promise<boolean> {
  const [row] = await tx
    .select({ issueId: pull.issueId })
    .from(pull)
    .where(and(eq(pull.baseRepositoryId, repositoryId), eq(pull.open, true), eq(pull.mergeability, "checking")))
    .limit(1);
  return row !== undefined;
}

/** A branch has another name: pull requests from it and for it, open or not, go with it. */
export async function renameBranchOfPulls(
  tx: Transaction,
  repositoryId: number,
  oldName: string,
  newName: string,
): Promise<void> {
  await tx
    .update(pull)
    .set({ baseBranch: newName })
    .where(and(eq(pull.baseRepositoryId, repositoryId), eq(pull.baseBranch, oldName)));
  await tx
    .update(pull)
    .set({ headBranch: newName })
    .where(and(eq(pull.headRepositoryId, repositoryId), eq(pull.headBranch, oldName), eq(pull.flow, "branch")));
}

/** Closes the issues of pull requests. */
export async function closeIssues(tx: Transaction, ids: readonly number[], closedById: number | null): Promise<void> {
  await tx
    .update(issue)
    .set({ closedAt: sql`now()`, closedById, updatedAt: sql`now()` })
    .where(inArray(issue.id, [...ids]));
}

/** A pull request that is brought from another server with what became of it there. */
export interface BroughtPull {
  open: boolean;
  baseRepositoryId: number;
  baseBranch: string;
  /** null: the head is elsewhere, or its branch is gone. */
  headRepositoryId: number | null;
  headBranch: string;
  checked: Checked;
  merged: { at: Date; oid: string } | null;
}

/** Writes what a pull request that was brought has beside its issue. */
export async function insertBroughtPull(
  tx: Transaction,
  issueId: number,
  { checked, merged, ...columns }: BroughtPull,
  mergedById: number,
): Promise<void> {
  await tx.insert(pull).values({
    issueId,
    ...columns,
    baseOid: bytes(checked.baseOid),
    headOid: bytes(checked.headOid),
    ...checkedColumns(checked),
    ...(merged === null
      ? {}
      : { mergedAt: merged.at, mergedById, mergeCommitOid: bytes(merged.oid), mergeStyle: "merge" as const }),
  });
}

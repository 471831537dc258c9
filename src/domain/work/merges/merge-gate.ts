import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Reader } from "../../../db/client.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { StithyError } from "../../../lib/errors.ts";
import { RepositoryArchived } from "../../spine/errors.ts";
import { hasOpenDependency } from "../issues/edit-queries.ts";
import type { BranchRule } from "../../git/protections/branch-rules.ts";
import type { MergeState, MergeStatus } from "../../git/protections/decide-change.ts";
import { loadRules } from "../../git/protections/rule-queries.ts";
import { readMergeReviews } from "../reviews/merge-reviews.ts";
import { RefsRefused } from "../../git/refs/move-refs.ts";
import type { Doer } from "../../spine/doer.ts";
import type { Work } from "../../spine/work.ts";
import { isDraftTitle } from "../pulls/draft.ts";
import { MergeOvertaken, MergeRefused } from "./merge-errors.ts";
import { latestStatuses } from "./merge-queries.ts";
import type { IssueAndPull } from "../pulls/queries.ts";

/** Throws MergeRefused for a pull request whose state prevents any merge. */
export function checkMergeable({ issue, pull }: IssueAndPull, draftPrefixes: readonly string[]): void {
  if (pull.mergedAt !== null) {
    throw new MergeRefused(`Pull request #${issue.number} is merged already`, true);
  }
  if (issue.closedAt !== null) {
    throw new MergeRefused(`Pull request #${issue.number} is closed; reopen it first`, true);
  }
  if (isDraftTitle(issue.title, draftPrefixes)) {
    throw new MergeRefused(`Pull request #${issue.number} is a draft, as its title says`);
  }
}

/** Throws MergeOvertaken unless the head is where the caller has seen it. Empty: anywhere. */
export function checkHead({ issue, pull }: IssueAndPull, headCommitId: string): void {
  if (headCommitId !== "" && headCommitId.toLowerCase() !== pull.headOid) {
    throw new MergeOvertaken(
      `The head of pull request #${issue.number} is at ${pull.headOid}, not at "${headCommitId.slice(0, 80)}"`,
    );
  }
}

/** Throws MergeOvertaken unless it is for the branch that the caller has seen. undefined: any. */
export function checkBase({ issue, pull }: IssueAndPull, baseBranch: string | undefined): void {
  if (baseBranch !== undefined && baseBranch !== pull.baseBranch) {
    throw new MergeOvertaken(
      `Pull request #${issue.number} was for "${baseBranch.slice(0, 80)}" when you saw it. Its base is "${pull.baseBranch}" now, so it was not merged`,
    );
  }
}

/**
 * Makes sure that the doer may merge: they may write to the code, and administer the repository where they merge in spite of its
 * rules. `access` is theirs as it was read; it is looked at again in the transaction. Throws MergeRefused.
 */
export async function demandMerger(work: Work | null, access: RepositoryAccess, force: boolean): Promise<void> {
  if (access.units.code < accessModes.write) {
    throw new MergeRefused("You may not merge: it takes write access to the code of the repository", true);
  }
  if (force && access.mode < accessModes.admin) {
    throw new MergeRefused("Only administrators of the repository may merge in spite of its rules", true);
  }
  if (work === null) {
    return;
  }
  try {
    // A doer with a permit to push was checked when the unit of work began, under the repository's lock.
    if (!mayPush(work.doer)) {
      await work.demand({ on: "repository", do: "write", unit: "code" });
    }
    if (force) {
      await work.demand({ on: "repository", do: "admin", unit: "any" });
    }
  } catch (error) {
    throw refusedMerge(error);
  }
}

function mayPush(doer: Doer): boolean {
  const may = doer.kind === "user" ? doer.permit?.demand.may : undefined;
  return may?.on === "repository" && may.do === "write" && may.unit === "code";
}

/** Translates the loss of the right to push during a merge. */
export function refusedMerge(error: unknown): unknown {
  const isRefused = error instanceof StithyError && error.kind === "forbidden" && !(error instanceof RefsRefused);
  // That somebody archives it in this moment is told as if they had before.
  return isRefused && !(error instanceof RepositoryArchived) ? new MergeRefused(error.message, true) : error;
}

/** Throws MergeRefused while the pull request depends on something open. */
export async function checkDependencies(work: Work, { issue }: IssueAndPull): Promise<void> {
  if (await hasOpenDependency(work.tx, issue.id)) {
    throw new MergeRefused(`Pull request #${issue.number} depends on something open: close that first`);
  }
}

/** Reads the facts that the rule of the base branch needs; null if there is no rule. A merge has locked the pull request. */
export async function readMergeState(
  { tx, actorId }: { readonly tx: Reader; readonly actorId: number | null },
  repositoryId: number,
  { pull }: Pick<IssueAndPull, "pull">,
  merge: { isUpToDate: boolean; force: boolean },
): Promise<{ state: MergeState; rule: BranchRule } | null> {
  const { branches } = await loadRules(tx, repositoryId, actorId);
  const rule = branches.find(pull.baseBranch);
  if (rule === null) {
    return null;
  }
  const reviews = await readMergeReviews(tx, { repositoryId, pullId: pull.issueId }, rule);
  const statuses = rule.enableStatusCheck ? await latestStatuses(tx, repositoryId, pull.headOid) : [];
  return { rule, state: { ...reviews, statuses, outdated: !merge.isUpToDate, overrides: merge.force } };
}

const passing: ReadonlySet<MergeStatus["state"]> = new Set(["success", "skipped", "warning"]);

/** Whether the statuses of a commit have all come and passed. Without any, they have not. */
export function havePassed(statuses: readonly MergeStatus[]): boolean {
  return statuses.length > 0 && statuses.every(({ state }) => passing.has(state));
}

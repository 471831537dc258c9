import type { RepositoryAccess } from "../../../auth/subject.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { Forbidden, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { findVisibleRepositories } from "../../repos/forks/queries.ts";
import { demandWriter } from "../issues/access.ts";
import { editIssue, type IssuePatch } from "../issues/edit-issue.ts";
import { namedIssue } from "../issues/named-issue.ts";
import { replaceLabels } from "../labels/label-issue.ts";
import { lockRepository } from "../../spine/lock-queries.ts";
import type { Work } from "../../spine/work.ts";
import { PullExists, PullMerged } from "./errors.ts";
import { requestRefresh } from "./follow-refs.ts";
import { findOpenNumber, findTip, lockPull, type IssueAndPull } from "./queries.ts";
import { setMaintainerEdit, setTips } from "./write-queries.ts";

/** A change of a pull request; undefined fields stay. */
export interface PullPatch extends Omit<IssuePatch, "ref" | "updatedAt"> {
  /** Ids of labels: it has these then, and no others. */
  labels?: readonly number[] | undefined;
  /** Short name of the branch that it is for. */
  base?: string | undefined;
  allowMaintainerEdit?: boolean | undefined;
}

/**
 * Changes a pull request, all of it or nothing. Its author may change title, text, state and base; the rest is for those who may write pull
 * requests, and whether maintainers may push to its branch for those who may push there. Throws NotFound, Forbidden, InvalidInput, PullMerged,
 * PullExists, and what `editIssue` throws.
 */
export async function editPull(work: Work, access: RepositoryAccess, number: number, patch: PullPatch): Promise<void> {
  const { labels, base, allowMaintainerEdit, ...rest } = patch;
  // A state or a base that changes may move refs, whose lock comes first.
  await lockRepository(work.tx, access.repository.id);
  const found = await lockPull(work.tx, access.repository.id, number);
  if (found === null) {
    throw new NotFound("pull request", String(number));
  }
  if (rest.closed !== undefined && found.pull.mergedAt !== null) {
    throw new PullMerged(number);
  }
  if (rest.closed === false && !found.pull.open) {
    await checkPair(work, found, found.pull.baseBranch);
  }
  if (allowMaintainerEdit !== undefined) {
    await allowEdit(work, found, allowMaintainerEdit);
  }
  const changesIssue = Object.values(rest).some((value) => value !== undefined);
  // A patch that changes nothing needs the permission, too.
  if (changesIssue || (labels === undefined && base === undefined && allowMaintainerEdit === undefined)) {
    await editIssue(work, access, number, rest);
  }
  if (labels !== undefined) {
    await replaceLabels(work, access, number, labels, undefined);
  }
  if (base !== undefined && base !== found.pull.baseBranch) {
    await retarget(work, access, found, base);
  }
}

async function checkPair(work: Work, { pull }: IssueAndPull, baseBranch: string): Promise<void> {
  const { baseRepositoryId, headRepositoryId, headBranch, flow } = pull;
  const number =
    headRepositoryId === null
      ? null
      : await findOpenNumber(work.tx, { baseRepositoryId, baseBranch, headRepositoryId, headBranch, flow });
  if (number !== null) {
    throw new PullExists(baseBranch, headBranch, number);
  }
}

async function retarget(work: Work, access: RepositoryAccess, found: IssueAndPull, base: string): Promise<void> {
  const { issue, pull } = found;
  const { tx } = work;
  if (issue.authorId === null || issue.authorId !== work.actorId) {
    await demandWriter(work, access, issue, "base");
  }
  if (pull.mergedAt !== null) {
    throw new PullMerged(issue.number);
  }
  if (!pull.open) {
    throw new InvalidInput(`Pull request #${issue.number} is closed: reopen it first`, "base");
  }
  const baseOid = await findTip(tx, access.repository.id, base);
  if (baseOid === null) {
    throw new NotFound("branch", clip(base, 80));
  }
  if (pull.headRepositoryId === access.repository.id && pull.headBranch === base && pull.flow === "branch") {
    throw new InvalidInput("The base would be the head: a pull request is from one branch to another one", "base");
  }
  await checkPair(work, found, base);
  await setTips(tx, issue.id, { baseBranch: base, baseOid });
  work.tell({
    kind: "pull.retargeted",
    repository: namedRepository(access),
    issue: namedIssue(issue),
    oldBase: pull.baseBranch,
    newBase: base,
  });
  await requestRefresh(work, access.repository.id);
}

/** Throws Forbidden for whoever may not push to the branch that it is from. */
async function allowEdit(work: Work, { issue, pull }: IssueAndPull, allowed: boolean): Promise<void> {
  const { headRepositoryId } = pull;
  const head =
    work.doer.kind !== "user" || headRepositoryId === null
      ? undefined
      : (await findVisibleRepositories(work.tx, work.doer, [headRepositoryId])).get(headRepositoryId);
  if (head === undefined || head.units.code < accessModes.write) {
    throw new Forbidden('"allow_maintainer_edit" is for those who may push to the branch of the pull request');
  }
  // A user who sets it again becomes its giver, because the former one may have lost the right to push.
  await setMaintainerEdit(work.tx, issue.id, allowed ? work.actorId : null);
}

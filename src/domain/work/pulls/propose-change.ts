import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { ProposalAnswer } from "../../../git/operations/examine-proposal.ts";
import type { StagedPack } from "../../../git/pack/staged-pack.ts";
import { isBranchName } from "../../../git/refs/ref-name.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import type { UserDoer } from "../../spine/doer.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { createIssue, longestTitle } from "../issues/create-issue.ts";
import { editIssue } from "../issues/edit-issue.ts";
import { namedIssue } from "../issues/named-issue.ts";
import type { IssueRow } from "../issues/queries.ts";
import { lockRepository } from "../../spine/lock-queries.ts";
import { moveRefs } from "../../git/refs/move-refs.ts";
import type { Work } from "../../spine/work.ts";
import { checkBetween, mostConflicts } from "./create-pull.ts";
import { headRef, pullReason } from "./pull-refs.ts";
import { findPullOfPair, findTip, type IssueAndPull, type PullPair } from "./queries.ts";
import { insertPull, setTips, storeChecked } from "./write-queries.ts";

/** The options of `git push -o` for a change. */
export interface ProposalOptions {
  /** null: behind the branch in the name of the ref. */
  topic: string | null;
  /** null: the first line of the commit's message; of one that is there, as it is. */
  title: string | null;
  /** null: the rest of the message; of one that is there, as it is. */
  description: string | null;
  /** The head may give up commits. */
  force: boolean;
}

export interface Proposal {
  /** `<branch>` or `<branch>/<topic>`. */
  path: string;
  /** The commit, whose objects are in the view and the packs. */
  oid: string;
  options: ProposalOptions;
  view: RepositoryView;
  packs: readonly StagedPack[];
}

/** Branches have names of fewer parts. */
const mostParts = 50;

/**
 * Opens a pull request of what was pushed for a branch, or moves the head of the open one that the user has of the same topic. Throws NotFound
 * (no such branch), InvalidInput (no topic, nothing new), Conflict (commits would be given up, something moved in this moment).
 */
export async function proposeChange(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  proposal: Proposal,
): Promise<{ number: number; isNew: boolean }> {
  const { db } = forge.database;
  const { id } = access.repository;
  const { base, baseOid, topic } = await findTarget(forge, access, proposal);
  const headBranch = `${doer.actor.lowerName}/${topic}`;
  if (!isBranchName(headBranch) || headBranch.length > 200) {
    throw new InvalidInput(`"${clip(topic, 80)}" cannot be a topic: it has to be as the name of a branch is`, "topic");
  }
  const pair: PullPair = { baseRepositoryId: id, baseBranch: base, headRepositoryId: id, headBranch, flow: "agit" };
  const latest = await findPullOfPair(db, pair);
  const before = latest !== null && latest.pull.open ? latest : null;
  if (before !== null && before.issue.authorId !== doer.actor.id) {
    // Somebody else had the name of this user.
    throw new Conflict(`Pull request #${before.issue.number} has this topic, and is somebody else's: take another one`);
  }
  if (before?.pull.headOid === proposal.oid) {
    throw new InvalidInput(`Pull request #${before.issue.number} is at this commit already`);
  }
  const { view, packs } = proposal;
  const wider = { ...view, packs: [...packs.map(({ path }) => path), ...view.packs] };
  const pushed = { base: baseOid, head: proposal.oid, from: before?.pull.headOid ?? null, maxConflicts: mostConflicts };
  const answer = await forge.git.engine.write(wider, "examineProposal", pushed);
  checkBetween(answer.preview);
  if (answer.forced && !proposal.options.force) {
    throw new Conflict("This would give up commits of the pull request: push with -o force-push to do that");
  }
  return forge.change(doer, { packs }, async (work) => {
    await lockRepository(work.tx, id);
    // A user who may push may still not read pull requests: a repository can have none.
    await work.demand({ on: "repository", do: "participate", unit: "code-of-pulls" });
    const now = await findPullOfPair(work.tx, pair);
    const isSame =
      before === null ? now === null || !now.pull.open : now?.pull.headOid === before.pull.headOid && now.pull.open;
    if (!isSame || (await findTip(work.tx, id, base)) !== baseOid) {
      throw new Conflict("The branch, or the pull request, moved in this moment: push again");
    }
    const change = { proposal, answer, pair, baseOid };
    const row = before === null ? await open(work, access, change) : await update(work, access, before, change);
    return { number: row.number, isNew: before === null };
  });
}

/** The branch that a ref below `refs/for/` names, as long as possible, and the topic. */
async function findTarget(forge: Forge, { repository }: RepositoryAccess, { path, options }: Proposal) {
  const parts = path.split("/").slice(0, mostParts);
  for (let length = parts.length; length > 0; length--) {
    const base = parts.slice(0, length).join("/");
    const found = await forge.git.refs.findRef(repository.id, `refs/heads/${base}`);
    if (found !== null) {
      const topic = options.topic ?? path.slice(base.length + 1);
      if (topic === "") {
        throw new InvalidInput(`Name the change: push with -o topic=NAME, or to refs/for/${base}/NAME`, "topic");
      }
      return { base, baseOid: found.oid, topic };
    }
  }
  throw new NotFound("branch", clip(path, 80));
}

interface Change {
  proposal: Proposal;
  answer: ProposalAnswer;
  pair: PullPair;
  baseOid: string;
}

async function open(
  work: Work,
  access: RepositoryAccess,
  { proposal, answer, pair, baseOid }: Change,
): Promise<IssueRow> {
  const { oid, options } = proposal;
  const [subject = "", ...rest] = answer.message.trim().split("\n");
  const row = await createIssue(work, access, {
    title: options.title ?? (subject.slice(0, longestTitle) || pair.headBranch),
    body: options.description ?? rest.join("\n").trim(),
    ref: "",
    assignees: [],
    labels: [],
    milestone: null,
    dueAt: null,
    closed: false,
    asPull: ({ id }) => insertPull(work.tx, id, pair, { baseOid, headOid: oid, preview: answer.preview }, null),
  });
  await moveHead(work, access, row.number, null, proposal);
  return row;
}

async function update(
  work: Work,
  access: RepositoryAccess,
  { issue, pull }: IssueAndPull,
  { proposal, answer, baseOid }: Change,
): Promise<IssueRow> {
  const { oid, options } = proposal;
  await moveHead(work, access, issue.number, pull.headOid, proposal);
  await setTips(work.tx, issue.id, { baseOid, headOid: oid });
  await storeChecked(work.tx, [{ issueId: issue.id, baseOid, headOid: oid, preview: answer.preview }]);
  const repository = namedRepository(access);
  work.tell({ kind: "pull.synchronized", repository, issue: namedIssue(issue), oldHead: pull.headOid, newHead: oid });
  if (options.title === null && options.description === null) {
    return issue;
  }
  const patch = { title: options.title ?? undefined, body: options.description ?? undefined };
  return editIssue(work, access, issue.number, patch);
}

async function moveHead(
  work: Work,
  access: RepositoryAccess,
  number: number,
  oldOid: string | null,
  { oid, packs, view }: Proposal,
): Promise<void> {
  await moveRefs(work, {
    repository: namedRepository(access),
    changes: [{ name: headRef(number), oldOid, newOid: oid, peeled: null }],
    reason: pullReason,
    packs,
    checkedIn: view,
  });
}

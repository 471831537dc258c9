import type { Actor, RepositoryAccess } from "../../../auth/subject.ts";
import type { MergeStyle } from "../../../db/schema/repositories.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { isOid } from "../../../git/objects/oid.ts";
import { objectFormat } from "../../../git/objects/object-format.ts";
import { identityOf } from "../../git/commits/identity.ts";
import type { UserDoer } from "../../spine/doer.ts";
import { NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { namedIssue } from "../issues/named-issue.ts";
import { lockRepository } from "../../spine/lock-queries.ts";
import { PacksReplaced } from "../../git/packs/packs-replaced.ts";
import { settleCodeOwners } from "../reviews/ask-code-owners.ts";
import { moveRefs, RefsRefused } from "../../git/refs/move-refs.ts";
import { writeObjects } from "../../git/refs/write-objects.ts";
import type { Work } from "../../spine/work.ts";
import { deleteForkBranch, deleteOwnBranch } from "./delete-merged-branch.ts";
import {
  checkDependencies,
  checkBase,
  checkHead,
  checkMergeable,
  demandMerger,
  readMergeState,
  refusedMerge,
} from "./merge-gate.ts";
import { permitToPush } from "./permit-to-push.ts";
import { MergeOvertaken, MergeRefused } from "./merge-errors.ts";
import { commitText, rebasedMessage } from "./merge-message.ts";
import { markMerged } from "./merge-queries.ts";
import { checkStyle, makeMerge, type MadeMerge, type MergeOrder, type MovingStyle } from "./merge-styles.ts";
import { proposeMessage, type MergePlace } from "./propose-message.ts";
import { freshPull } from "../pulls/refresh-pull.ts";
import { findPull, findTip, lockPull, type IssueAndPull } from "../pulls/queries.ts";

/** How a pull request is to be merged. */
export interface MergeRequest {
  readonly style: MovingStyle | "manually-merged";
  /** First line of the commit; empty: as the template or the default says. */
  readonly title: string;
  /** The text below the title. If both are empty, the template or the default is used. */
  readonly message: string;
  /** Where the head has to be, hexadecimal; empty: anywhere. */
  readonly headCommitId: string;
  /** The branch that the caller has seen it to be for; undefined: any. */
  readonly baseBranch?: string;
  /** For a manual merge, the commit of the base branch that contains it, hexadecimal. */
  readonly mergeCommitId: string;
  /** Whether the head branch goes; undefined: as the repository says. */
  readonly deleteBranch: boolean | undefined;
  /** Merge in spite of reviews, checks and protected files, as far as the rule lets administrators. */
  readonly force: boolean;
  /** Its checks have succeeded, for which it has waited. */
  readonly scheduled?: true;
  /** A further condition at the time of the merge. The pull request is locked. Throws MergeRefused. */
  readonly demand?: (work: Work, locked: IssueAndPull) => Promise<void>;
}

/** Others may push to the branch at the same moment: the merge is made again on their tip at most so often. */
const attempts = 8;

const branchPrefix = "refs/heads/";

/**
 * Merges a pull request: the base branch moves and the pull request is merged in one transaction. Who may merge and what the rules of
 * the base branch say is decided under the repository's lock. Answers the commit of the base branch that has it, hexadecimal. Throws NotFound, MergeRefused,
 * MergeOvertaken (the head is not where it was said to be, or the branch kept moving), and what `moveRefs` throws.
 */
export async function mergePull(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  number: number,
  request: MergeRequest,
): Promise<string> {
  await demandMerger(null, access, request.force);
  checkStyle(access.repository, request.style);
  const { commit, of } = await forge.git.writing.run(`merge ${access.repository.id}`, async () => {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const merged = await tryMerge(forge, doer, access, number, request);
      if (merged !== null) {
        return merged;
      }
    }
    throw new MergeOvertaken(`The base branch of pull request #${number} kept moving while it was merged; try again`);
  });
  if (deletesBranch(access, request)) {
    await deleteForkBranch(forge, doer, access, of);
  }
  return commit;
}

/** A pull request with its present head. Throws NotFound. */
export async function getPullToMerge(
  forge: Forge,
  { repository }: RepositoryAccess,
  number: number,
): Promise<IssueAndPull> {
  const stored = await findPull(forge.database.db, repository.id, number);
  // Objects that were pushed to a fork may still have to be brought here. A branch of this repository needs no wait for
  // its preview.
  const isFork = stored !== null && stored.pull.headRepositoryId !== repository.id;
  const found = isFork ? await freshPull(forge, stored) : stored;
  if (found === null) {
    throw new NotFound("pull request", String(number));
  }
  return found;
}

function deletesBranch({ repository }: RepositoryAccess, { deleteBranch }: MergeRequest): boolean {
  return deleteBranch ?? repository.defaultDeleteBranchAfterMerge;
}

interface Merged {
  /** The commit of the base branch, hexadecimal. */
  readonly commit: string;
  readonly of: IssueAndPull;
}

/** A pull request as it was read before it is locked. */
type Found = MergePlace;

/** Answers null when the pull request or its base changed meanwhile, or the repository was repacked. */
async function tryMerge(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  number: number,
  request: MergeRequest,
): Promise<Merged | null> {
  const { repository } = access;
  const found = await getPullToMerge(forge, access, number);
  checkMergeable(found, forge.config.pulls.draft_prefixes);
  checkHead(found, request.headCommitId);
  checkBase(found, request.baseBranch);
  await settleCodeOwners(forge, found.issue.id);
  // Read after the pull request: its generation has the head, too.
  const base = await forge.git.refs.findRef(repository.id, branchPrefix + found.pull.baseBranch);
  if (base === null) {
    throw new MergeRefused(`The branch "${found.pull.baseBranch}" is gone`);
  }
  const view = await forge.git.views.view({ ...repository, generation: base.generation });
  const read: Found = { found, baseOid: base.oid, view };
  try {
    const commit =
      request.style === "manually-merged"
        ? await noteMerge(forge, doer, access, read, request)
        : await merge(forge, doer, access, read, { ...request, style: request.style });
    return { commit, of: found };
  } catch (error) {
    if (error instanceof PacksReplaced || error instanceof PullChanged) {
      return null;
    }
    if (error instanceof RefsRefused) {
      if ((await forge.git.refs.findRef(repository.id, base.name))?.oid !== base.oid) {
        return null;
      }
      throw new MergeRefused(error.message);
    }
    throw error;
  }
}

/** The pull request is not any more as it was when its merge was begun. */
class PullChanged extends Error {}

async function merge(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  { found, baseOid, view }: Found,
  request: MergeRequest & { style: MovingStyle },
): Promise<string> {
  const { pull } = found;
  const order = await orderOf(forge, doer.actor, access, { found, baseOid, view }, request);
  return writeObjects(
    forge,
    // So the repository is locked first, and one look at them is enough.
    permitToPush(doer, access),
    (destination) => makeMerge(forge, order, destination),
    async (work, made: MadeMerge, packs) => {
      const locked = await lock(work, access, found, request);
      const gate = await readMergeState(work, access.repository.id, locked, { ...made, force: request.force });
      await moveRefs(work, {
        repository: namedRepository(access),
        changes: [
          {
            name: branchPrefix + pull.baseBranch,
            oldOid: baseOid,
            newOid: made.tip,
            peeled: null,
            forced: false,
            merge: gate?.state,
          },
        ],
        reason: "merge pull request",
        packs,
        checkedIn: view,
      });
      await finish(
        work,
        access,
        locked,
        { style: request.style, baseOid, mergeCommitOid: made.tip },
        request.scheduled,
      );
      if (deletesBranch(access, request)) {
        await deleteOwnBranch(work, access, locked);
      }
      return made.tip;
    },
  ).catch((error: unknown) => {
    throw refusedMerge(error);
  });
}

/** Locks the repository and the pull request, and decides again. Throws PullChanged, MergeRefused. */
async function lock(
  work: Work,
  access: RepositoryAccess,
  { issue, pull }: IssueAndPull,
  { force, demand }: MergeRequest,
): Promise<IssueAndPull> {
  await lockRepository(work.tx, access.repository.id);
  await demandMerger(work, access, force);
  const locked = await lockPull(work.tx, access.repository.id, issue.number);
  if (locked === null || locked.pull.headOid !== pull.headOid || locked.pull.baseBranch !== pull.baseBranch) {
    throw new PullChanged();
  }
  checkMergeable(locked, work.config.pulls.draft_prefixes);
  await checkDependencies(work, locked);
  await demand?.(work, locked);
  return locked;
}

async function finish(
  work: Work,
  access: RepositoryAccess,
  { issue, pull }: IssueAndPull,
  merged: { style: MergeStyle; baseOid: string; mergeCommitOid: string },
  scheduled?: true,
): Promise<void> {
  await markMerged(work.tx, pull.issueId, { ...merged, mergedById: work.actorId });
  const { style, mergeCommitOid: oid } = merged;
  const told = { repository: namedRepository(access), issue: namedIssue(issue), style, oid };
  work.tell({ kind: "pull.merged", ...told, ...(scheduled === true ? { scheduled } : {}) });
}

/** Prepares the commits to make, with their messages. */
async function orderOf(
  forge: Forge,
  actor: Actor,
  access: RepositoryAccess,
  read: Found,
  request: MergeRequest & { style: MovingStyle },
): Promise<MergeOrder> {
  const { found, baseOid, view } = read;
  const { pull } = found;
  const { style } = request;
  const { subject, squashAuthor, template, standard } = await proposeMessage(forge, actor, access, read, style);
  const isWritten = request.title.trim() !== "" || request.message.trim() !== "";
  const message = isWritten
    ? { title: request.title.trim() || (standard?.title ?? ""), body: request.message }
    : (standard ?? { title: "", body: "" });
  return {
    style,
    view,
    base: { branch: pull.baseBranch, oid: baseOid },
    head: { branch: pull.headBranch, oid: pull.headOid },
    committer: identityOf(forge.addresses, actor),
    squashAuthor,
    message: commitText(message),
    reword: rewordOf(),
  };

  /** Commits of a rebase keep their messages, but for the last one where somebody wrote another, or a template does. */
  function rewordOf(): MergeOrder["reword"] {
    if (style !== "rebase") {
      return null;
    }
    if (isWritten) {
      return (own) => {
        const [title = "", ...rest] = own.split("\n");
        const body = request.message.trim() === "" ? rest.join("\n") : request.message;
        return commitText({ title: request.title.trim() || title, body });
      };
    }
    return template === null ? null : (own) => commitText(rebasedMessage(subject, template, own));
  }
}

/** Whether a commit has the head in its history, or its changes, as after a squash or a rebase by hand. */
async function containsHead({ git }: Forge, view: RepositoryView, commit: string, head: string): Promise<boolean> {
  if (await git.engine.call(view, "isAncestor", { ancestor: head, descendant: commit })) {
    return true;
  }
  return (await git.engine.call(view, "previewMerge", { base: commit, head, maxConflicts: 1 })).empty;
}

/** Notes that the base branch has a pull request already, which somebody merged by hand: no ref moves. */
async function noteMerge(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  { found, baseOid, view }: Found,
  request: MergeRequest,
): Promise<string> {
  const commit = request.mergeCommitId.toLowerCase();
  if (!isOid(commit, objectFormat(view.format))) {
    throw new MergeRefused("MergeCommitID must be the whole id of the commit by which the pull request was merged");
  }
  const known = (await forge.git.commits.find(view, [commit])).has(commit);
  const isThere = known && (await forge.git.engine.call(view, "isAncestor", { ancestor: commit, descendant: baseOid }));
  if (!isThere) {
    throw new MergeRefused(`The branch "${found.pull.baseBranch}" has no commit ${commit}`);
  }
  if (!(await containsHead(forge, view, commit, found.pull.headOid))) {
    throw new MergeRefused(
      `Commit ${commit} does not contain the changes of pull request #${found.issue.number}: name the commit that brought them`,
    );
  }
  await forge.change(doer, async (work) => {
    const locked = await lock(work, access, found, request);
    if ((await findTip(work.tx, access.repository.id, found.pull.baseBranch)) !== baseOid) {
      throw new PullChanged();
    }
    await finish(work, access, locked, { style: "manually-merged", baseOid, mergeCommitOid: commit });
    if (deletesBranch(access, request)) {
      await deleteOwnBranch(work, access, locked);
    }
  });
  return commit;
}

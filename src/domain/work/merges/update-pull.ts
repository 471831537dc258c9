import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { Resolution } from "../../../git/merge/resolve-conflicts.ts";
import type { PackDestination, StagedPack } from "../../../git/pack/staged-pack.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { ScratchDirectory } from "../../../lib/scratch-directory.ts";
import { identityOf } from "../../git/commits/identity.ts";
import type { UserDoer } from "../../spine/doer.ts";
import { Conflict, Forbidden, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { bringObjects } from "../../repos/forks/bring-objects.ts";
import { jointView } from "../../repos/forks/joint-view.ts";
import type { Forge } from "../../spine/forge.ts";
import { linkObjectsOf } from "../../git/lfs/queries.ts";
import { againIfRepacked } from "../../git/packs/packs-replaced.ts";
import { moveRefs } from "../../git/refs/move-refs.ts";
import { findPushableHead, type PushableHead } from "./find-pushable-head.ts";
import { shownPaths } from "./merge-styles.ts";
import { findPull, type IssueAndPull } from "../pulls/queries.ts";

/** How the base branch comes into the head: by a merge, or the commits of the head are picked onto it. */
export type UpdateStyle = "merge" | "rebase";

/** What somebody made of the conflicts between the head and the base, as they saw the two. */
export interface Resolved {
  /** Where the branches have to be, hexadecimal. */
  readonly head: string;
  readonly base: string;
  readonly files: readonly Resolution[];
  /** Of the merge. */
  readonly message: string;
}

/** A branch is not where somebody saw it who resolved its conflicts. Nothing was changed. */
export class BranchMoved extends Conflict {
  constructor(branch: string, from: string, to: string) {
    super(`The branch "${branch}" has moved from ${from.slice(0, 10)} to ${to.slice(0, 10)} meanwhile`);
  }
}

/**
 * Merges the base branch of a pull request into its head branch, as a push by the doer: the rules of the head branch
 * apply. A doer who may write to the base and may see the fork may do so too, if the pull request allows edits by
 * maintainers. Conflicts end it, unless `resolved` has a text for each. Nothing happens if the head is up to date. Throws BranchMoved, NotFound, Forbidden, Conflict, InvalidInput for one
 * that is closed or has no branch, RefsRefused, and what `moveRefs` throws.
 */
export async function updatePull(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  number: number,
  style: UpdateStyle,
  resolved: Resolved | null = null,
): Promise<void> {
  const found = await findPull(forge.database.db, access.repository.id, number);
  if (found === null) {
    throw new NotFound("pull request", String(number));
  }
  if (found.issue.closedAt !== null) {
    throw new InvalidInput(`Pull request #${number} is ${found.pull.mergedAt === null ? "closed" : "merged"}`);
  }
  const head = await findPushableHead(forge, doer, access, found);
  if (style === "rebase" && !access.repository.allowRebaseUpdate) {
    throw new Forbidden("The repository does not allow pull requests to be updated by rebasing them");
  }
  await againIfRepacked(() => update(forge, doer, { base: access, head, found, style, resolved }));
}

interface Update {
  readonly base: RepositoryAccess;
  readonly head: PushableHead;
  readonly found: IssueAndPull;
  readonly style: UpdateStyle;
  /** For a merge. */
  readonly resolved: Resolved | null;
}

/** Both tips, where they can be read. */
interface Tips {
  /** The packs of both repositories. */
  readonly both: RepositoryView;
  readonly own: string;
  readonly theirs: string;
}

const branchPrefix = "refs/heads/";

async function update(forge: Forge, doer: UserDoer, asked: Update): Promise<void> {
  const { base, head, found, style } = asked;
  const { baseBranch, headBranch } = found.pull;
  const { engine } = forge.git;
  const [own, theirs] = await Promise.all([tipOf(forge, head.access, headBranch), tipOf(forge, base, baseBranch)]);
  if (asked.resolved !== null) {
    checkTip(headBranch, asked.resolved.head, own.oid);
    checkTip(baseBranch, asked.resolved.base, theirs.oid);
  }
  const isFork = head.access.repository.id !== base.repository.id;
  const newer = own.generation > theirs.generation ? own : theirs;
  const both = isFork ? jointView(own.view, theirs.view) : newer.view;
  if (await engine.call(both, "isAncestor", { ancestor: theirs.oid, descendant: own.oid })) {
    return;
  }
  forge.files.room.demand();
  await using scratch = await ScratchDirectory.make(forge.files.temporaryDirectory);
  const from = { parent: base, branch: baseBranch, own: own.oid, theirs: theirs.oid, behind: 0, ahead: 0, view: both };
  const brought = isFork
    ? await bringObjects(forge, head.access, from, scratch.path)
    : { pack: null, lfsOids: [], view: newer.view };
  const broughtPacks = brought.pack === null ? [] : [brought.pack];
  const view = { ...brought.view, packs: [...broughtPacks.map(({ path }) => path), ...brought.view.packs] };
  const destination = { directory: forge.files.packDirectory, temporary: scratch.path };
  const made = await make(forge, doer, asked, { both, own: own.oid, theirs: theirs.oid }, { view, destination });
  const packs = [...broughtPacks, ...(made.pack === null ? [] : [made.pack])];
  await forge.change(head.pusher, { packs }, async (work) => {
    await moveRefs(work, {
      repository: namedRepository(head.access),
      changes: [
        {
          name: branchPrefix + headBranch,
          oldOid: own.oid,
          newOid: made.tip,
          peeled: null,
          forced: style === "rebase",
        },
      ],
      reason: "update pull request",
      packs,
      checkedIn: brought.view,
      asMaintainer: head.asMaintainer,
    });
    await linkObjectsOf(work.tx, base.repository.id, head.access.repository.id, brought.lfsOids);
  });
}

/** Throws BranchMoved. */
function checkTip(branch: string, seen: string, tip: string): void {
  if (seen !== tip) {
    throw new BranchMoved(branch, seen, tip);
  }
}

async function tipOf(forge: Forge, { repository }: RepositoryAccess, branch: string) {
  const ref = await forge.git.refs.findRef(repository.id, branchPrefix + branch);
  if (ref === null) {
    throw new NotFound("branch", branch);
  }
  const { oid, generation } = ref;
  return { oid, generation, view: await forge.git.views.view({ ...repository, generation }) };
}

async function make(
  forge: Forge,
  { actor }: UserDoer,
  { found, style, resolved }: Update,
  { both, own, theirs }: Tips,
  { view, destination }: { view: RepositoryView; destination: PackDestination },
): Promise<{ tip: string; pack: StagedPack | null }> {
  const { engine } = forge.git;
  const { baseBranch, headBranch } = found.pull;
  const now = { seconds: Math.floor(Date.now() / 1000), offsetMinutes: 0 };
  const committer = { ...identityOf(forge.addresses, actor), ...now };
  if (style === "rebase") {
    const commits = await engine.call(both, "commitsToPick", { onto: theirs, head: own });
    const { tip, conflict, pack } = await engine.write(view, "pickCommits", {
      onto: theirs,
      commits: commits.map(({ oid }) => ({ oid, messageIfLast: null })),
      committer,
      merge: null,
      destination,
    });
    if (tip === null) {
      throw conflictOf(headBranch, baseBranch, conflict?.conflicts ?? []);
    }
    return { tip, pack };
  }
  const { commit, merged, pack } = await engine.write(view, "commitMerge", {
    ours: own,
    theirs,
    base: null,
    labels: { ours: headBranch, base: "merged common ancestors", theirs: baseBranch },
    parents: [own, theirs],
    author: committer,
    committer,
    message: resolved === null ? usualMessage(found) : resolved.message,
    resolutions: resolved?.files ?? [],
    destination,
  });
  if (commit === null) {
    throw conflictOf(headBranch, baseBranch, merged.conflicts);
  }
  return { tip: commit, pack };
}

/** The message of a merge of the base into the head. */
export function usualMessage({ pull: { baseBranch, headBranch } }: Pick<IssueAndPull, "pull">): string {
  return `Merge branch '${baseBranch}' into ${headBranch}\n`;
}

function conflictOf(head: string, base: string, conflicts: readonly { path: string }[]): Conflict {
  const paths = conflicts.map(({ path }) => path);
  return new Conflict(`"${base}" cannot be brought into "${head}": they are in conflict: ${shownPaths(paths)}`);
}

import type { RepositoryRow } from "../../../auth/subject.ts";
import type { MergeStyle } from "../../../db/schema/repositories.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { Signature } from "../../../git/objects/signature.ts";
import type { PackDestination, StagedPack } from "../../../git/pack/staged-pack.ts";
import type { Identity } from "../../git/commits/identity.ts";
import type { Forge } from "../../spine/forge.ts";
import { MergeRefused } from "./merge-errors.ts";

/** The styles that make the branch move. */
export type MovingStyle = Exclude<MergeStyle, "manually-merged" | "rebase-update-only">;

/** Throws MergeRefused unless the repository lets pull requests be merged in a style. */
export function checkStyle(row: RepositoryRow, style: MovingStyle | "manually-merged"): void {
  const allowed: Readonly<Record<typeof style, boolean>> = {
    merge: row.allowMergeCommits,
    rebase: row.allowRebase,
    "rebase-merge": row.allowRebaseExplicit,
    squash: row.allowSquashMerge,
    "fast-forward-only": row.allowFastForwardOnlyMerge,
    "manually-merged": row.allowManualMerge,
  };
  if (!allowed[style]) {
    throw new MergeRefused(`The repository does not allow merges of the style "${style}"`, true);
  }
}

/** The commits to merge, with names and messages. Oids are hexadecimal. */
export interface MergeOrder {
  readonly style: MovingStyle;
  /** It has both commits. */
  readonly view: RepositoryView;
  readonly base: { readonly branch: string; readonly oid: string };
  readonly head: { readonly branch: string; readonly oid: string };
  /** The committer of the new commits. */
  readonly committer: Identity;
  /** The author of a squashed commit. */
  readonly squashAuthor: Identity;
  /** The message of the new commit, as it is stored. */
  readonly message: string;
  /** Makes the message of a rebase's last commit from its own; null: it keeps that. */
  readonly reword: ((own: string) => string) | null;
}

/** Objects that are made, in a pack that no row names yet. */
export interface MadeMerge {
  /** Where the base branch goes, hexadecimal. */
  readonly tip: string;
  readonly pack: StagedPack | null;
  /** Whether the head has all commits of the base. */
  readonly isUpToDate: boolean;
}

const now = (identity: Identity): Signature => ({
  ...identity,
  seconds: Math.floor(Date.now() / 1000),
  offsetMinutes: 0,
});

/**
 * Makes the commits of a merge, without a work tree; refs are the caller's. Trees and parents are those that git makes: `merge`: of
 * `git merge --no-ff`; `squash`: of `git merge --squash`; `rebase`: of `git rebase` and a fast-forward; `rebase-merge`: of the same and
 * `git merge --no-ff`. Throws MergeRefused: conflicts, nothing to merge, unrelated histories, no fast-forward.
 */
export async function makeMerge(forge: Forge, order: MergeOrder, destination: PackDestination): Promise<MadeMerge> {
  const { engine } = forge.git;
  const { view, base, head, style } = order;
  const bases = await engine.call(view, "mergeBases", { commits: [base.oid, head.oid], mode: "all" });
  if (bases.length === 0) {
    throw new MergeRefused(`The histories of "${head.branch}" and "${base.branch}" have nothing in common`);
  }
  if (bases.includes(head.oid)) {
    throw new MergeRefused(`"${base.branch}" has all commits of "${head.branch}": there is nothing to merge`);
  }
  const isUpToDate = bases.includes(base.oid);
  if (style === "fast-forward-only") {
    if (!isUpToDate) {
      throw new MergeRefused(
        `"${base.branch}" has commits that "${head.branch}" does not have, so that it cannot be fast-forwarded; update the pull request`,
      );
    }
    return { tip: head.oid, pack: null, isUpToDate };
  }
  const made =
    style === "merge" || style === "squash"
      ? await mergeHistories(forge, order, bases, destination)
      : await rebase(forge, order, destination);
  return { ...made, isUpToDate };
}

async function mergeHistories(
  forge: Forge,
  { style, view, base, head, ...order }: MergeOrder,
  bases: readonly string[],
  destination: PackDestination,
): Promise<{ tip: string; pack: StagedPack | null }> {
  const [single = null, ...others] = bases;
  const { commit, merged, pack } = await forge.git.engine.write(view, "commitMerge", {
    ours: base.oid,
    theirs: head.oid,
    // One base is known already: then the worker walks no history.
    base: others.length === 0 ? single : null,
    labels: { ours: base.branch, base: "merged common ancestors", theirs: head.branch },
    parents: style === "merge" ? [base.oid, head.oid] : [base.oid],
    author: now(style === "merge" ? order.committer : order.squashAuthor),
    committer: now(order.committer),
    message: order.message,
    destination,
  });
  if (commit === null) {
    const paths = merged.conflicts.map(({ path }) => path);
    throw new MergeRefused(`"${head.branch}" and "${base.branch}" are in conflict: ${shownPaths(paths)}`);
  }
  return { tip: commit, pack };
}

async function rebase(
  forge: Forge,
  { style, view, base, head, committer, message, reword }: MergeOrder,
  destination: PackDestination,
): Promise<{ tip: string; pack: StagedPack | null }> {
  const { engine } = forge.git;
  const commits = await engine.call(view, "commitsToPick", { onto: base.oid, head: head.oid });
  const { tip, last, conflict, pack } = await engine.write(view, "pickCommits", {
    onto: base.oid,
    commits: commits.map((commit) => ({ oid: commit.oid, messageIfLast: reword?.(commit.message) ?? null })),
    committer: now(committer),
    merge: style === "rebase-merge" ? { author: now(committer), message } : null,
    destination,
  });
  if (tip === null) {
    const paths = conflict?.conflicts.map(({ path }) => path) ?? [];
    throw new MergeRefused(
      `Commit ${conflict?.oid.slice(0, 10)} cannot be picked onto "${base.branch}": they are in conflict: ${shownPaths(paths)}`,
    );
  }
  if (last === base.oid) {
    throw new MergeRefused(`"${base.branch}" has all changes of "${head.branch}": there is nothing to rebase`);
  }
  return { tip, pack };
}

/** The first of some paths, as a message shows them. */
export function shownPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, 10).map((path) => `"${path.slice(0, 80)}"`);
  return `${shown.join(", ")}${paths.length > shown.length ? " and more" : ""}`;
}

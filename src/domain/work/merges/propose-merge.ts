import type { Actor, RepositoryAccess } from "../../../auth/subject.ts";
import type { CommitRecord } from "../../../git/log/commit-record.ts";
import type { Forge } from "../../spine/forge.ts";
import type { IssueAndPull } from "../pulls/queries.ts";
import { MergeRefused } from "./merge-errors.ts";
import type { MergeMessage } from "./merge-message.ts";
import type { MovingStyle } from "./merge-styles.ts";
import { proposeMessage } from "./propose-message.ts";

/** What a merge would make of a pull request. */
export interface ProposedMerge {
  /** Where the base branch is. */
  readonly base: CommitRecord;
  /** The commits that come, the latest first: for a rebase those that are picked. At most so many as were asked for. */
  readonly commits: readonly CommitRecord[];
  readonly total: number;
  /** The message unless somebody writes another; null: commits keep their own. */
  readonly message: MergeMessage | null;
}

/** Works out what a merge in a style would make, without making it. Throws MergeRefused where the base is gone. */
export async function proposeMerge(
  forge: Forge,
  actor: Actor,
  access: RepositoryAccess,
  found: IssueAndPull,
  { style, most, signal }: { style: MovingStyle; most: number; signal?: AbortSignal },
): Promise<ProposedMerge> {
  const { git } = forge;
  const { pull } = found;
  const ref = await git.refs.findRef(access.repository.id, `refs/heads/${pull.baseBranch}`);
  if (ref === null) {
    throw new MergeRefused(`The branch "${pull.baseBranch}" is gone`);
  }
  const view = await git.views.view({ ...access.repository, generation: ref.generation });
  const [base, { standard }, listed] = await Promise.all([
    git.commits.get(view, ref.oid),
    proposeMessage(forge, actor, access, { found, baseOid: ref.oid, view }, style),
    style === "rebase" || style === "rebase-merge" ? picked() : brought(),
  ]);
  return { base, ...listed, message: standard };

  async function picked() {
    const commits = await git.engine.call(view, "commitsToPick", { onto: ref!.oid, head: pull.headOid }, signal);
    return { commits: commits.toReversed().slice(0, most), total: commits.length };
  }

  async function brought() {
    const range = { tips: [pull.headOid], not: [ref!.oid], paths: [], skip: 0, limit: most };
    const { commits, total } = await git.commits.log(
      view,
      { ...range, count: true, files: false, stats: false },
      signal,
    );
    return { commits, total: total ?? commits.length };
  }
}

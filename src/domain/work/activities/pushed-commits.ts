import type { MovedBranch, PushedCommitsResult } from "../../../git/operations/pushed-commits.ts";
import type { Forge } from "../../spine/forge.ts";
import type { Deed } from "./queries.ts";

/** Commits told of one push. */
const maxCommits = 5;

/** The oids that a `commit_repo` activity moved a branch from and to; null of any other. */
export function movedBranch({ activity }: Deed): MovedBranch | null {
  return activity.kind === "commit_repo" ? (JSON.parse(activity.content) as MovedBranch) : null;
}

/**
 * Returns the commits of the pushes among these activities, by the activities' ids. Commits that no ref reaches any
 * more are left out. Each repository is asked once.
 */
export async function findPushedCommits(
  forge: Forge,
  deeds: readonly Deed[],
  signal: AbortSignal,
): Promise<Map<number, PushedCommitsResult>> {
  const byRepository = Map.groupBy(
    deeds.flatMap((deed) => {
      const move = movedBranch(deed);
      return move === null || deed.access.repository.empty ? [] : [{ deed, move }];
    }),
    ({ deed }) => deed.access.repository.id,
  );
  const found = new Map<number, PushedCommitsResult>();
  const ask = async (pushes: readonly { deed: Deed; move: MovedBranch }[], deed: Deed) => {
    const { repository } = deed.access;
    const { refs, view } = await forge.git.revisions.listWithView(repository);
    const base = refs.find(({ name }) => name === `refs/heads/${repository.defaultBranch}`)?.oid ?? null;
    const tips = [...new Set(refs.map(({ oid }) => oid))];
    const moves = pushes.map(({ move }) => move);
    const results = await forge.git.engine.call(
      view,
      "pushedCommits",
      { moves, tips, base, limit: maxCommits },
      signal,
    );
    for (const [index, { deed: push }] of pushes.entries()) {
      found.set(push.activity.id, results[index] ?? { commits: [], total: 0 });
    }
  };
  await Promise.all([...byRepository.values()].flatMap((pushes) => (pushes[0] ? [ask(pushes, pushes[0].deed)] : [])));
  return found;
}

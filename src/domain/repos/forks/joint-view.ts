import type { RepositoryView } from "../../../git/job/repository-view.ts";

/**
 * A view of a fork and its parent in one, for what is between them: which commits one has and the other has not, and where
 * they parted. Nothing is served from it, as it has what is only the other's. Its key is of its own, so that the engine does
 * not take it for a newer view of the fork.
 */
export function jointView(fork: RepositoryView, parent: RepositoryView): RepositoryView {
  const [names, generations] = [0, 1].map((part) => [fork, parent].map(({ key }) => key.split(":")[part]).join("+"));
  return {
    key: `${names}:${generations}`,
    format: fork.format,
    packs: [...new Set([...fork.packs, ...parent.packs])],
  };
}

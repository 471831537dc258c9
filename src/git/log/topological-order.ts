import type { WalkedCommit } from "./limited-walk.ts";

/** Brings commits, which come in the order of their dates, in that of `git log --topo-order`: lines of history stay together. */
export function orderTopologically(commits: readonly WalkedCommit[]): WalkedCommit[] {
  const byPosition = new Map(commits.map((commit) => [commit.position, commit]));
  const children = new Map<number, number>();
  for (const { parents } of commits) {
    for (const parent of parents) {
      children.set(parent, (children.get(parent) ?? 0) + 1);
    }
  }
  const ready = commits.filter(({ position }) => !children.has(position)).toReversed();
  const ordered: WalkedCommit[] = [];
  for (let commit = ready.pop(); commit !== undefined; commit = ready.pop()) {
    ordered.push(commit);
    for (const position of commit.parents) {
      const left = children.get(position)! - 1;
      children.set(position, left);
      const parent = byPosition.get(position);
      if (left === 0 && parent !== undefined) {
        ready.push(parent);
      }
    }
  }
  return ordered;
}

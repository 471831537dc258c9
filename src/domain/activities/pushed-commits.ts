import type { RepositoryRow } from "../../auth/subject.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import { StithyError } from "../../lib/errors.ts";
import type { Forge } from "../forge.ts";

/** Commits told of one push. */
const mostCommits = 5;

/** The first commits that a push brought, the newest first, and how many it brought; nothing where they are gone since. */
export interface PushedCommits {
  commits: readonly CommitRecord[];
  total: number;
}

const nothing: PushedCommits = { commits: [], total: 0 };

async function findCommit(forge: Forge, repository: RepositoryRow, oid: string) {
  try {
    return await forge.revisions.get(repository, oid);
  } catch (error) {
    if (error instanceof StithyError && error.code === "not-found") {
      return null;
    }
    throw error;
  }
}

/** What a push brought to a branch. Commits that no ref reaches any more are told nobody. */
export async function findPushedCommits(forge: Forge, repository: RepositoryRow, moved: { old: string | null; new: string }, signal: AbortSignal): Promise<PushedCommits> {
  const tip = repository.empty ? null : await findCommit(forge, repository, moved.new);
  if (tip === null) {
    return nothing;
  }
  // A new branch brought what the default one has not.
  const before = await findCommit(forge, repository, moved.old ?? repository.defaultBranch);
  const not = before === null || before.commit === tip.commit ? [] : [before.commit];
  const selection = { tips: [tip.commit], not, paths: [], skip: 0, limit: mostCommits, count: true, files: false, stats: false };
  const { commits, total } = await forge.commits.log(tip.view, selection, signal);
  return { commits, total: total ?? commits.length };
}

import type { RepositoryRow } from "../../../auth/subject.ts";
import type { LogResult } from "../../../git/operations/log.ts";
import { InvalidInput, StithyError } from "../../../lib/errors.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { trimOf } from "../../../lib/trim-text.ts";

/** The repository has no commit at all. */
export class EmptyRepository extends StithyError {
  constructor(name: string) {
    super("conflict", "empty-repository", `The repository "${name}" is empty`, { name });
  }
}

/** Names in `not`: each is looked up. */
const mostExcluded = 100;

export interface ListCommits {
  /** A branch, tag or commit; the default branch otherwise. */
  revision?: string | undefined;
  /** Only commits that change this file or directory. */
  path?: string | undefined;
  /** Branches, tags or commits that are left out with all that they reach, divided by commas or spaces. */
  not?: string | undefined;
  skip: number;
  limit: number;
  stats: boolean;
  files: boolean;
}

/** A page of commits and how many there are in all. Throws EmptyRepository, InvalidInput, NotFound (a revision; a path that no commit changed). */
export async function listCommits(
  forge: Forge,
  repository: RepositoryRow,
  options: ListCommits,
  signal?: AbortSignal,
): Promise<LogResult & { total: number }> {
  if (repository.empty) {
    throw new EmptyRepository(repository.name);
  }
  const start = await forge.git.revisions.get(repository, options.revision);
  const not: string[] = [];
  const excluded = new Set((options.not ?? "").split(/[\s,]+/).filter(Boolean));
  if (excluded.size > mostExcluded) {
    throw new InvalidInput(
      `not must name at most ${mostExcluded} branches, tags or commits, not ${excluded.size}`,
      "not",
    );
  }
  for (const name of excluded) {
    not.push((await forge.git.revisions.get(repository, name)).commit);
  }
  const path = trimOf(options.path ?? "", "/");
  const { skip, limit, stats, files } = options;
  const result = await forge.git.commits.log(
    start.view,
    { tips: [start.commit], not, paths: path === "" ? [] : [path], skip, limit, count: true, files, stats },
    signal,
  );
  const total = result.total ?? 0;
  if (total === 0 && path !== "" && not.length === 0) {
    throw new NotFound("file or directory in the history", path);
  }
  return { commits: result.commits, total };
}

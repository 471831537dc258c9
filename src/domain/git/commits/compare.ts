import type { RepositoryRow } from "../../../auth/subject.ts";
import type { AffectedFile } from "../../../git/log/affected-files.ts";
import type { LogResult } from "../../../git/operations/log.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import type { Revision } from "../refs/revisions.ts";

/** The commits of one side of a comparison that the other lacks. */
export interface Comparison extends LogResult {
  /** all commits there are, also those that are not listed */
  total: number;
  /** what changed between the two sides, at most `maxFiles` */
  files: readonly AffectedFile[];
}

/** Commits that are listed; the total counts all. */
const maxCommits = 250;
const maxFiles = 3000;

/**
 * Compares `base...head` (what became of their merge base in head) or `base..head` (the two themselves); a head alone is
 * compared with the default branch. Each is a branch, tag or commit. Throws NotFound.
 */
export async function compareRevisions(
  forge: Forge,
  repository: RepositoryRow,
  range: string,
  signal?: AbortSignal,
): Promise<Comparison> {
  const { base, head, symmetric } = await resolveRange(forge, repository, range);
  const args = {
    tips: [head.commit],
    not: [base.commit],
    paths: [],
    skip: 0,
    limit: maxCommits,
    count: true,
    files: true,
    stats: true,
  };
  const log = await forge.git.commits.log(head.view, args, signal);
  const [ancestor] = symmetric
    ? await forge.git.engine.call(head.view, "mergeBases", { commits: [base.commit, head.commit], mode: "all" }, signal)
    : [base.commit];
  const files = await forge.git.engine.call(
    head.view,
    "changedFiles",
    { before: ancestor ?? base.commit, after: head.commit, maxFiles },
    signal,
  );
  return { ...log, total: log.total ?? log.commits.length, files };
}

interface Range {
  base: Revision;
  head: Revision;
  symmetric: boolean;
}

/**
 * Names may have single dots in them, and none has two in a row (git-check-ref-format(1)): so the dots that divide are the
 * first ones, of three dots perhaps the last two. Three are tried before two.
 */
async function resolveRange(forge: Forge, repository: RepositoryRow, range: string): Promise<Range> {
  for (const separator of ["...", ".."]) {
    const first = range.indexOf(separator);
    for (let at = first; at >= 0 && at <= first + 1; at = range.indexOf(separator, at + 1)) {
      const base = await forge.git.revisions.find(repository, range.slice(0, at));
      const head =
        base === null ? null : await forge.git.revisions.find(repository, range.slice(at + separator.length));
      if (base !== null && head !== null) {
        return { base, head, symmetric: separator === "..." };
      }
    }
  }
  const head = await forge.git.revisions.find(repository, range);
  if (head === null) {
    throw new NotFound("comparison", range);
  }
  return { base: await forge.git.revisions.get(repository), head, symmetric: true };
}

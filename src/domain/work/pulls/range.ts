import type { RepositoryAccess } from "../../../auth/subject.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { LogResult } from "../../../git/operations/log.ts";
import type { Whitespace } from "../../../git/diff/ignore-whitespace.ts";
import type { CompareFilesResult } from "../../../git/operations/compare-files.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { agent } from "../../../lib/version.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { prepareFindPullTips } from "./range-queries.ts";

/** The changes of a pull request: the files and the commits since the merge base of its head and its base. */
export interface PullRange {
  /** A view of the base repository, which has all of it. */
  view: RepositoryView;
  /** The commit that the two parted at, hexadecimal; null when their histories have nothing in common. */
  before: string | null;
  /** The head. */
  after: string;
  /** Commits that are left out with all that they reach. */
  not: readonly string[];
}

interface PullText {
  kind: "diff" | "patch";
  binary: boolean;
}

interface Slice {
  skip: number;
  limit: number;
}

/** Reads what a pull request brings. */
export interface PullRanges {
  /** Throws NotFound, also for who may not read the code of the base. */
  get(access: RepositoryAccess, number: number, signal?: AbortSignal): Promise<PullRange>;
}

/**
 * The range is that of the tips as they are, so that nobody waits for the job that works out whether the two can be
 * merged. Of a merged or closed pull request it is what it was then, whatever became of the base since.
 */
export function preparePullRanges({ database, git }: Forge): PullRanges {
  const findTips = prepareFindPullTips(database.db);
  return {
    async get({ repository, units }, number, signal) {
      const tips = units.code < accessModes.read ? null : await findTips(repository.id, number);
      if (tips === null) {
        throw new NotFound("pull request", String(number));
      }
      const view = await git.views.view({ ...repository, generation: tips.generation });
      const { baseOid, headOid, mergeBaseOid } = tips;
      if (!tips.open) {
        return { view, before: mergeBaseOid, after: headOid, not: mergeBaseOid === null ? [] : [mergeBaseOid] };
      }
      const [before = null] = tips.checked
        ? [mergeBaseOid]
        : await git.engine.call(view, "mergeBases", { commits: [baseOid, headOid], mode: "all" }, signal);
      return { view, before, after: headOid, not: [baseOid] };
    },
  };
}

/** A page of the commits of a pull request, latest first, and how many there are in all. */
export async function listPullCommits(
  { git }: Forge,
  { view, after, not }: PullRange,
  options: Slice & { files: boolean },
  signal?: AbortSignal,
): Promise<LogResult & { total: number }> {
  const args = { tips: [after], not: [...not], paths: [], ...options, count: true, stats: true };
  const { commits, total } = await git.commits.log(view, args, signal);
  return { commits, total: total ?? commits.length };
}

/**
 * Makes the text of a pull request's changes while it is read: a diff as `git diff` prints it, or a mail for each
 * commit as `git format-patch --stdout` does. Mails always include binary changes, a diff only with `binary`.
 */
export function openPullText(
  { git }: Forge,
  { view, before, after, not }: PullRange,
  { kind, binary }: PullText,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  return kind === "patch"
    ? git.engine.stream(view, "formatPatch", { tip: after, not, signature: agent }, signal)
    : git.engine.stream(view, "patch", { before, after, mail: null, options: { binary } }, signal);
}

/**
 * A page of the files that a pull request changes, in the order of git, and how many there are in all; from a path on, if
 * one is given. Throws InvalidInput for a path that is not among them.
 */
export async function listPullFiles(
  { git }: Forge,
  { view, before, after }: PullRange,
  options: Slice & { from: string | null; whitespace: Whitespace },
  signal?: AbortSignal,
): Promise<CompareFilesResult & { total: number }> {
  const { files, total } = await git.engine.call(view, "compareFiles", { before, after, ...options }, signal);
  if (total === null) {
    throw new InvalidInput(
      `skip-to must name a file that the pull request changes, not "${clip(options.from ?? "", 80)}"`,
      "skip-to",
    );
  }
  return { files, total };
}

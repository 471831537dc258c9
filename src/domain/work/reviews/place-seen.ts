import type { RepositoryRow } from "../../../auth/subject.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { MissingObject } from "../../../git/odb/object-database.ts";
import { InvalidInput, StithyError } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import type { Forge } from "../../spine/forge.ts";
import {
  bytesOf,
  checkCommentText,
  checkCommit,
  checkRange,
  findMergeBase,
  hexOf,
  type LineInput,
  type PlacedReview,
} from "./place-comments.ts";
import type { ReviewedPull } from "./queries.ts";

/** The diff that somebody looked at while they wrote. Commits, hexadecimal. */
export interface SeenDiff {
  /** null: nothing, so that all files were new. */
  readonly before: string | null;
  readonly after: string;
  /** The head of the pull request at that time. */
  readonly head: string;
}

/** The lines of a comment were changed while it was written. Sent again with `evenOutdated`, it is kept as an outdated one. */
export class LinesChanged extends StithyError {
  constructor(path: string, line: number) {
    super(
      "conflict",
      "lines-changed",
      `Somebody pushed while you wrote, and line ${line} of "${clip(path, 80)}" is not as you saw it any more; choose another line, or send the comment again to keep it as an outdated one`,
      { path, line },
    );
  }
}

/**
 * Finds where a comment is that somebody made on lines of a diff: of the pull request as it was then, or of some of its commits. Every line
 * of a changed file may have one. The place is where the lines are by now. Throws InvalidInput that names the field, and LinesChanged.
 */
export async function placeWhereSeen(
  forge: Forge,
  repository: RepositoryRow,
  pulled: ReviewedPull,
  seen: SeenDiff,
  { path, side, line, extraLines, body, evenOutdated }: LineInput & { evenOutdated: boolean },
): Promise<PlacedReview> {
  checkCommentText(body);
  checkRange(line, extraLines);
  const head = hexOf(pulled.pull.headOid);
  const view = await forge.git.views.current(repository);
  const after = await checkCommit(forge, view, pulled, seen.after);
  const before = seen.before === null ? null : await checkBefore(forge, view, seen.before, after);
  const asked = { path, side, line, extraLines };
  const [found] = await forge.git.engine.call(view, "lineHunks", { before, after, lines: [asked], anywhere: true });
  const from = side === "old" ? before : after;
  if (found === undefined || "missing" in found || from === null) {
    throw new InvalidInput(`The file "${clip(path, 80)}" has no line ${line} in these changes`, "line");
  }
  const to = side === "old" ? await findMergeBase(forge, view, pulled, head) : head;
  const now = to === null ? null : await findNow(forge, view, { from, to, ...asked });
  if (now === null && seen.head !== head && !evenOutdated) {
    throw new LinesChanged(path, line);
  }
  return {
    commit: after,
    comments: [
      {
        body,
        place: {
          ...asked,
          ...now,
          side,
          commitOid: bytesOf(now === null ? from : (to ?? from)),
          originalCommitOid: bytesOf(after),
          originalLine: line,
          originalExtraLines: extraLines,
          diffHunk: found.hunk,
          invalidated: now === null,
          replyTo: null,
        },
      },
    ],
  };
}

async function findNow(
  { git }: Forge,
  view: RepositoryView,
  { from, to, path, line, extraLines }: { from: string; to: string } & Omit<LineInput, "body" | "side">,
) {
  const place = { path, line, extraLines };
  return from === to
    ? place
    : ((await git.engine.call(view, "followLines", { to, lines: [{ from, ...place }] }))[0] ?? null);
}

/** The commit, if the other one comes after it: nobody learns what they may not read. Throws InvalidInput. */
export async function checkBefore(
  { git }: Forge,
  view: RepositoryView,
  commit: string,
  after: string,
): Promise<string> {
  try {
    if (
      /^[0-9a-f]{40,64}$/.test(commit) &&
      (await git.engine.call(view, "isAncestor", { ancestor: commit, descendant: after }))
    ) {
      return commit;
    }
  } catch (error) {
    if (!(error instanceof MissingObject)) {
      throw error;
    }
  }
  throw new InvalidInput(`"${clip(commit, 80)}" is no commit before the changes`, "before");
}

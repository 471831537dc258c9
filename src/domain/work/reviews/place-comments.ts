import type { RepositoryRow } from "../../../auth/subject.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { MissingObject } from "../../../git/odb/object-database.ts";
import type { DiffSide } from "../../../git/diff/line-places.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import type { Forge } from "../../spine/forge.ts";
import { wasHead } from "./head-queries.ts";
import type { NewPlace } from "./comment-queries.ts";
import type { ReviewedPull } from "./queries.ts";

/** A comment that somebody wants to make on a line. */
export interface LineInput {
  path: string;
  side: DiffSide;
  /** From 1. */
  line: number;
  /** So many lines before it belong to it. */
  extraLines: number;
  body: string;
}

/** The commit of a review, and the places of its comments. */
export interface PlacedReview {
  /** Hexadecimal. */
  readonly commit: string;
  readonly comments: readonly { readonly body: string; readonly place: NewPlace }[];
}

/** Most comments of one request. */
const maxComments = 500;
/** Most comments of one review: a list of them has no pages. */
const maxOfReview = 2000;
/** Most lines of one comment. */
const maxLines = 200;
/** The longest text of a comment on a line, characters. */
const maxBody = 65_535;

export const bytesOf = (hex: string) => Buffer.from(hex, "hex");
export const hexOf = (oid: Uint8Array) => Buffer.from(oid).toString("hex");

/**
 * Finds the commit that a review is about (`commit` null: the head) and the lines that its comments are on. Throws InvalidInput, naming the
 * field, for a commit that was never the pull request's, and for a line that its diff does not have.
 */
export async function placeComments(
  forge: Forge,
  repository: RepositoryRow,
  pulled: ReviewedPull,
  { commit, comments }: { commit: string | null; comments: readonly LineInput[] },
): Promise<PlacedReview> {
  checkTexts(comments);
  const head = hexOf(pulled.pull.headOid);
  const view = await forge.git.views.current(repository);
  const reviewed = commit === null ? head : await checkCommit(forge, view, pulled, commit);
  if (comments.length === 0) {
    return { commit: reviewed, comments: [] };
  }
  const base = await findMergeBase(forge, view, pulled, reviewed);
  const hunks = await forge.git.engine.call(view, "lineHunks", {
    before: base,
    after: reviewed,
    lines: comments,
    anywhere: false,
  });
  return {
    commit: reviewed,
    comments: comments.map(({ body, path, side, line, extraLines }, at) => {
      const found = hunks[at];
      if (found === undefined || "missing" in found) {
        throw outsideOfDiff({ path, side, line }, found?.missing ?? "line");
      }
      return {
        body,
        place: {
          path,
          side,
          line,
          extraLines,
          commitOid: bytesOf(side === "old" ? (base ?? reviewed) : reviewed),
          originalCommitOid: bytesOf(reviewed),
          originalLine: line,
          originalExtraLines: extraLines,
          diffHunk: found.hunk,
          invalidated: false,
          replyTo: null,
        },
      };
    }),
  };
}

function checkTexts(comments: readonly LineInput[]): void {
  if (comments.length > maxComments) {
    throw new InvalidInput(`A review is given at most ${maxComments} comments at once`, "comments");
  }
  for (const { body, line, extraLines } of comments) {
    checkCommentText(body);
    checkRange(line, extraLines);
  }
}

/** Throws InvalidInput where a comment is on no lines, or on too many. */
export function checkRange(line: number, extraLines: number): void {
  if (extraLines < 0 || extraLines >= line) {
    throw new InvalidInput("The first line of a comment is after its last one, or there is none", "line");
  }
  if (extraLines >= maxLines) {
    throw new InvalidInput(`A comment is on at most ${maxLines} lines`, "line");
  }
}

/** Throws InvalidInput where a review would have so many comments that there is no room for them. */
export function checkRoom(comments: number): void {
  if (comments > maxOfReview) {
    throw new InvalidInput(`A review has at most ${maxOfReview} comments; begin another one`, "comments");
  }
}

/** Throws InvalidInput for a text that is blank, or too long. */
export function checkCommentText(body: string): void {
  if (body.trim() === "") {
    throw new InvalidInput("The body of a comment on a line cannot be empty", "body");
  }
  if (body.length > maxBody) {
    throw new InvalidInput(`The body of a comment on a line has at most ${maxBody} characters`, "body");
  }
}

function outsideOfDiff(
  { path, side, line }: Pick<LineInput, "path" | "side" | "line">,
  missing: "file" | "line",
): InvalidInput {
  const [field, of] = side === "old" ? ["old_position", "base's"] : ["new_position", "head's"];
  return missing === "file"
    ? new InvalidInput(`path: the pull request does not change a file "${clip(path, 80)}" on the ${of} side`, "path")
    : new InvalidInput(`${field}: the diff of "${clip(path, 80)}" does not show line ${line} of the ${of} side`, field);
}

/** The commit, if the pull request has it, or had it before a forced push. Throws InvalidInput. */
export async function checkCommit(
  { git, database }: Forge,
  view: RepositoryView,
  { issue, pull }: ReviewedPull,
  commit: string,
): Promise<string> {
  const head = hexOf(pull.headOid);
  const oid = commit.toLowerCase();
  if (oid === head) {
    return oid;
  }
  if (oid.length === head.length && /^[0-9a-f]+$/.test(oid)) {
    try {
      if (
        (await git.engine.call(view, "isAncestor", { ancestor: oid, descendant: head })) ||
        (await wasHead(database.db, issue, bytesOf(oid)))
      ) {
        return oid;
      }
    } catch (error) {
      if (!(error instanceof MissingObject)) {
        throw error;
      }
    }
  }
  throw new InvalidInput(`commit_id: "${clip(commit, 80)}" is no commit of pull request #${issue.number}`, "commit_id");
}

/** Where a commit of a pull request parted from the base; null where they have nothing in common. Hexadecimal. */
export async function findMergeBase(
  { git }: Forge,
  view: RepositoryView,
  { pull }: Pick<ReviewedPull, "pull">,
  commit: string,
): Promise<string | null> {
  const [base] = await git.engine.call(view, "mergeBases", { commits: [hexOf(pull.baseOid), commit], mode: "all" });
  return base ?? null;
}

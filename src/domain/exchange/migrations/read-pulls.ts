import type { ReviewKind } from "../../../db/schema/pulls.ts";
import type { BroughtAuthor } from "../seeding/seed-issues.ts";
import { attributed, type AuthorOf, instantOf, itemOf, numberOf, textOf } from "./read-items.ts";

/** The fields of another server's pull request beside those of its issue. Oids are hexadecimal, null where there is none. */
export interface SourcePull {
  number: number;
  open: boolean;
  baseBranch: string;
  baseOid: string | null;
  /** The name of a branch in the repository itself or in the fork; or `refs/pull/N/head`. */
  headBranch: string;
  headOid: string | null;
  /** Whether the head is a branch of the repository itself. */
  isOwn: boolean;
  mergedAt: Date | null;
  mergeOid: string | null;
}

const oid = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
const longestBranch = 255;

function oidOf(value: unknown): string | null {
  const text = textOf(value);
  return oid.test(text) ? text : null;
}

function branchOf(value: unknown): string {
  return textOf(value).slice(0, longestBranch);
}

export function readPull(value: unknown): SourcePull {
  const item = itemOf(value);
  const number = numberOf(item["number"]);
  const [base, head] = [itemOf(item["base"]), itemOf(item["head"])];
  const [from, to] = [numberOf(itemOf(head["repo"])["id"]), numberOf(itemOf(base["repo"])["id"])];
  const mergedAt = instantOf(item["merged_at"]);
  return {
    number,
    open: item["state"] === "open",
    baseBranch: branchOf(base["ref"]),
    baseOid: oidOf(base["sha"]),
    headBranch: branchOf(head["ref"]) || `refs/pull/${number}/head`,
    headOid: oidOf(head["sha"]),
    isOwn: from !== 0 && from === to,
    mergedAt,
    mergeOid: mergedAt === null ? null : oidOf(item["merge_commit_sha"]),
  };
}

export interface SourceReview {
  id: number;
  kind: Extract<ReviewKind, "approve" | "request-changes" | "comment">;
  dismissed: boolean;
  author: BroughtAuthor;
  body: string;
  commitOid: string | null;
  at: Date;
}

/** Verdicts as the family and as GitHub call them. What is not submitted, or only asked for, is not brought. */
const verdicts: Readonly<Record<string, SourceReview["kind"]>> = {
  APPROVED: "approve",
  REQUEST_CHANGES: "request-changes",
  CHANGES_REQUESTED: "request-changes",
  COMMENT: "comment",
  COMMENTED: "comment",
  // What it said before it was dismissed GitHub does not tell any more.
  DISMISSED: "comment",
};

export function readReview(value: unknown, authorOf: AuthorOf): SourceReview | null {
  const item = itemOf(value);
  const kind = verdicts[textOf(item["state"])];
  const at = instantOf(item["submitted_at"]);
  const id = numberOf(item["id"]);
  return kind === undefined || id === 0
    ? null
    : {
        id,
        kind,
        dismissed: item["dismissed"] === true || item["state"] === "DISMISSED",
        author: authorOf(item),
        body: textOf(item["body"]) === "" ? "" : attributed({ ...item, created_at: item["submitted_at"] }, authorOf),
        commitOid: oidOf(item["commit_id"]),
        at: at ?? new Date(),
      };
}

export interface SourceLineComment {
  /** The id of its review; 0: the server does not say. */
  reviewId: number;
  author: BroughtAuthor;
  body: string;
  path: string;
  side: "old" | "new";
  line: number;
  /** The code that it is about is gone. */
  outdated: boolean;
  commitOid: string | null;
  originalOid: string | null;
  diffHunk: string;
  at: Date;
}

const longestHunk = 64 * 1024;

/** A comment on a line; null for one that says of no line. */
export function readLineComment(value: unknown, authorOf: AuthorOf): SourceLineComment | null {
  const item = itemOf(value);
  const path = textOf(item["path"]);
  // The family has lines as positions: of the new side, or of the old one. GitHub has them by name, and counts positions in the patch.
  const isGithub = "line" in item || "original_line" in item;
  const [now, before] = isGithub
    ? [numberOf(item["line"]), numberOf(item["original_line"])]
    : [numberOf(item["position"]), numberOf(item["original_position"])];
  const isOld = isGithub ? item["side"] === "LEFT" : now === 0;
  const line = now || before;
  return path === "" || line === 0
    ? null
    : {
        reviewId: numberOf(item["pull_request_review_id"]),
        author: authorOf(item),
        body: attributed(item, authorOf),
        path,
        side: isOld ? "old" : "new",
        line,
        outdated: isGithub && now === 0,
        commitOid: oidOf(item["commit_id"]),
        originalOid: oidOf(item["original_commit_id"]),
        diffHunk: textOf(item["diff_hunk"]).slice(0, longestHunk),
        at: instantOf(item["created_at"]) ?? new Date(),
      };
}

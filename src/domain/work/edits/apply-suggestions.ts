import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { FileChange } from "../../../git/edit/apply-changes.ts";
import { InvalidInput, StithyError } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { identityOf } from "../../git/commits/identity.ts";
import { commitFiles, type BranchTip, type FilesCommitted } from "../../git/contents/commit-files.ts";
import { addTrailers } from "../../git/contents/commit-message.ts";
import type { UserDoer } from "../../spine/doer.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { findPushableHead } from "../merges/find-pushable-head.ts";
import { findPull, type IssueAndPull } from "../pulls/queries.ts";
import { completeLineComments, findLineComments, type FoundLineComment } from "../reviews/comment-queries.ts";
import { placesIn } from "../reviews/places-in.ts";
import { replaceLines, splitSuggestions, type Replacement } from "../reviews/suggestions.ts";

/** A suggestion as somebody saw it: the comment, its version, and which one of its suggestions, from 0. */
export interface ChosenSuggestion {
  readonly commentId: number;
  readonly contentVersion: number;
  readonly index: number;
}

/** A suggestion that is for lines that are not there any more, or not the one that was seen. */
class SuggestionOutdated extends StithyError {
  constructor(why: string) {
    super("conflict", "suggestion-outdated", `The suggestion cannot be applied: ${why}`);
  }
}

const mostAtOnce = 100;
const longestTitle = 500;
/** A file of this size is changed at most, bytes. */
const largestFile = 10 * 1024 * 1024;

interface Suggested extends Replacement {
  readonly path: string;
  readonly by: FoundLineComment;
}

/**
 * Applies suggestions in one commit to the head branch of a pull request, as a push by the doer; those who made them are its co-authors. Throws
 * NotFound, Forbidden, InvalidInput, Conflict (SuggestionOutdated), and what commitFiles throws.
 */
export async function applySuggestions(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  number: number,
  { chosen, title }: { chosen: readonly ChosenSuggestion[]; title: string },
): Promise<FilesCommitted> {
  if (chosen.length === 0 || chosen.length > mostAtOnce) {
    throw new InvalidInput(`Choose suggestions to apply, at most ${mostAtOnce}`, "suggestion");
  }
  if (title.length > longestTitle) {
    throw new InvalidInput(`A summary has at most ${longestTitle} characters`, "title");
  }
  const found = await findPull(forge.database.db, access.repository.id, number);
  if (found === null) {
    throw new NotFound("pull request", String(number));
  }
  if (found.issue.closedAt !== null) {
    throw new InvalidInput(`Pull request #${number} is closed: its suggestions are not applied any more`, "suggestion");
  }
  const { access: head, pusher, asMaintainer } = await findPushableHead(forge, doer, access, found);
  const suggested = await findSuggested(forge, doer, access, found, chosen);
  const changes = (tip: BranchTip) => changesOf(forge, found.pull.headOid, suggested, tip);
  const usual = suggested.length === 1 ? "Apply a suggestion from the review" : "Apply suggestions from the review";
  const message = addTrailers(title.trim() || usual, coAuthorsOf(forge, doer, suggested));
  const options = { branch: found.pull.headBranch, message };
  return commitFiles(forge, pusher, { repository: head, changes, options, asMaintainer });
}

function coAuthorsOf({ addresses }: Forge, { actor }: UserDoer, suggested: readonly Suggested[]): string[] {
  return suggested.flatMap(({ by: { author } }) => {
    const identity = author === null || author.id === actor.id ? null : identityOf(addresses, author);
    return identity === null ? [] : [`Co-authored-by: ${identity.name.replaceAll(/[<>]/g, "")} <${identity.email}>`];
  });
}

async function findSuggested(
  forge: Forge,
  doer: UserDoer,
  { repository }: RepositoryAccess,
  { issue, pull }: IssueAndPull,
  chosen: readonly ChosenSuggestion[],
): Promise<Suggested[]> {
  const { db } = forge.database;
  const ids = chosen.map(({ commentId }) => commentId);
  const rows = await findLineComments(db, issue.id, ids);
  const comments = new Map((await completeLineComments(db, doer, rows)).map((one) => [one.comment.id, one]));
  const head = { before: null, after: pull.headOid, isWhole: true };
  const at = await placesIn(forge, await forge.git.views.current(repository), rows, head);
  return chosen.map(({ commentId, contentVersion, index }) => {
    const by = comments.get(commentId);
    if (by === undefined) {
      throw new NotFound("comment", String(commentId));
    }
    if (by.comment.contentVersion !== contentVersion) {
      throw new SuggestionOutdated("it was changed since you read it; read it again");
    }
    const made = splitSuggestions(by.comment.body).filter(({ kind }) => kind === "suggestion")[index];
    const place = at.get(commentId) ?? null;
    if (made?.kind !== "suggestion" || by.place.side !== "new") {
      throw new InvalidInput("The comment suggests nothing for the lines of the head", "suggestion");
    }
    if (place === null || place.extraLines !== by.place.originalExtraLines) {
      throw new SuggestionOutdated(`its lines of "${clip(by.place.path, 80)}" were changed since it was made`);
    }
    const { path, line, extraLines } = place;
    return { path, by, first: line - extraLines, last: line, lines: made.lines };
  });
}

async function changesOf(
  { git }: Forge,
  head: string,
  suggested: readonly Suggested[],
  { view, commit }: BranchTip,
): Promise<FileChange[]> {
  if (commit !== head) {
    throw new SuggestionOutdated("the branch has moved just now; look at the changes, and apply it again");
  }
  const changes: FileChange[] = [];
  for (const [path, replacements] of Map.groupBy(suggested, (one) => one.path)) {
    const file = await git.engine.call(view, "readPath", { commit, path, maxBytes: largestFile });
    const text = file?.bytes == null ? null : decode(file.bytes);
    if (file === null || text === null) {
      throw new InvalidInput(`"${clip(path, 80)}" is no text that suggestions can be applied to`, "suggestion");
    }
    const bytes = Buffer.from(replaceLines(text, replacements));
    changes.push({ operation: "update", path, fromPath: null, bytes, mode: null, expectedOid: file.oid });
  }
  return changes;
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

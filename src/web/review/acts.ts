import type { RepositoryAccess } from "../../auth/subject.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { applySuggestions, type ChosenSuggestion } from "../../domain/work/edits/apply-suggestions.ts";
import { findLineComment } from "../../domain/work/reviews/comment-queries.ts";
import {
  commentOnLine,
  deleteLineComment,
  editLineComment,
  replyToComment,
  resolveComment,
} from "../../domain/work/reviews/comment-on-line.ts";
import { placeComments } from "../../domain/work/reviews/place-comments.ts";
import { placeWhereSeen } from "../../domain/work/reviews/place-seen.ts";
import { findPendingReview, findReviewedPull, type ReviewedPull } from "../../domain/work/reviews/queries.ts";
import { createReview, deleteReview, type ReviewVerdict } from "../../domain/work/reviews/write-review.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { issueLink } from "../links.ts";
import { readRowId } from "../read-row-id.ts";
import { Redirect } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { formAction } from "./files-page.ts";
import type { On } from "./on.ts";

/** One form of the page of files. */
export interface Asked {
  readonly forge: Forge;
  readonly visit: Visit;
  readonly doer: UserDoer;
  readonly access: RepositoryAccess;
  readonly number: number;
}

const verdicts: readonly ReviewVerdict[] = ["comment", "approve", "request-changes"];

/** Throws NotFound. */
export async function getPulled({
  forge,
  access,
  number,
}: Pick<Asked, "forge" | "access" | "number">): Promise<ReviewedPull> {
  const pulled = await findReviewedPull(forge.database.db, access.repository.id, number);
  if (pulled === null) {
    throw new NotFound("pull request", String(number));
  }
  return pulled;
}

/** Back to the comment. The browser that came from the conversation goes back there. */
function back({ visit, access, number }: Asked, commentId: number | null, said: string | null = null): Redirect {
  const page =
    visit.form.text("back") === "conversation"
      ? issueLink(visit.root, access, { isPull: true, number })
      : formAction(visit);
  return new Redirect(commentId === null ? page : `${page}#issuecomment-${commentId}`, said);
}

/** The number of a line that a form has. Throws InvalidInput. */
function readLine(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new InvalidInput("A line has a number, from 1", "line");
  }
  return Number(text);
}

/** Comments on lines. */
export async function commentOnLines(asked: Asked, on: On & { kind: "lines" }): Promise<Redirect> {
  const { forge, visit, doer, access, number } = asked;
  const { form } = visit;
  const pulled = await getPulled(asked);
  const line = readLine(form.text("line"));
  const input = {
    path: form.text("path"),
    side: on.side,
    line,
    extraLines: line - readLine(form.text("from")),
    body: form.lines("body"),
    evenOutdated: form.text("outdated") !== "",
  };
  const before = form.text("before");
  const seen = { before: before === "" ? null : before, after: form.text("after"), head: form.text("head") };
  const placed = await placeWhereSeen(forge, access.repository, pulled, seen, input);
  const isDraft = form.text("how") !== "alone";
  const { commentId, isPending } = await forge.change(doer, (work) =>
    commentOnLine(work, access, number, { placed, isDraft }),
  );
  const said = isPending && !isDraft ? "You have begun a review, so the comment is a part of it." : null;
  return back(asked, commentId, said);
}

export async function reply(asked: Asked, id: number): Promise<Redirect> {
  const { forge, visit, doer, access, number } = asked;
  const isDraft = visit.form.text("how") === "draft";
  const body = visit.form.lines("body");
  const { comment } = await forge.change(doer, (work) => replyToComment(work, access, number, id, body, { isDraft }));
  return back(asked, comment.id);
}

/** Writes another text of a comment, or deletes it. */
export async function edit(asked: Asked, id: number): Promise<Redirect> {
  const { forge, visit, doer, access, number } = asked;
  const { form } = visit;
  if (form.text("delete") !== "") {
    const found = await findLineComment(forge.database.db, access.repository.id, id, doer.actor.id);
    if (found?.comment.reviewId == null) {
      throw new NotFound("comment", String(id));
    }
    const { reviewId } = found.comment;
    await forge.change(doer, (work) => deleteLineComment(work, access, number, reviewId, id));
    return back(asked, null, "The comment is deleted.");
  }
  const contentVersion = /^\d{1,15}$/.test(form.text("version")) ? Number(form.text("version")) : -1;
  const text = { body: form.lines("body"), contentVersion };
  await forge.change(doer, (work) => editLineComment(work, access, number, id, text));
  return back(asked, id);
}

/** Ends the review, or throws it away. Returns null where the visitor has to say first that they mean that. */
export async function finish(asked: Asked): Promise<Redirect | null> {
  const { forge, visit, doer, access, number } = asked;
  const { form } = visit;
  const pulled = await getPulled(asked);
  if (form.text("discard") !== "") {
    const begun = await findPendingReview(forge.database.db, pulled.issue.id, doer.actor.id);
    if (begun !== null && form.text("discard") !== "sure") {
      return null;
    }
    if (begun !== null) {
      await forge.change(doer, (work) => deleteReview(work, access, number, begun.id));
    }
    return back(asked, null, "The drafts of your review are gone.");
  }
  const verdict = verdicts.find((one) => one === form.text("verdict"));
  if (verdict === undefined) {
    throw new InvalidInput("Choose whether you comment, approve or request changes", "verdict");
  }
  const commit = form.text("head") === "" ? null : form.text("head");
  const placed = await placeComments(forge, access.repository, pulled, { commit, comments: [] });
  const body = form.lines("body");
  await forge.change(doer, (work) => createReview(work, access, number, { verdict, body, placed }));
  return new Redirect(issueLink(visit.root, access, { isPull: true, number }), "The review is sent.");
}

function readSuggestion(text: string): ChosenSuggestion {
  const [, id = "", version, index] = /^(\d{1,15})\.(\d{1,15})\.(\d{1,4})$/.exec(text) ?? [];
  const commentId = readRowId(id);
  if (commentId === null) {
    throw new InvalidInput("A suggestion is named by its comment", "suggestion");
  }
  return { commentId, contentVersion: Number(version), index: Number(index) };
}

async function apply(asked: Asked, chosen: readonly string[]): Promise<Redirect> {
  const { forge, visit, doer, access, number } = asked;
  const what = { chosen: chosen.map(readSuggestion), title: visit.form.text("title") };
  const { commit } = await applySuggestions(forge, doer, access, number, what);
  const count = what.chosen.length === 1 ? "The suggestion is" : `${what.chosen.length} suggestions are`;
  return back(asked, null, `${count} applied in commit ${commit.slice(0, 10)}.`);
}

/** What a button of a conversation does: it is resolved, or open again, or its suggestion is applied. */
export async function small(asked: Asked): Promise<Redirect> {
  const { forge, visit, doer, access } = asked;
  const { form } = visit;
  for (const [name, isResolved] of [["resolve", true] as const, ["unresolve", false] as const]) {
    if (form.has(name)) {
      const id = readRowId(form.text(name)) ?? 0;
      await forge.change(doer, (work) => resolveComment(work, access, id, isResolved));
      return back(asked, id);
    }
  }
  return apply(asked, form.has("apply") ? [form.text("apply")] : form.all("suggestion"));
}

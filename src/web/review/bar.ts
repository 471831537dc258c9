import type { RepositoryAccess } from "../../auth/subject.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { issueLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { note } from "../parts/note.ts";
import { counted } from "../parts/size.ts";
import { commitTitle } from "../repos/commit-title.ts";
import type { Visit } from "../visit.ts";
import type { ReviewRights } from "./rights.ts";
import type { Seen } from "./seen.ts";

/** How many of the files the visitor has looked at. `viewed` null: nobody is signed in. */
export function viewedProgress(total: number, viewed: number | null): Html {
  const files = counted(total, "file");
  return viewed === null
    ? html`<b class="num">${files}</b>`
    : html`<progress class="viewed-bar" value="${viewed}" max="${Math.max(total, 1)}" aria-hidden="true"></progress><span class="num small" role="status" id="viewed-count"><b>${viewed}</b> of ${total} viewed</span>`;
}

function titleOf({ oid, message }: CommitRecord): Html {
  return html`<span class="cut" dir="auto">${commitTitle(message)}</span><code class="faint">${oid.slice(0, 8)}</code>`;
}

/** The menu of the commits of a pull request: each alone, or some in a row. `hasReviewed`: the visitor has, an earlier head. */
export function commitMenu(
  visit: Visit,
  access: RepositoryAccess,
  issue: IssueRow,
  { seen, commits, hasReviewed }: { seen: Seen; commits: readonly CommitRecord[]; hasReviewed: boolean },
): Html {
  const link = issueLink(visit.root, access, issue);
  const address = `${link}/files`;
  const current = (name: string) => (seen.name === name ? html` aria-current="true"` : null);
  const one = commits.find(({ oid }) => oid === seen.name);
  const label = seen.name === "" ? "All commits" : one === undefined ? "Some commits" : commitTitle(one.message);
  const links = commits.map(
    (commit) => html`<a href="${address}/${commit.oid}" rel="nofollow"${current(commit.oid)}>${titleOf(commit)}</a>`,
  );
  const since = hasReviewed && html`<a href="${address}/since-review" rel="nofollow">Since your last review</a>`;
  const options = (chosen: number) =>
    commits.map(
      ({ oid, message }, at) =>
        html`<option value="${oid}"${at === chosen && html` selected`}>${oid.slice(0, 8)} ${commitTitle(message).slice(0, 60)}</option>`,
    );
  const range =
    commits.length > 2 &&
    html`<hr><form class="stack s pad" action="${address}"><label class="field">From<select name="from">${options(0)}</select></label><label class="field">To<select name="to">${options(commits.length - 1)}</select></label><button class="button s">Show these commits</button></form>`;
  return html`<button type="button" class="button s commits-button" popovertarget="commit-menu">${icon(visit, "git-commit-horizontal")}<span class="cut">${label}</span>${icon(visit, "chevron-down")}</button><div class="menu start wide" id="commit-menu" popover><a href="${address}"${current("")}>All commits</a>${since}${links}${range}<hr><a href="${link}.diff">As a diff</a><a href="${link}.patch">As patches</a></div>`;
}

/** What the visitor typed into the form that ends a review. */
export interface TypedReview {
  readonly text: string;
  readonly verdict: string;
  readonly refused: Refusal | null;
  /** Whether they are asked if they mean to throw the drafts away. */
  readonly asksToDiscard: boolean;
}

/** The form that ends a review. `drafts`: the comments that come with it; null: none was begun. */
export function finishForm(
  visit: Visit,
  {
    issue,
    action,
    head,
    drafts,
    rights,
    typed,
  }: {
    issue: IssueRow;
    action: string;
    head: string;
    drafts: { count: number; body: string } | null;
    rights: ReviewRights;
    typed: TypedReview | null;
  },
): Html | null {
  if (!rights.comments) {
    return null;
  }
  const decides = issue.closedAt === null && issue.authorId !== rights.userId;
  const chosen = typed?.verdict ?? "comment";
  const choice = (value: string, words: string, about: string, isOffered: boolean) =>
    html`<label class="choice"><input type="radio" name="verdict" value="${value}"${value === chosen && html` checked`}${!isOffered && html` disabled`}> ${words}<small>${about}</small></label>`;
  const count = drafts?.count ?? 0;
  const send = count === 0 ? "Send the review" : `Send with ${counted(count, "draft")}`;
  const problem = typed?.refused?.field === "body";
  const discard =
    drafts === null
      ? null
      : typed?.asksToDiscard === true
        ? html`${note(visit, "warn", "Your drafts are not sent to anybody, and cannot be brought back.")}<button class="button s danger" name="discard" value="sure">Discard them</button>`
        : html`<button class="button s bare" name="discard" value="1">Discard</button>`;
  return html`<details class="review"${typed !== null && html` open`}><summary data-key="a"><span class="button s main">Finish review${count > 0 && html`<span class="count">${count}</span>`}</span></summary><form class="panel stack s" method="post" action="${action}">${visit.formField()}<input type="hidden" name="act" value="finish"><input type="hidden" name="head" value="${head}">
${note(visit, "bad", typed?.refused == null ? null : `${typed.refused.message}.`)}<label class="field">Your review<textarea name="body" rows="4" dir="auto" placeholder="What you think of it as a whole"${problem && html` aria-invalid="true"`}>
${typed?.text ?? drafts?.body ?? ""}</textarea></label>
<fieldset class="stack s"><legend class="sr">Verdict</legend>${choice("comment", "Comment", "Without a verdict", true)}${choice("approve", "Approve", "It may be merged", decides)}${choice("request-changes", "Request changes", "It may not be merged before you agree", decides)}</fieldset>
<div class="line flow end">${discard}<button class="button s main">${send}</button></div></form></details>`;
}

/** The form of the suggestions that were put together. The style sheet shows it as soon as one is. */
export function batchForm(visit: Visit, action: string): Html {
  return html`<details class="review batch"><summary><span class="button s">Apply the batch</span></summary><form class="panel stack s" id="batch" method="post" action="${action}">${visit.formField()}<label class="field">Summary of the commit<input name="title" maxlength="500" dir="auto" placeholder="Apply suggestions from the review"></label><p class="soft small">All suggestions that are in the batch come in one commit. Those who made them are its co-authors.</p><div class="line end"><button class="button s main">Commit them</button></div></form></details>`;
}

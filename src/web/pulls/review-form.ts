import type { RepositoryAccess } from "../../auth/subject.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { html, type Html } from "../html.ts";
import { issueLink } from "../links.ts";
import { offers } from "../offers.ts";
import { movesPulls } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import type { Visit } from "../visit.ts";

/** The form that gives a review as a whole. `head`: the commit that the reviewer sees. */
export function reviewForm(visit: Visit, access: RepositoryAccess, issue: IssueRow, head: string): Html | null {
  const { actor } = visit;
  if (actor === null || issue.closedAt !== null || !offers(visit, movesPulls)) {
    return null;
  }
  const isOwn = issue.authorId === actor.id;
  const choice = (value: string, words: string) =>
    html`<label class="choice"><input type="radio" name="verdict" value="${value}"${value === "comment" && html` checked`}${isOwn && value !== "comment" && html` disabled`}> ${words}</label>`;
  return html`<details class="review"><summary><span class="button main">${icon(visit, "eye")}Review</span></summary><form class="panel stack s" method="post" action="${issueLink(visit.root, access, issue)}/review">${visit.formField()}<input type="hidden" name="head" value="${head}">
    <label class="field"><span>Text</span><textarea name="body" dir="auto" rows="4"></textarea></label><fieldset class="stack s"><legend class="sr">Verdict</legend>${choice("comment", "Comment")}${choice("approve", "Approve")}${choice("request-changes", "Ask for changes")}</fieldset><div><button class="button main">Send the review</button></div></form></details>`;
}

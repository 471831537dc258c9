import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { html, type Html } from "../html.ts";
import { issueFormsLink, issueLink, issuesLink } from "../links.ts";
import { offers } from "../offers.ts";
import { opensIssues } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import type { Visit } from "../visit.ts";

/** What can be done with a text besides changing it. `commentId` null: with that of the issue itself. */
export function commentMenu(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  issue: IssueRow,
  { commentId, mayAnswer }: { commentId: number | null; mayAnswer: boolean },
): Html {
  const id = `menu-${commentId ?? "issue"}`;
  const query = commentId === null ? "" : `?comment=${commentId}`;
  const source = `${issueFormsLink(visit.root, access, issue)}/source${query}`;
  const place = commentId === null ? "issue" : `issuecomment-${commentId}`;
  const permalink = `${forge.addresses.discussion(access.owner.name, access.repository.name, issue)}#${place}`;
  const quote = `${issueLink(visit.root, access, issue)}?quote=${commentId ?? "issue"}#answer`;
  const from = new URLSearchParams({
    from: String(issue.number),
    ...(commentId === null ? {} : { comment: String(commentId) }),
  }).toString();
  return html`<button type="button" class="button bare s icon" popovertarget="${id}" aria-label="More about this text">${icon(visit, "ellipsis")}</button><div class="menu" id="${id}" popover>${mayAnswer && html`<a href="${quote}" data-quote="${source}">${icon(visit, "quote")}Quote in an answer</a>`}<copy-button data-text="${permalink}"><button type="button" class="link">${icon(visit, "link")}Copy the link</button></copy-button><copy-button data-file="${source}"><button type="button" class="link">${icon(visit, "copy")}Copy as Markdown</button></copy-button>${offers(visit, opensIssues) && html`<a href="${issuesLink(visit.root, access, { isPull: false })}/new?${from}">${icon(visit, "circle-dot")}Refer to it in a new issue</a>`}</div>`;
}

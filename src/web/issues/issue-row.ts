import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { FoundIssue } from "../../domain/work/issues/queries.ts";
import { isDraftTitle } from "../../domain/work/pulls/draft.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { issueLink } from "../links.ts";
import { avatar } from "../parts/avatar.ts";
import { icon } from "../parts/icon.ts";
import type { ShownState } from "../parts/issue-state.ts";
import { stateIcon } from "../parts/issue-state.ts";
import { labelTag } from "../parts/label.ts";
import { wholeNumber } from "../parts/size.ts";
import { ago, dayOf } from "../parts/time.ts";
import { issueSearchLink } from "./search-link.ts";

export function stateOf(
  { config }: Pick<Forge, "config">,
  { issue, pull }: Pick<FoundIssue, "issue" | "pull">,
): ShownState {
  return {
    isPull: issue.isPull,
    isClosed: issue.closedAt !== null,
    isMerged: pull?.mergedAt != null,
    isDraft: issue.isPull && isDraftTitle(issue.title, config.pulls.draft_prefixes),
  };
}

/** The name of an author, also of one who is gone or wrote on another server. */
export function authorName({ originalAuthor }: { originalAuthor: string }, author: { name: string } | null): string {
  return originalAuthor || (author?.name ?? "Ghost");
}

/** An issue or a pull request as a row of a list of its repository. */
export function issueRow(
  forge: Pick<Forge, "config">,
  reader: Reader,
  access: RepositoryAccess,
  found: FoundIssue,
): Html {
  const { issue, labels, assignees, milestone } = found;
  const labelled = (name: string) => issueSearchLink(reader.root, access, issue, { labels: [name] });
  return html`<li data-item="${issue.number}">${stateIcon(reader, stateOf(forge, found))}<div class="grow"><div class="line flow"><a class="plain" href="${issueLink(reader.root, access, issue)}"><b dir="auto">${issue.title}</b></a>${labels.map((label) => labelTag(label, labelled(label.name)))}</div>
    <div class="meta"><span>#${issue.number} by ${authorName(issue, found.author)}, ${ago(reader, issue.createdAt)}</span>${milestone !== null && html`<span>${icon(reader, "milestone")}${milestone.title}</span>`}${issue.dueAt !== null && html`<span>${icon(reader, "calendar")}due ${dayOf(reader, issue.dueAt)}</span>`}</div></div>
    <span class="line not-narrow">${assignees.slice(0, 5).map((user) => html`<span title="${user.name}">${avatar(reader, user)}<span class="sr">assigned to ${user.name}</span></span>`)}</span>
    <span class="comments num soft">${issue.comments > 0 && html`${icon(reader, "message-square")}${wholeNumber(issue.comments)}<span class="sr"> comments</span>`}</span></li>`;
}

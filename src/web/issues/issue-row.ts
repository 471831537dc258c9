import type { Forge } from "../../domain/spine/forge.ts";
import type { FoundIssue } from "../../domain/work/issues/queries.ts";
import { isDraftTitle } from "../../domain/work/pulls/draft.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { issueLink, repositoryLink } from "../links.ts";
import { avatar } from "../parts/avatar.ts";
import { icon } from "../parts/icon.ts";
import type { ShownState } from "../parts/issue-state.ts";
import { stateIcon } from "../parts/issue-state.ts";
import { labelTag } from "../parts/label.ts";
import { wholeNumber } from "../parts/size.ts";
import { ago, dayOf } from "../parts/time.ts";

/** The repository of an issue, by its names. */
interface Home {
  readonly owner: { readonly name: string };
  readonly repository: { readonly name: string };
}

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

/** What a list adds to the row of an issue. */
interface InList {
  /** The address of the list with the issues that have a label. */
  readonly labelled: (name: string) => string;
  /** Whether the list has issues of other repositories, too. */
  readonly isOfMany: boolean;
  /** The box that marks it for a change of several. */
  readonly mark: Html | null;
  /** What a pull request has beside its issue. */
  readonly facts: Html | null;
}

/** Task lists are looked for in so much of a text. */
const taskCharacters = 20_000;

/** How many boxes of the text's task list are ticked. */
function tasks(reader: Reader, body: string): Html | null {
  const boxes = body.slice(0, taskCharacters).match(/^[ \t]{0,12}[-*+] \[[ xX]\] /gm) ?? [];
  const done = boxes.filter((box) => !box.includes("[ ]")).length;
  return boxes.length === 0 ? null : html`<span>${icon(reader, "circle-check")}${done} of ${boxes.length}</span>`;
}

/** An issue or a pull request as a row of a list. */
export function issueRow(
  forge: Pick<Forge, "config">,
  reader: Reader,
  home: Home,
  found: FoundIssue,
  { labelled, isOfMany, mark, facts }: InList,
): Html {
  const { issue, labels, assignees, milestone } = found;
  const isLate = issue.dueAt !== null && issue.closedAt === null && issue.dueAt.getTime() < reader.now;
  const name = isOfMany
    ? html`<a class="plain" href="${repositoryLink(reader.root, home)}">${home.owner.name}/${home.repository.name}</a> #${issue.number}`
    : `#${issue.number}`;
  return html`<li data-item="${issue.number}">${mark}${stateIcon(reader, stateOf(forge, found))}<div class="grow"><div class="line flow"><a class="plain" href="${issueLink(reader.root, home, issue)}"><b dir="auto">${issue.title}</b></a>${labels.map((label) => labelTag(label, labelled(label.name)))}</div>
    <div class="meta"><span><span>${name} by ${authorName(issue, found.author)}, ${ago(reader, issue.createdAt)}</span></span>${milestone !== null && html`<span dir="auto">${icon(reader, "milestone")}${milestone.title}</span>`}${issue.ref !== "" && html`<span>${icon(reader, "git-branch")}<bdi>${issue.ref.replace(/^refs\/(heads|tags)\//, "")}</bdi></span>`}${issue.dueAt !== null && html`<span><span class="line${isLate ? " red" : ""}">${icon(reader, "calendar")}${isLate ? "was due" : "due"} ${dayOf(reader, issue.dueAt)}</span></span>`}${tasks(reader, issue.body)}${facts}</div></div>
    <span class="line not-narrow">${assignees.slice(0, 5).map((user) => html`<span title="${user.name}">${avatar(reader, user)}<span class="sr">assigned to ${user.name}</span></span>`)}</span>
    <span class="comments num soft">${issue.comments > 0 && html`${icon(reader, "message-square")}${wholeNumber(issue.comments)}<span class="sr"> comments</span>`}</span></li>`;
}

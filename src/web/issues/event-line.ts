import type { RepositoryAccess } from "../../auth/subject.ts";
import type { FoundEntry } from "../../domain/work/comments/timeline-queries.ts";
import { durationInWords } from "../../lib/duration.ts";
import { clip } from "../../lib/show-value.ts";
import type { IconName } from "../assets/icons.ts";
import { html, type Html, type HtmlValue } from "../html.ts";
import { commitLink, issueLink } from "../links.ts";
import type { FoundReview } from "../../domain/work/reviews/queries.ts";
import { reviewWords } from "../pulls/reviewers.ts";
import { icon } from "../parts/icon.ts";
import { labelTag } from "../parts/label.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import { userName } from "../parts/person.ts";

interface Line {
  readonly icon: IconName;
  readonly said: HtmlValue;
}

const dayOf = (instant: string | null): string => instant?.slice(0, 10) ?? "";
const hexOf = (oid: Uint8Array | null): string => (oid === null ? "" : Buffer.from(oid).toString("hex"));
const ref = (name: string | null): Html => html`<code>${name ?? ""}</code>`;

function other(visit: Visit, { otherIssue }: FoundEntry): Html {
  if (otherIssue === null) {
    return html`something that is gone`;
  }
  const { issue, home } = otherIssue;
  return html`<a href="${issueLink(visit.root, home, issue)}"><span dir="auto">${issue.title}</span> #${issue.number}</a>`;
}

function commit(visit: Visit, { comment, commitHome }: FoundEntry): Html {
  const oid = hexOf(comment.commitOid);
  // The text of the entry is the title of the commit.
  const words = html`<code>${oid.slice(0, 10)}</code> <span dir="auto">${clip(comment.body, 200)}</span>`;
  return commitHome === null ? words : html`<a href="${commitLink(visit.root, commitHome, oid)}">${words}</a>`;
}

const asks = (refAction: string | null): string =>
  refAction === "closes" ? " that closes this" : refAction === "reopens" ? " that reopens this" : "";

/** What is known of a push: whether it gave up commits, and how many it brought. */
function describedPush(body: string): { isForced: boolean; commits: number } {
  try {
    const { is_force_push: isForced, commit_ids: ids } = JSON.parse(body) as Record<string, unknown>;
    return { isForced: isForced === true, commits: Array.isArray(ids) ? ids.length : 0 };
  } catch {
    return { isForced: false, commits: 0 };
  }
}

function pushed(visit: Visit, access: RepositoryAccess, { comment }: FoundEntry, address: string): Line {
  const { oldText, newText, body } = comment;
  const head = newText ?? "";
  const { isForced, commits } = describedPush(body);
  const what = commits === 0 ? null : commits === 1 ? "1 commit, now at " : `${commits} commits, now at `;
  const link = html`<a href="${commitLink(visit.root, access, head)}"><code>${head.slice(0, 10)}</code></a>`;
  const since =
    oldText === null ? null : html` · <a href="${address}/files/${oldText}..${head}" rel="nofollow">changes since</a>`;
  return {
    icon: "git-commit-horizontal",
    said: isForced
      ? html`force-pushed ${link}${oldText !== null && html` over <code>${oldText.slice(0, 10)}</code>`}${since}`
      : html`pushed ${what}${link}${since}`,
  };
}

/** What an entry of a timeline says; null: it has a text of its own, or nothing to say. */
function lineOf(visit: Visit, access: RepositoryAccess, entry: FoundEntry, address: string): Line | null {
  const { comment, assignee, team, label, milestone, oldMilestone } = entry;
  const { kind, added, oldText, newText, refAction, seconds } = comment;
  const whom = assignee?.name ?? team?.team.name ?? "somebody";
  switch (kind) {
    case "close":
      return { icon: "circle-check", said: "closed this" };
    case "reopen":
      return { icon: "circle-dot", said: "reopened this" };
    case "issue_ref":
    case "comment_ref":
      return { icon: "link", said: html`mentioned this in ${other(visit, entry)}` };
    case "pull_ref":
      return { icon: "git-pull-request", said: html`opened ${other(visit, entry)}${asks(refAction)}` };
    case "commit_ref":
      return { icon: "git-commit-horizontal", said: html`pushed ${commit(visit, entry)}${asks(refAction)}` };
    case "label":
      return {
        icon: "tag",
        said: html`${added === true ? "added" : "removed"} ${label === null ? "a label that is gone" : labelTag(label)}`,
      };
    case "milestone":
      return milestone === null
        ? {
            icon: "milestone",
            said: html`removed this from the milestone <b>${oldMilestone?.title ?? "that is gone"}</b>`,
          }
        : { icon: "milestone", said: html`added this to the milestone <b>${milestone.title}</b>` };
    case "assignees": {
      const self = comment.authorId !== null && comment.authorId === comment.assigneeId;
      return {
        icon: "circle-user",
        said: html`${added === false ? "removed the assignment of" : "assigned"} ${self ? "themself" : html`<b>${whom}</b>`}`,
      };
    }
    case "change_title":
      return {
        icon: "pencil",
        said: html`changed the title from <del dir="auto">${oldText}</del> to <b dir="auto">${newText}</b>`,
      };
    case "change_issue_ref":
      return newText === "" || newText === null
        ? { icon: "git-branch", said: html`removed the branch ${ref(oldText)}` }
        : { icon: "git-branch", said: html`set the branch to ${ref(newText)}` };
    case "change_target_branch":
      return { icon: "git-branch", said: html`changed the base from ${ref(oldText)} to ${ref(newText)}` };
    case "delete_branch":
      return { icon: "git-branch", said: html`deleted the branch ${ref(oldText)}` };
    case "added_deadline":
      return { icon: "calendar", said: `set the due date to ${dayOf(newText)}` };
    case "modified_deadline":
      return { icon: "calendar", said: `changed the due date from ${dayOf(oldText)} to ${dayOf(newText)}` };
    case "removed_deadline":
      return { icon: "calendar", said: `removed the due date ${dayOf(oldText)}` };
    case "add_dependency":
      return { icon: "link", said: html`added a dependency between this and ${other(visit, entry)}` };
    case "remove_dependency":
      return { icon: "link", said: html`removed the dependency between this and ${other(visit, entry)}` };
    case "start_tracking":
      return { icon: "clock", said: "started the stopwatch" };
    case "cancel_tracking":
      return { icon: "clock", said: "threw the running stopwatch away" };
    case "stop_tracking":
    case "add_time_manual":
      return { icon: "clock", said: `worked ${durationInWords(seconds ?? 0)}` };
    case "delete_time_manual":
      return { icon: "clock", said: `deleted ${durationInWords(seconds ?? 0)} of work` };
    case "lock":
      return {
        icon: "lock",
        said: html`locked the conversation${comment.body !== "" && html`: <span dir="auto">${comment.body}</span>`}`,
      };
    case "unlock":
      return { icon: "lock", said: "unlocked the conversation" };
    case "pin":
      return { icon: "pin", said: "pinned this" };
    case "unpin":
      return { icon: "pin", said: "unpinned this" };
    case "review_request":
      return {
        icon: "eye",
        said: html`${added === true ? "asked for a review by" : "withdrew the request for a review by"} <b>${whom}</b>`,
      };
    case "dismiss_review":
      return {
        icon: "eye",
        said: html`dismissed a review${comment.body !== "" && html`: <span dir="auto">${clip(comment.body, 500)}</span>`}`,
      };
    case "merge_pull":
      return { icon: "git-merge", said: "merged this" };
    case "pull_push":
      return pushed(visit, access, entry, address);
    case "pull_scheduled_merge":
      return { icon: "clock", said: "scheduled the merge for when all checks succeed" };
    case "pull_cancel_scheduled_merge":
      return { icon: "clock", said: "took the scheduled merge back" };
    case "comment":
    case "code":
    case "review":
      return null;
  }
}

/** An entry of a timeline that is a line: who did what, and when. `address`: of the page of the discussion. */
export function eventLine(
  visit: Visit,
  access: RepositoryAccess,
  entry: FoundEntry,
  reviews: readonly FoundReview[],
  address: string,
): Html | null {
  const review = reviews.find((one) => one.review.id === entry.comment.reviewId)?.review;
  const isReview = entry.comment.kind === "review" && review !== undefined;
  const line: Line | null = isReview
    ? { icon: "eye", said: reviewWords(review) }
    : lineOf(visit, access, entry, address);
  if (line === null) {
    return null;
  }
  const { author, comment } = entry;
  const name = author?.name ?? (comment.originalAuthor || "Ghost");
  const who = author === null ? html`<b>${name}</b>` : userName(visit, author);
  return html`<li class="event" id="issuecomment-${comment.id}"><span class="sign">${icon(visit, line.icon)}</span><div>${who} ${line.said} · <a class="plain" href="#issuecomment-${comment.id}">${ago(visit, comment.createdAt)}</a></div></li>`;
}

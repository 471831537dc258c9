import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Doer } from "../../domain/spine/doer.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { findMoved } from "../../domain/work/transfers/transfer-queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { markSeen } from "../inbox/mark-seen.ts";
import type { CountedReaction } from "../../domain/work/comments/reaction-queries.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { issueFormsLink, issueLink, issuesLink } from "../links.ts";
import { offers } from "../offers.ts";
import { opensIssues } from "../pages.ts";
import { problemAbove } from "../parts/field.ts";
import { editor } from "../parts/editor.ts";
import { statePill } from "../parts/issue-state.ts";
import { note } from "../parts/note.ts";
import { pager } from "../parts/pager.ts";
import { counted, wholeNumber } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { quoted } from "../writing/marks.ts";
import { Redirect, type Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { commentMenu } from "./comment-menu.ts";
import { commentPanel, filesBeside } from "./comment.ts";
import { eventLine } from "./event-line.ts";
import { authorName, stateOf } from "./issue-row.ts";
import { loadDiscussion, type Discussion, type LoadedEntry } from "./load.ts";
import { reactionBar } from "./reactions.ts";
import { loadMerge } from "../pulls/load-pull.ts";
import { mergeBox } from "../pulls/merge-box.ts";
import { pullTabs } from "../pulls/pull-head.ts";
import { timelineActs, timelineThread } from "../review/conversation.ts";
import { codeOf } from "./code-of.ts";
import { historyLink } from "./history.ts";
import { findSource } from "./source.ts";
import { sideColumn } from "./side.ts";
import { withTasks } from "./tasks.ts";

/** What a form said that is shown again: the text of a comment, why it was refused, or how it looks. */
export interface TypedComment {
  readonly text: string;
  readonly refused: Refusal | null;
  readonly preview: Html | null;
}

const nothingTyped: TypedComment = { text: "", refused: null, preview: null };

/** Reads the number of an issue in an address. Numbers that are none lead to an issue that is not there. */
export function readNumber(visit: Visit): number {
  const text = visit.params["index"] ?? "";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
}

/** A word on what somebody is here, beside their name. */
function roleOf(access: RepositoryAccess, discussion: Discussion, authorId: number | null): string | null {
  if (authorId === null) {
    return null;
  }
  return authorId === access.owner.id ? "Owner" : authorId === discussion.found.issue.authorId ? "Author" : null;
}

/** The timeline: the text of the issue, then what happened to it. */
function timeline(forge: Forge, visit: Visit, access: RepositoryAccess, discussion: Discussion): Html {
  const { found, text, entries, hidden, page, reactions, rights, threads } = discussion;
  const { issue, author } = found;
  const address = issueFormsLink(visit.root, access, issue);
  const pixels = forge.config.attachments.image_limit_pixels;
  const me = visit.actor?.id ?? null;
  const bar = (commentId: number | null) =>
    reactionBar(visit, address, commentId, {
      given: reactions.filter((one: CountedReaction) => one.commentId === commentId),
      offered: forge.config.issues.reactions,
      mayReact: rights.comments,
    });
  const mayEdit = (authorId: number | null) => rights.writes || (me !== null && me === authorId && rights.comments);
  const opening = commentPanel(visit, pixels, {
    place: "issue",
    author: issue.originalAuthor === "" ? author : null,
    authorName: authorName(issue, author),
    role: roleOf(access, discussion, issue.authorId),
    createdAt: issue.createdAt,
    text: mayEdit(issue.authorId)
      ? withTasks(visit, address, { text: issue.body, markup: text, version: issue.contentVersion, commentId: null })
      : text,
    history: issue.contentVersion > 0 ? historyLink(address, null) : null,
    about: null,
    files: filesBeside(found.assets, issue.body),
    reactions: bar(null),
    menu: commentMenu(forge, visit, access, issue, { commentId: null, mayAnswer: rights.comments }),
    editHref: mayEdit(issue.authorId) ? `${address}/edit` : null,
  });
  const reviews = discussion.pull?.reviews ?? [];
  const shown = ({ entry, text: own, files, place }: LoadedEntry): Html | null => {
    const { comment } = entry;
    if (threads?.replies.has(comment.id) === true) {
      return null;
    }
    const thread = threads === null ? null : timelineThread(threads, access, comment.id);
    if (thread !== null) {
      return thread;
    }
    const line =
      comment.kind === "review" || own === null
        ? eventLine(visit, access, entry, reviews, issueLink(visit.root, access, issue))
        : null;
    return own === null
      ? line
      : html`${line}${commentPanel(visit, pixels, {
          place: `issuecomment-${comment.id}`,
          author: comment.originalAuthor === "" ? entry.author : null,
          authorName: authorName(comment, entry.author),
          role: roleOf(access, discussion, comment.authorId),
          createdAt: comment.createdAt,
          history: comment.contentVersion > 0 && comment.kind === "comment" ? historyLink(address, comment.id) : null,
          text:
            comment.kind === "comment" && mayEdit(comment.authorId)
              ? withTasks(visit, address, {
                  text: comment.body,
                  markup: own,
                  version: comment.contentVersion,
                  commentId: comment.id,
                })
              : own,
          about: place === null ? null : codeOf(visit, access, place),
          files: filesBeside(files, comment.body),
          reactions: comment.kind === "comment" ? bar(comment.id) : null,
          menu:
            comment.kind === "comment"
              ? commentMenu(forge, visit, access, issue, { commentId: comment.id, mayAnswer: rights.comments })
              : null,
          editHref:
            comment.kind === "comment" && mayEdit(comment.authorId) ? `${address}/comments/${comment.id}` : null,
        })}`;
  };
  const items = entries.map(shown);
  const between =
    hidden === null || hidden.count === 0
      ? null
      : html`<li class="event"><span class="sign"></span><div><a class="button" href="${issueLink(visit.root, access, issue)}?page=1">Show ${wholeNumber(hidden.count)} more</a></div></li>`;
  return html`<ol class="timeline" id="timeline" data-live data-noun="comment" data-beside="answer" aria-live="polite" aria-relevant="additions">${page !== null && page.number > 1 ? null : opening}${hidden === null ? items : html`${items.slice(0, hidden.after)}${between}${items.slice(hidden.after)}`}</ol>`;
}

function answerForm(visit: Visit, access: RepositoryAccess, discussion: Discussion, typed: TypedComment): Html {
  const { found, rights } = discussion;
  const { issue } = found;
  const address = `${issueFormsLink(visit.root, access, issue)}/comments`;
  if (visit.actor === null) {
    return html`<p class="soft"><a href="${visit.root}/user/login?${new URLSearchParams({ redirect_to: visit.here }).toString()}">Sign in</a> to take part.</p>`;
  }
  if (!rights.comments) {
    return html`<p class="soft">${issue.lockedAt === null ? "You cannot comment here." : "The conversation is locked: only those who may write to it can comment."}</p>`;
  }
  const mayClose = rights.writes || issue.authorId === visit.actor.id;
  const isMerged = found.pull?.mergedAt != null;
  const close = issue.closedAt === null ? "Close" : "Reopen";
  const problem = typed.refused?.field === "body" ? typed.refused.message : null;
  const files = { problem: typed.refused?.field === "files" ? typed.refused.message : null };
  return html`<form class="answer" id="answer" method="post" action="${address}" enctype="multipart/form-data">${visit.formField()}${editor(visit, { name: "body", label: "Comment", text: typed.text, problem, files }, typed.preview)}
    <div class="line flow end" id="answer-acts" data-live>${mayClose && !isMerged && html`<button class="button" name="state" value="${issue.closedAt === null ? "closed" : "open"}">${close}<span class="sr"> this, and send the comment if there is one</span></button>`}<button class="button main">Comment</button></div></form>`;
}

/** Who opened it, and what a pull request wants. */
function opened(visit: Visit, { found, pull }: Discussion): Html {
  const { comments, createdAt } = found.issue;
  const who = html`<b class="text">${authorName(found.issue, found.author)}</b>`;
  const when = ago(visit, createdAt);
  if (pull === null) {
    return html`<span class="soft">${who} opened this ${when} · ${counted(comments, "comment")}</span>`;
  }
  const { commitCount, baseBranch, headBranch, mergedAt } = pull.pull;
  const commits = counted(commitCount, "commit");
  return html`<span class="soft">${who} ${mergedAt === null ? "wants to merge" : "merged"} ${commits} into <span class="ref">${baseBranch}</span> from <span class="ref">${headBranch}</span>, opened ${when}</span>`;
}

/** The page of an issue or a pull request. */
export async function discussionPage(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  row: IssueRow,
  typed: TypedComment = nothingTyped,
): Promise<Page> {
  const discussion = await loadDiscussion(forge, visit, access, row);
  const { found, pull } = discussion;
  const { issue } = found;
  const address = issueLink(visit.root, access, issue);
  const merge = pull === null ? null : await loadMerge(forge, visit, access, pull.pull);
  const box = pull === null || merge === null ? null : mergeBox(forge, visit, access, issue, { loaded: pull, merge });
  const mayRetitle =
    discussion.rights.writes ||
    (visit.actor !== null && visit.actor.id === issue.authorId && discussion.rights.comments);
  return {
    status: typed.refused?.status ?? 200,
    title: `${issue.title} · #${issue.number} · ${access.owner.name}/${access.repository.name}`,
    place: { tab: issue.isPull ? "pulls" : "issues" },
    head: { about: issue.body },
    sees: `issue:${issue.number}`,
    body: html`${note(visit, "bad", problemAbove(typed.refused, ["body", "files", "branch"]))}<header class="title" id="title" data-live><div class="split start"><h1><span dir="auto">${issue.title}</span> <span class="count">#${issue.number}</span></h1><span class="line not-narrow">${mayRetitle && html`<a class="button s" href="${issueFormsLink(visit.root, access, issue)}/edit">Edit</a>`}${!issue.isPull && offers(visit, opensIssues) && html`<a class="button s main" href="${issuesLink(visit.root, access, { isPull: false })}/new/choose">New issue</a>`}</span></div>
      <div class="line flow">${statePill(visit, stateOf(forge, found))}${opened(visit, discussion)}</div></header>
      ${pull !== null && pullTabs(visit, access, issue, pull, "conversation")}
      <div class="columns"><div class="stack l">${discussion.page !== null && pager(visit, address, visit.query, discussion.page, discussion.total)}${discussion.threads !== null && timelineActs(discussion.threads)}${timeline(forge, visit, access, discussion)}${pull !== null && html`<div id="merge" data-live data-offer data-key="${pull.pull.headOid}" data-said="New commits">${box}</div>`}${answerForm(visit, access, discussion, typed)}</div>${sideColumn(forge, visit, access, discussion, typed.refused?.field === "branch" ? typed.refused.message : null)}</div>`,
  };
}

/** The page of an issue at its address. One that is a pull request is at another. */
export async function issuePage(
  forge: Forge,
  visit: Visit,
  doer: Doer,
  access: RepositoryAccess,
  isPull: boolean,
): Promise<Page | Redirect> {
  const number = readNumber(visit);
  const row = await getIssueRow(forge, access, number).catch((error: unknown) => {
    if (error instanceof NotFound) {
      return null;
    }
    throw error;
  });
  if (row === null) {
    const moved = await findMoved(forge.database.db, visit, access.repository.id, number);
    if (moved === null) {
      throw new NotFound("issue", String(number));
    }
    return new Redirect(issueLink(visit.root, moved, moved.issue));
  }
  await markSeen(forge, visit, doer, row.id);
  if (row.isPull !== isPull) {
    return new Redirect(issueLink(visit.root, access, row));
  }
  const quote = visit.query.get("quote");
  if (quote === null) {
    return discussionPage(forge, visit, access, row);
  }
  const { text } = await findSource(forge, visit, access, number, quote === "issue" ? "" : quote);
  return discussionPage(forge, visit, access, row, { ...nothingTyped, text: quoted(text) });
}

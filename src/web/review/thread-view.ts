import { html, type Html } from "../html.ts";
import { authorName } from "../issues/issue-row.ts";
import { avatar, letterAvatar } from "../parts/avatar.ts";
import { icon } from "../parts/icon.ts";
import { userName } from "../parts/person.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import { editForm, replyForm, type Typed } from "./forms.ts";
import type { ReviewRights } from "./rights.ts";
import { suggestionView } from "./suggestion-view.ts";
import type { ShownComment, ShownThread } from "./threads.ts";

/** What the conversations of a page have in common. */
export interface ThreadSetting {
  readonly visit: Visit;
  readonly rights: ReviewRights;
  /** Where forms about one comment are opened: `reply7#on` or `edit7#on` follow. */
  readonly link: string;
  /** Where forms are sent. */
  readonly action: string;
  /** Where forms lead back to, if not to where they are sent. */
  readonly back: "conversation" | null;
  /** The open form; null: none is. */
  readonly typed: Typed | null;
  /** Whether suggestions can be put together for one commit on this page. */
  readonly hasBatch: boolean;
  /** Whether the visitor has begun a review. */
  readonly hasDraft: boolean;
}

/** The lines that a conversation is about, in words. */
export function lineWords({ line, extraLines }: { line: number; extraLines: number }): string {
  return extraLines === 0 ? `Line ${line}` : `Lines ${line - extraLines}–${line}`;
}

/**
 * A conversation about lines. One that is resolved is folded. Its small forms are buttons of the form "acts", which the page has once.
 * `about`: the code, where it does not stand beside the conversation.
 */
export function threadView(setting: ThreadSetting, thread: ShownThread, about: Html | null = null): Html {
  const { visit, rights } = setting;
  const [first] = thread.comments;
  const { place, resolver } = first;
  const isResolved = place.resolvedAt !== null;
  const isOutdated = place.invalidated;
  const words = lineWords(thread.place ?? { line: place.originalLine, extraLines: place.originalExtraLines });
  const isPending = first.comment.pending;
  const resolved =
    isResolved && html`<span class="tag green">Resolved${resolver !== null && ` by ${resolver.name}`}</span>`;
  const head = html`<span class="soft small">${words}</span>${isOutdated && html`<span class="tag">Outdated</span>`}${resolved}`;
  const resolve =
    rights.resolves && !isPending
      ? html`<button class="button s" form="acts" name="${isResolved ? "unresolve" : "resolve"}" value="${first.comment.id}">${isResolved ? "Open again" : "Resolve"}</button>`
      : null;
  const { typed } = setting;
  const isReplying = typed !== null && typed.on.kind === "reply" && typed.on.id === first.comment.id;
  const foot = isReplying
    ? replyForm(setting, typed)
    : html`<footer>${rights.comments && html`<a class="button s" href="${setting.link}reply${first.comment.id}#on" rel="nofollow" data-on>Reply</a>`}${resolve}</footer>`;
  const content = html`${about}${thread.comments.map((one) => commentView(setting, thread, one))}${(rights.comments || resolve !== null) && foot}`;
  const showsHead = isOutdated || place.extraLines > 0 || about !== null || thread.place === null;
  return isResolved
    ? html`<details class="panel thread"${isReplying && html` open`}><summary class="head">${icon(visit, "circle-check")}${head}<span class="cut soft small" dir="auto">${first.comment.body.slice(0, 120)}</span></summary>${content}</details>`
    : html`<article class="panel thread" aria-label="Conversation on ${words.toLowerCase()}">${showsHead && html`<div class="head">${head}</div>`}${content}</article>`;
}

function commentView(setting: ThreadSetting, thread: ShownThread, shown: ShownComment): Html {
  const { visit, rights, typed } = setting;
  const { comment, author, parts } = shown;
  const local = comment.originalAuthor === "" ? author : null;
  const name = authorName(comment, author);
  const picture = local === null ? letterAvatar(name, name, "m") : avatar(visit, local, "m");
  const isOwn = rights.userId !== null && comment.authorId === rights.userId;
  const mayEdit = rights.comments && (isOwn || rights.writes);
  const isEditing = typed !== null && typed.on.kind === "edit" && typed.on.id === comment.id;
  const text = isEditing
    ? editForm(setting, typed, comment.contentVersion)
    : parts.map((part) =>
        part.kind === "text"
          ? html`<div class="document" dir="auto">${part.text}</div>`
          : suggestionView(setting, thread, shown, part),
      );
  return html`<div class="cm" id="issuecomment-${comment.id}">${picture}<div class="line flow">${local === null ? html`<b>${name}</b>` : userName(visit, local)}<a class="soft" href="#issuecomment-${comment.id}">${ago(visit, comment.createdAt)}</a>${comment.pending && html`<span class="tag amber">Pending</span>`}${comment.contentVersion > 0 && !comment.pending && html`<span class="faint">edited</span>`}<span class="grow"></span>${mayEdit && !isEditing && html`<a class="button bare s icon" href="${setting.link}edit${comment.id}#on" rel="nofollow" data-on aria-label="Edit the comment of ${name}">${icon(visit, "pencil")}</a>`}</div><div class="stack s">${text}</div></div>`;
}

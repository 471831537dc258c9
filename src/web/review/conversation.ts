import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { findPull } from "../../domain/work/pulls/queries.ts";
import { listPullLineComments } from "../../domain/work/reviews/comment-queries.ts";
import { html, type Html } from "../html.ts";
import { codeOf } from "../issues/code-of.ts";
import { issueLink } from "../links.ts";
import type { Visit } from "../visit.ts";
import { parseOn } from "./on.ts";
import { hasSuggestion, reviewRights } from "./rights.ts";
import { threadView, type ThreadSetting } from "./thread-view.ts";
import { groupThreads, showThreads, type ShownThread, type Thread } from "./threads.ts";

/** The conversations about lines that a timeline shows, each where its first comment stands. */
export interface TimelineThreads {
  readonly setting: ThreadSetting;
  /** By the ids of their first comments. */
  readonly threads: ReadonlyMap<number, ShownThread>;
  /** Comments that are shown with another one. */
  readonly replies: ReadonlySet<number>;
}

/** Reads the conversations that begin with some of these comments. null: the visitor may not read the code, or there are none. */
export async function loadTimelineThreads(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  issue: IssueRow,
  shownIds: readonly number[],
): Promise<TimelineThreads | null> {
  const { db } = forge.database;
  const found = shownIds.length === 0 ? null : await findPull(db, access.repository.id, issue.number);
  if (found === null) {
    return null;
  }
  const rows = await listPullLineComments(db, issue.id, visit.actor?.id ?? null);
  const ids = new Set(shownIds);
  const groups = groupThreads(rows).filter(([first]) => ids.has(first.comment.id));
  const threads = groups.map((comments): Thread => ({
    comments,
    place: comments[0].place.invalidated ? null : comments[0].place,
  }));
  const [shown, rights] = await Promise.all([
    showThreads(forge, visit, access, threads),
    reviewRights(forge, visit, access, found, threads.some(hasSuggestion)),
  ]);
  const address = issueLink(visit.root, access, issue);
  const on = rights.comments ? parseOn(visit.query.get("on") ?? "") : null;
  const text = on?.kind === "edit" ? (rows.find(({ comment }) => comment.id === on.id)?.comment.body ?? "") : "";
  const setting: ThreadSetting = {
    visit,
    rights,
    link: `${address}?on=`,
    action: `${address}/files`,
    back: "conversation",
    typed: on === null ? null : { on, text, refused: null, preview: null, seen: null, version: null },
    hasBatch: false,
    hasDraft: rows.some(({ comment }) => comment.pending),
  };
  return {
    setting,
    threads: new Map(shown.map((thread) => [thread.comments[0].comment.id, thread])),
    replies: new Set(groups.flatMap(([, ...others]) => others.map(({ comment }) => comment.id))),
  };
}

/** The form of the small acts on the conversations, which the page has once. */
export function timelineActs({ setting: { visit, action } }: TimelineThreads): Html | null {
  return visit.actor === null
    ? null
    : html`<form id="acts" method="post" action="${action}">${visit.formField()}<input type="hidden" name="back" value="conversation"></form>`;
}

/** An entry of a timeline that begins a conversation about lines; null: it begins none. */
export function timelineThread(
  { setting, threads }: TimelineThreads,
  access: RepositoryAccess,
  commentId: number,
): Html | null {
  const thread = threads.get(commentId);
  return thread === undefined
    ? null
    : html`<li><span class="avatar"></span><div>${threadView(setting, thread, codeOf(setting.visit, access, thread.comments[0].place))}</div></li>`;
}

import type { NotificationReason, NotificationStatus } from "../../db/schema/notifications.ts";
import type { FoundNotification } from "../../domain/work/notifications/queries.ts";
import type { IconName } from "../assets/icons.ts";
import { html, type Html } from "../html.ts";
import { issueLink, repositoryLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import { dayValue } from "../issues/read-day.ts";

/** Why somebody hears of something, in words. */
export const reasonWords: Readonly<Record<NotificationReason, string>> = {
  assigned: "Assigned",
  "review-requested": "Review asked for",
  mentioned: "Mentioned",
  offered: "Transfer offered",
  released: "Release published",
  scheduled: "Merge unscheduled",
  quota: "Quota nearly used up",
  wrote: "Yours",
  commented: "Took part",
  subscribed: "Subscribed",
  watching: "Watching",
};

/** For how many hours a notification is put off. */
export const pauses = [
  { hours: 3, words: "In three hours" },
  { hours: 24, words: "Tomorrow" },
  { hours: 7 * 24, words: "In a week" },
] as const;

const dayMs = 86_400_000;

const signs = {
  issue: "circle-dot",
  pull: "git-pull-request",
  repository: "book",
} as const;

/** What a notification is about: where its first unread event is, and how it is called. */
function subjectOf(
  visit: Visit,
  { access, issue, notification }: FoundNotification,
  firstUnread: number | undefined,
): { href: string; name: Html } {
  const repository = `${access.owner.name}/${access.repository.name}`;
  if (issue === null) {
    const home = repositoryLink(visit.root, access);
    return notification.reason === "released"
      ? { href: `${home}/releases`, name: html`A release of ${repository}` }
      : { href: home, name: html`${repository}` };
  }
  const at = firstUnread ?? issue.lastCommentId;
  const isPull = notification.subject === "pull";
  return {
    href: `${issueLink(visit.root, access, { isPull, number: issue.number })}${at === null ? "" : `#issuecomment-${at}`}`,
    name: html`<span dir="auto">${issue.title}</span>`,
  };
}

/** The form that goes on where it was sent from. */
function rowForm(visit: Visit, id: number, content: Html): Html {
  return html`<form class="line" method="post" action="${visit.root}/notifications/${id}">${visit.formField()}<input type="hidden" name="back" value="${visit.here}">${content}</form>`;
}

function laterMenu(visit: Visit, { notification: { id } }: FoundNotification, label: string): Html {
  const choices = pauses.map(
    ({ hours, words }) => html`<button class="button bare" name="later" value="${hours}">${words}</button>`,
  );
  const tomorrow = dayValue(new Date(visit.now + dayMs));
  return html`<button type="button" class="button s bare icon" popovertarget="later-${id}" aria-label="Later: ${label}">${icon(visit, "clock")}</button>
<div class="menu later" id="later-${id}" popover>${rowForm(visit, id, html`${choices}`)}<hr><div class="pad">${rowForm(visit, id, html`<input class="auto" type="date" name="until" min="${tomorrow}" value="${tomorrow}" aria-label="Day"><button class="button s" name="later" value="day">Until then</button>`)}</div></div>`;
}

/** A notification as a row of the inbox. */
export function inboxRow(
  visit: Visit,
  found: FoundNotification,
  firstUnread: number | undefined,
  isLater: boolean,
): Html {
  const { notification, access, issue } = found;
  const { id, status, subject, updatedAt, reason, snoozedUntil } = notification;
  const { href, name } = subjectOf(visit, found, firstUnread);
  const where = `${access.owner.name}/${access.repository.name}${issue === null ? "" : ` #${issue.number}`}`;
  const button = (field: string, to: string, sign: IconName, words: string, key: string | null = null) =>
    html`<button class="button s bare icon" name="${field}" value="${to}" aria-label="${words}: ${where}" title="${words}"${key !== null && html` data-key="${key}"`}>${icon(visit, sign)}</button>`;
  const mark = (to: NotificationStatus, sign: IconName, words: string) =>
    button("status", to, sign, words, to === "pinned" ? null : "e");
  const acts = html`${issue !== null && button("mute", "1", "bell-off", "Mute the thread")}${status !== "pinned" && mark("pinned", "pin", "Pin")}${isLater ? button("later", "0", "bell", "Show it now") : null}${status === "unread" ? mark("read", "check", "Done") : mark("unread", "bell", "Mark as unread")}`;
  return html`<li data-item="${id}"><input type="checkbox" class="mark" form="chosen" name="id" value="${id}" aria-label="Choose ${where}"><span class="${issue?.closedAt === null ? "green" : "soft"}">${icon(visit, signs[subject])}</span><div class="grow"><a class="plain" href="${href}">${status === "unread" ? html`<b>${name}</b>` : name}</a><div class="meta"><span>${where}</span><span>${reasonWords[reason]}</span><span>${ago(visit, updatedAt)}</span>${isLater && snoozedUntil !== null && html`<span>${icon(visit, "clock")}${ago(visit, snoozedUntil)}</span>`}</div></div>
    <span class="line">${rowForm(visit, id, acts)}${!isLater && laterMenu(visit, found, where)}</span></li>`;
}

import { notificationStatuses, type NotificationStatus } from "../../db/schema/notifications.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { markAll, markOne } from "../../domain/work/notifications/mark.ts";
import { listNotifications, type FoundNotification } from "../../domain/work/notifications/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { html, type Html } from "../html.ts";
import { issueLink, repositoryLink } from "../links.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { wholeNumber } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { Redirect } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { readRowId } from "../read-row-id.ts";

/** The sides of the inbox, in their order, by the statuses that they show. */
const sides = [
  { key: "unread", words: "Unread", statuses: ["unread"] },
  { key: "read", words: "Read", statuses: ["read"] },
  { key: "pinned", words: "Pinned", statuses: ["pinned"] },
] as const satisfies readonly { key: string; words: string; statuses: readonly NotificationStatus[] }[];

/** More than a page shows are not taken at once. */
const mostChosen = 200;

const signs = {
  issue: "circle-dot",
  pull: "git-pull-request",
  repository: "book",
} as const;

/** What a notification is about: where that is, and how it is called. */
function subjectOf(visit: Visit, { access, issue, notification }: FoundNotification): { href: string; name: Html } {
  if (issue === null) {
    return { href: repositoryLink(visit.root, access), name: html`${access.owner.name}/${access.repository.name}` };
  }
  const comment = issue.lastCommentId === null ? "" : `#issuecomment-${issue.lastCommentId}`;
  const isPull = notification.subject === "pull";
  return {
    href: `${issueLink(visit.root, access, { isPull, number: issue.number })}${comment}`,
    name: html`<span dir="auto">${issue.title}</span>`,
  };
}

function row(visit: Visit, found: FoundNotification): Html {
  const { notification, access, issue } = found;
  const { id, status, subject, updatedAt } = notification;
  const { href, name } = subjectOf(visit, found);
  const button = (to: NotificationStatus, sign: "check" | "pin" | "bell", words: string) =>
    html`<button class="button s bare icon" name="status" value="${to}" aria-label="${words}"${to !== "pinned" && html` data-key="e"`}>${icon(visit, sign)}</button>`;
  return html`<li data-item="${id}"><input type="checkbox" form="chosen" name="id" value="${id}" aria-label="Choose ${access.owner.name}/${access.repository.name}${issue !== null && ` #${issue.number}`}"><span class="soft">${icon(visit, signs[subject])}</span><div class="grow"><a class="plain" href="${href}"><b>${name}</b></a><div class="meta"><span>${access.owner.name}/${access.repository.name}${issue !== null && ` #${issue.number}`}</span><span>${ago(visit, updatedAt)}</span></div></div>
    <form class="line" method="post" action="${visit.root}/notifications/${id}">${visit.formField()}${status !== "pinned" && button("pinned", "pin", "Pin")}${status === "unread" ? button("read", "check", "Mark as read") : button("unread", "bell", "Mark as unread")}</form></li>`;
}

/** The form that marks all chosen rows. */
function chosenForm(visit: Visit, side: NotificationStatus): Html {
  const button = (to: NotificationStatus, words: string) =>
    html`<button class="button s" name="status" value="${to}"${to === (side === "unread" ? "read" : "unread") && html` data-chosen="e"`}>${words}<span class="sr"> what is chosen</span></button>`;
  return html`<form class="line" id="chosen" method="post" action="${visit.root}/notifications/chosen">${visit.formField()}${side === "unread" ? button("read", "Mark as read") : button("unread", "Mark as unread")}${side === "pinned" ? button("read", "Unpin") : button("pinned", "Pin")}</form>`;
}

/** A user's notifications. */
export function inboxPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/notifications", ownAccount, async ({ visit }) => {
      const side = sides.find(({ key }) => key === visit.query.get("status")) ?? sides[0];
      const at = sliceOf(visit.query);
      const { rows, total } = await listNotifications(forge.database.db, visit, { statuses: side.statuses }, at);
      const address = `${visit.root}/notifications`;
      const links = sides.map(
        ({ key, words }) =>
          html`<a href="${address}?status=${key}"${key === side.key && html` aria-current="page"`}>${words}</a>`,
      );
      // What comes while the page is looked at stays unread.
      const markEverything = html`<form method="post" action="${address}">${visit.formField()}<input type="hidden" name="before" value="${visit.now}"><button class="button">${icon(visit, "check")}Mark all as read</button></form>`;
      return {
        title: "Notifications",
        sees: "inbox",
        body: html`<div class="stack"><div class="split flow"><h1>Notifications</h1>${side.key === "unread" && rows.length > 0 && markEverything}</div>
          <section class="panel edge" id="list" data-live data-offer data-noun="notification" aria-label="${wholeNumber(total)} notifications"><header><nav class="segments" aria-label="Status">${links}</nav><span class="grow"></span>${rows.length > 0 && chosenForm(visit, side.key)}</header>${rows.length === 0 ? empty(visit, "inbox", "Nothing here", side.key === "unread" ? "You have read everything." : null) : html`<ul class="rows links">${rows.map((found) => row(visit, found))}</ul>`}</section>${pager(visit, address, visit.query, at, total)}</div>`,
      };
    }),
    page("POST", "/notifications", ownAccount, async ({ visit, doer }) => {
      const text = visit.form.text("before");
      const before = /^\d{1,15}$/.test(text) ? new Date(Number(text)) : new Date(visit.now);
      await forge.change(doer, (work) => markAll(work, { statuses: ["unread"], before }, "read"));
      return new Redirect(`${visit.root}/notifications`, "All notifications are read.");
    }),
    page("POST", "/notifications/chosen", ownAccount, async ({ visit, doer }) => {
      const ids = visit.form.all("id").slice(0, mostChosen).map(readRowId);
      const status = sides.find(({ key }) => key === visit.form.text("status"))?.key;
      if (status === undefined || ids.includes(null)) {
        throw new InvalidInput("The form names no notifications, or nothing to do with them");
      }
      const marking = { statuses: notificationStatuses, ids: ids.filter((id) => id !== null) };
      const marked = await forge.change(doer, (work) => markAll(work, marking, status));
      const said = marked.length === 0 ? "Nothing was chosen." : null;
      return new Redirect(`${visit.root}/notifications`, said);
    }),
    page("POST", "/notifications/:id", ownAccount, async ({ visit, doer }) => {
      const { id: text = "" } = visit.params;
      const id = readRowId(text);
      const status = sides.find(({ key }) => key === visit.form.text("status"))?.key;
      if (id === null || status === undefined) {
        throw new NotFound("notification", text);
      }
      await forge.change(doer, (work) => markOne(work, id, status));
      return new Redirect(`${visit.root}/notifications`);
    }),
  ];
}

import {
  notificationReasons,
  notificationStatuses,
  type NotificationReason,
  type NotificationStatus,
} from "../../db/schema/notifications.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Work } from "../../domain/spine/work.ts";
import { mute } from "../../domain/work/issues/subscribe.ts";
import { markAll, markOne, snooze } from "../../domain/work/notifications/mark.ts";
import { countByReason, findFirstUnread, listNotifications } from "../../domain/work/notifications/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import type { Refusal } from "../errors.ts";
import type { Form } from "../form.ts";
import { html, type Html } from "../html.ts";
import { readDay } from "../issues/read-day.ts";
import { localPath } from "../local-path.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { changedQuery } from "../parts/repository-search.ts";
import { wholeNumber } from "../parts/size.ts";
import { readRowId } from "../read-row-id.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { inboxPlace } from "./inbox-place.ts";
import { inboxRow, pauses, reasonWords } from "./inbox-row.ts";

interface Side {
  readonly key: string;
  readonly words: string;
  readonly statuses: readonly NotificationStatus[];
  readonly isLater: boolean | undefined;
  readonly none: string;
}

/** The sides of the inbox, in their order, by what they show. */
const sides = [
  { key: "unread", words: "Unread", statuses: ["unread"], isLater: false, none: "You have read everything." },
  { key: "later", words: "Later", statuses: ["unread"], isLater: true, none: "Nothing is put off." },
  { key: "read", words: "Done", statuses: ["read"], isLater: undefined, none: "Nothing was read yet." },
  { key: "pinned", words: "Pinned", statuses: ["pinned"], isLater: undefined, none: "Nothing is pinned." },
] as const satisfies readonly Side[];

/** More than a page shows are not taken at once. */
const mostChosen = 200;
/** The most repositories that the inbox can be narrowed to. */
const mostRepositories = 20;
const hourMs = 3_600_000;

const isStatus = (name: string): name is NotificationStatus =>
  (notificationStatuses as readonly string[]).includes(name);

/** The form that marks all chosen rows. */
function chosenForm(visit: Visit, { key }: Side): Html {
  const button = (to: NotificationStatus, words: string) =>
    html`<button class="button s" name="status" value="${to}"${to === (key === "unread" ? "read" : "unread") && html` data-chosen="e"`}>${words}<span class="sr"> what is chosen</span></button>`;
  return html`<form class="line" id="chosen" method="post" action="${visit.root}/notifications/chosen">${visit.formField()}<input type="hidden" name="back" value="${visit.here}">${key === "read" || key === "pinned" ? button("unread", "Mark as unread") : button("read", "Done")}${key === "pinned" ? button("read", "Unpin") : button("pinned", "Pin")}</form>`;
}

/** The links that narrow the inbox: to reasons and to repositories, each with its number. */
function filters(visit: Visit, address: string, counts: Awaited<ReturnType<typeof countByReason>>): Html | null {
  const { query } = visit;
  const sum = (rows: typeof counts) => rows.reduce((total, { value }) => total + value, 0);
  const link = (name: string, key: string, words: string, count: number) => {
    const isChosen = query.get(name) === key;
    return html`<a href="${changedQuery(address, query, name, isChosen ? null : key)}"${isChosen && html` aria-current="true"`}><span class="grow cut">${words}</span><span class="count">${wholeNumber(count)}</span></a>`;
  };
  const byReason = Map.groupBy(counts, ({ reason }) => reason);
  const reasons = notificationReasons.flatMap((reason) => {
    const rows = byReason.get(reason);
    return rows === undefined ? [] : [link("reason", reason, reasonWords[reason], sum(rows))];
  });
  const repositories = Array.from(Map.groupBy(counts, ({ repositoryId }) => repositoryId))
    .toSorted(([, a], [, b]) => sum(b) - sum(a))
    .slice(0, mostRepositories)
    .map(([id, rows]) => link("repository", String(id), `${rows[0]?.owner}/${rows[0]?.repository}`, sum(rows)));
  return counts.length === 0
    ? null
    : html`<section><h2>Why</h2><div class="nav">${reasons}</div></section><section><h2>Repository</h2><div class="nav">${repositories}</div></section>`;
}

/** Until when a form puts a notification off; null: no longer. Throws InvalidInput. */
function readLater(form: Form, now: number): Date | null {
  const text = form.text("later");
  if (text === "0") {
    return null;
  }
  if (text === "day") {
    return readDay(form.text("until"), "until") ?? new Date(Number.NaN);
  }
  const pause = pauses.find(({ hours }) => String(hours) === text);
  if (pause === undefined) {
    throw new InvalidInput(`"${clip(text, 80)}" is no time to come back`, "later");
  }
  return new Date(now + pause.hours * hourMs);
}

const back = (visit: Visit, said: string | null = null) =>
  new Redirect(localPath(visit.form.text("back")) ?? `${visit.root}/notifications`, said);

/** What the form of a row does, and the sentence that tells it. */
function actOf(visit: Visit, id: number): { act: (work: Work) => Promise<unknown>; said: string | null } {
  const { form } = visit;
  const status = form.text("status");
  if (form.has("mute")) {
    return { act: (work) => mute(work, id), said: "You hear nothing more of this thread, neither here nor by mail." };
  }
  if (form.has("later")) {
    const until = readLater(form, visit.now);
    return { act: (work) => snooze(work, id, until), said: null };
  }
  if (!isStatus(status)) {
    throw new NotFound("notification", String(id));
  }
  return { act: (work) => markOne(work, id, status), said: null };
}

/** A user's notifications. */
export function inboxPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function inbox(visit: Visit, refused: Refusal | null = null): Promise<Page> {
    const { query, root } = visit;
    const side = sides.find(({ key }) => key === query.get("status")) ?? sides[0];
    const at = sliceOf(query);
    const address = `${root}/notifications`;
    const reason = notificationReasons.find((one) => one === query.get("reason"));
    const ofSide = { statuses: side.statuses, ...(side.isLater === undefined ? {} : { isLater: side.isLater }) };
    const filter = {
      ...ofSide,
      ...(reason === undefined ? {} : { reasons: [reason] satisfies NotificationReason[] }),
      repositoryId: readRowId(query.get("repository") ?? "") ?? undefined,
    };
    const [{ rows, total }, counts] = await Promise.all([
      listNotifications(db, visit, filter, at),
      countByReason(db, visit, ofSide),
    ]);
    const unread = await findFirstUnread(
      db,
      rows.flatMap(({ notification: { id, status } }) => (status === "read" ? [] : [id])),
    );
    const links = sides.map(
      ({ key, words }) =>
        html`<a href="${address}?status=${key}"${key === side.key && html` aria-current="page"`}>${words}</a>`,
    );
    // What comes while the page is looked at stays unread.
    const markEverything =
      side.key === "unread" &&
      rows.length > 0 &&
      html`<form method="post" action="${address}">${visit.formField()}<input type="hidden" name="before" value="${visit.now}"><button class="button">${icon(visit, "check")}Mark all as read</button></form>`;
    const list = rows.map((found) => inboxRow(visit, found, unread.get(found.notification.id), side.isLater === true));
    return {
      status: refused?.status ?? 200,
      title: "Notifications",
      sees: "inbox",
      place: inboxPlace(visit, "inbox"),
      body: html`<div class="columns left"><aside class="side filters" aria-label="Filters">${filters(visit, address, counts)}</aside><div class="stack"><div class="split flow"><h1>Notifications</h1>${markEverything}</div>${note(visit, "bad", refused === null ? null : `${refused.message}.`)}
        <section class="panel edge" id="list" data-live data-offer data-noun="notification" aria-label="${wholeNumber(total)} notifications"><header><nav class="segments" aria-label="Status">${links}</nav><span class="grow"></span>${rows.length > 0 && chosenForm(visit, side)}</header>${rows.length === 0 ? empty(visit, "inbox", "Nothing here", side.none) : html`<ul class="rows links inbox">${list}</ul>`}</section>${pager(visit, address, query, at, total)}</div></div>`,
    };
  }

  return [
    page("GET", "/notifications", ownAccount, ({ visit }) => inbox(visit)),
    page("POST", "/notifications", ownAccount, async ({ visit, doer }) => {
      const text = visit.form.text("before");
      const before = /^\d{1,15}$/.test(text) ? new Date(Number(text)) : new Date(visit.now);
      await forge.change(doer, (work) => markAll(work, { statuses: ["unread"], before }, "read"));
      return new Redirect(`${visit.root}/notifications`, "All notifications are read.");
    }),
    page("POST", "/notifications/chosen", ownAccount, async ({ visit, doer }) => {
      const ids = visit.form.all("id").slice(0, mostChosen).map(readRowId);
      const status = visit.form.text("status");
      if (!isStatus(status) || ids.includes(null)) {
        throw new InvalidInput("The form names no notifications, or nothing to do with them");
      }
      const marking = { statuses: notificationStatuses, ids: ids.filter((id) => id !== null) };
      const marked = await forge.change(doer, (work) => markAll(work, marking, status));
      return back(visit, marked.length === 0 ? "Nothing was chosen." : null);
    }),
    page("POST", "/notifications/:id", ownAccount, ({ visit, doer }) =>
      tryForm(
        async () => {
          const { id: text = "" } = visit.params;
          const id = readRowId(text);
          if (id === null) {
            throw new NotFound("notification", text);
          }
          const { act, said } = actOf(visit, id);
          await forge.change(doer, act);
          return back(visit, said);
        },
        (refused) => inbox(visit, refused),
      ),
    ),
  ];
}

import { deliveryStates, hookKinds, type DeliveryState, type HookKind } from "../../db/schema/hooks.ts";
import { createHook, deleteHook, editHook, requireHooks } from "../../domain/exchange/hooks/edit-hook.ts";
import { listDeliveries, type FoundDelivery } from "../../domain/exchange/hooks/history-queries.ts";
import { getDelivery, getHook, redeliver } from "../../domain/exchange/hooks/history.ts";
import type { HookRow } from "../../domain/exchange/hooks/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { clip } from "../../lib/show-value.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { note } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { ago } from "../parts/time.ts";
import { readRowId } from "../read-row-id.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { deliveryWords } from "./delivery-words.ts";
import { hookFieldNames, hookFields, readHook, typedHook, valuesOfHook } from "./hook-form.ts";
import { kindNames, type HookHome } from "./hook-home.ts";
import { hookState } from "./hook-list.ts";

/** The most characters of a payload or an answer that a page shows. */
const shownText = 64 * 1024;

function kindOf({ visit }: HookHome): HookKind {
  const { hook = "" } = visit.params;
  const kind = hookKinds.find((one) => one === hook);
  if (kind === undefined) {
    throw new NotFound("kind of webhook", hook.slice(0, 40));
  }
  return kind;
}

function idOf(text: string, what: string): number {
  const id = readRowId(text);
  if (id === null) {
    throw new NotFound(what, text.slice(0, 40));
  }
  return id;
}

function hookOf(forge: Forge, { visit, place }: HookHome): Promise<HookRow> {
  requireHooks(forge);
  return getHook(forge.database.db, place, idOf(visit.params["hook"] ?? "", "webhook"));
}

/** The form of a new webhook. */
export function newHookPage(forge: Forge, home: HookHome, refused: Refusal | null): Page {
  requireHooks(forge);
  const { visit, link, frame } = home;
  const kind = kindOf(home);
  const values = refused === null ? valuesOfHook(null) : typedHook(visit.form);
  return frame({
    ...(refused === null ? {} : { status: refused.status }),
    title: `New webhook for ${kindNames[kind]}`,
    body: html`${note(visit, "bad", problemAbove(refused, hookFieldNames))}
      <form class="form" method="post" action="${link}/${kind}/new">${visit.formField()}${hookFields(kind, null, values, refused)}<button class="button main">Add the webhook</button></form>`,
  });
}

export function makeHook(forge: Forge, home: HookHome): Promise<Page | Redirect> {
  const kind = kindOf(home);
  const { visit, doer, place, link } = home;
  return tryForm(
    async () => {
      const input = readHook(visit.form, kind);
      const row = await forge.change(doer, (work) => createHook(forge, work, place, { ...input, kind, system: false }));
      return new Redirect(`${link}/${row.id}`, "The webhook is added");
    },
    (refused) => newHookPage(forge, home, refused),
  );
}

const stateWords: Readonly<Record<DeliveryState, string>> = {
  waiting: "Waiting",
  delivered: "Delivered",
  dead: "Failed",
};

function deliveryRow(visit: Visit, at: string, { delivery, event }: FoundDelivery): Html {
  const colour = delivery.state === "delivered" ? "green" : delivery.state === "dead" ? "red" : "amber";
  const sign = delivery.state === "delivered" ? "circle-check" : delivery.state === "dead" ? "circle-alert" : "clock";
  return html`<li><span class="${colour}">${icon(visit, sign)}</span><div class="grow"><a class="plain" href="${at}/deliveries/${delivery.id}"><b>${event.type}${event.action !== "" && ` ${event.action}`}</b></a>${delivery.redelivery && html` <span class="tag">sent again</span>`}<div class="soft small">${deliveryWords(delivery)}</div></div><span class="soft small">${ago(visit, delivery.attemptedAt ?? event.at)}${delivery.durationMs !== null && ` · ${delivery.durationMs} ms`}</span></li>`;
}

/** A webhook: its form, a test, and what was sent to it. */
export async function hookPage(forge: Forge, home: HookHome, refused: Refusal | null): Promise<Page> {
  const { visit, doer, link, frame, test } = home;
  const row = await hookOf(forge, home);
  const at = `${link}/${row.id}`;
  const asked = deliveryStates.find((one) => one === visit.query.get("state"));
  const slice = sliceOf(visit.query);
  const { rows, total } = await listDeliveries(forge.database.db, doer, row.id, slice, asked);
  const isTyped = refused !== null && visit.form.has("config.url");
  const values = isTyped ? typedHook(visit.form) : valuesOfHook(row);
  const filter = ([state, words]: readonly [DeliveryState | undefined, string]) =>
    html`<a href="${at}${state === undefined ? "" : `?state=${state}`}#deliveries"${state === asked && html` aria-current="page"`}>${words}</a>`;
  const filters = [[undefined, "All"] as const, ...deliveryStates.map((one) => [one, stateWords[one]] as const)];
  const testForm =
    test === null
      ? null
      : html`<form class="line flow" method="post" action="${at}/test">${visit.formField()}<input class="auto mono" type="text" name="ref" value="${isTyped ? "" : visit.form.text("ref")}" aria-label="Branch or tag" placeholder="default branch" autocomplete="off" maxlength="255"><button class="button">Send a test</button></form>`;
  return frame({
    ...(refused === null ? {} : { status: refused.status }),
    title: `Webhook for ${kindNames[row.kind]}`,
    about: html`<span class="line flow"><code class="cut">${row.url}</code>${hookState(visit, row)}</span>`,
    tools: testForm,
    body: html`${note(visit, "bad", problemAbove(refused, hookFieldNames))}
      <section class="panel edge" id="deliveries" aria-labelledby="deliveries-title"><header class="flow"><h2 id="deliveries-title">Deliveries</h2><span class="grow"></span><nav class="segments" aria-label="State">${filters.map(filter)}</nav></header>${rows.length === 0 ? html`<p class="body soft">${asked === undefined ? "Nothing was sent yet." : "There is none of this kind."}</p>` : html`<ul class="rows">${rows.map((one) => deliveryRow(visit, at, one))}</ul>`}</section>${pager(visit, at, visit.query, slice, total)}
      <section class="section"><h2>Settings</h2><form class="form" method="post" action="${at}">${visit.formField()}<input type="hidden" name="seen" value="${row.updatedAt.getTime()}">${hookFields(row.kind, row, values, refused)}<button class="button main">Save</button></form></section>
      <form method="post" action="${at}/delete">${visit.formField()}<button class="button danger">${icon(visit, "trash-2")}Delete the webhook</button></form>`,
  });
}

export async function saveHook(forge: Forge, home: HookHome): Promise<Page | Redirect> {
  const row = await hookOf(forge, home);
  const { visit, doer, place, link } = home;
  return tryForm(
    async () => {
      const input = readHook(visit.form, row.kind);
      const seen = new Date(Number(visit.form.text("seen")));
      await forge.change(doer, (work) => editHook(forge, work, place, row.id, input, seen));
      return new Redirect(`${link}/${row.id}`, "The webhook is saved");
    },
    (refused) => hookPage(forge, home, refused),
  );
}

export async function sendTest(forge: Forge, home: HookHome): Promise<Page | Redirect> {
  const { id } = await hookOf(forge, home);
  return tryForm(
    async () => {
      await home.test?.(id, home.visit.form.text("ref").trim());
      return new Redirect(
        `${home.link}/${id}#deliveries`,
        "The test is sent soon: load the page again to see the answer",
      );
    },
    (refused) => hookPage(forge, home, refused),
  );
}

export async function removeHook(forge: Forge, home: HookHome): Promise<Redirect> {
  const { id } = await hookOf(forge, home);
  await forge.change(home.doer, (work) => deleteHook(forge, work, home.place, id));
  return new Redirect(home.link, "The webhook is deleted");
}

function headersOf(headers: Readonly<Record<string, string>> | null): Html {
  const pairs = Object.entries(headers ?? {});
  return pairs.length === 0
    ? html`<p class="soft">None.</p>`
    : html`<dl class="pairs">${pairs.map(([name, value]) => html`<dt><code>${name}</code></dt><dd><code>${value}</code></dd>`)}</dl>`;
}

function payloadOf(payload: string | null): Html {
  if (payload === null) {
    return html`<p class="soft">It is not made yet.</p>`;
  }
  const text = JSON.stringify(JSON.parse(payload), null, 2);
  return html`<pre tabindex="0" dir="auto">${clip(text, shownText)}</pre>`;
}

/** What was sent to a webhook once, and what it answered. */
export async function deliveryPage(forge: Forge, home: HookHome): Promise<Page> {
  requireHooks(forge);
  const { visit, doer, place, link, frame } = home;
  const hookId = idOf(visit.params["hook"] ?? "", "webhook");
  const id = idOf(visit.params["id"] ?? "", "delivery");
  const { hook, found } = await getDelivery(forge.database.db, doer, place, hookId, id);
  const { delivery, event, payload } = found;
  const at = `${link}/${hook.id}`;
  const facts: [string, Html][] = [
    ["Happened", ago(visit, event.at)],
    ["Sent", delivery.attemptedAt === null ? html`not yet` : ago(visit, delivery.attemptedAt)],
    ["To", html`<code>${delivery.url ?? hook.url}</code>`],
    ["Took", html`${delivery.durationMs === null ? "–" : `${delivery.durationMs} ms`}`],
    ["Number", html`<code>${delivery.uuid}</code>`],
  ];
  const kind = delivery.state === "delivered" ? "good" : delivery.state === "dead" ? "bad" : "warn";
  return frame({
    title: `${event.type}${event.action === "" ? "" : ` ${event.action}`}`,
    about: html`A delivery to the <a href="${at}">webhook for ${kindNames[hook.kind]}</a>.`,
    tools: html`<form method="post" action="${at}/deliveries/${delivery.id}">${visit.formField()}<button class="button">${icon(visit, "refresh-cw")}Send it again</button></form>`,
    body: html`${note(visit, kind, `${deliveryWords(delivery)}.`)}<dl class="pairs">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
      <section class="section"><h2>Answer</h2><div class="stack">${delivery.responseHeaders === null && delivery.responseBody === null ? html`<p class="soft">There was none.</p>` : html`${headersOf(delivery.responseHeaders)}<pre tabindex="0" dir="auto">${clip(delivery.responseBody ?? "", shownText)}</pre>`}</div></section>
      <section class="section"><h2>Request</h2><div class="stack">${headersOf(delivery.requestHeaders)}${payloadOf(payload)}</div></section>`,
  });
}

export async function sendAgain(forge: Forge, { visit, doer, place, link }: HookHome): Promise<Redirect> {
  requireHooks(forge);
  const hookId = idOf(visit.params["hook"] ?? "", "webhook");
  const id = idOf(visit.params["id"] ?? "", "delivery");
  await forge.change(doer, (work) => redeliver(work, place, hookId, id));
  return new Redirect(`${link}/${hookId}#deliveries`, "It is sent again, behind what waits for the webhook");
}

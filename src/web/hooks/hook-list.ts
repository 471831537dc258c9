import { hookKinds } from "../../db/schema/hooks.ts";
import { requireHooks } from "../../domain/exchange/hooks/edit-hook.ts";
import { findLastAttempts, type LastAttempt } from "../../domain/exchange/hooks/history-queries.ts";
import { listHooks, type HookRow } from "../../domain/exchange/hooks/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html, type Html } from "../html.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { ago } from "../parts/time.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { deliveryWords } from "./delivery-words.ts";
import { kindNames, type HookHome } from "./hook-home.ts";

/** How a webhook stands, as a tag. */
export function hookState(visit: Visit, row: HookRow): Html {
  if (row.pausedAt !== null) {
    return html`<span class="tag red">switched off ${ago(visit, row.pausedAt)}: it failed for too long</span>`;
  }
  if (!row.active) {
    return html`<span class="tag">not active</span>`;
  }
  return row.failingSince === null
    ? html`<span class="tag green">active</span>`
    : html`<span class="tag amber">failing since ${ago(visit, row.failingSince)}</span>`;
}

function hookRow(visit: Visit, link: string, row: HookRow, last: LastAttempt | undefined): Html {
  const events = row.events.length === 1 ? row.events[0] : `${row.events.length} kinds of events`;
  const told =
    last?.attemptedAt == null
      ? html`Nothing was sent yet`
      : html`${deliveryWords(last)}, ${ago(visit, last.attemptedAt)}`;
  return html`<li>${icon(visit, "webhook", "faint")}<div class="grow"><a class="plain" href="${link}/${row.id}"><b>${row.url}</b></a><div class="soft small">${kindNames[row.kind]} · ${events}${row.branchFilter !== "" && html` · branches <code>${row.branchFilter}</code>`}</div><div class="soft small">${told}</div></div>${hookState(visit, row)}</li>`;
}

/** The webhooks of a place, with what became of the last delivery of each. */
export async function hookListPage(forge: Forge, { visit, place, link, frame }: HookHome): Promise<Page> {
  requireHooks(forge);
  const { db } = forge.database;
  const { rows } = await listHooks(db, place, { size: 100, offset: 0 });
  const last = await findLastAttempts(
    db,
    rows.map(({ id }) => id),
  );
  const kinds = hookKinds.map((kind) => html`<a href="${link}/${kind}/new">${kindNames[kind]}</a>`);
  const add = html`<button type="button" class="button" popovertarget="hook-kinds">${icon(visit, "plus")}Add a webhook</button><div class="menu" id="hook-kinds" popover>${kinds}</div>`;
  return frame({
    title: "Webhooks",
    about: "A webhook tells another server what happens here, as it happens.",
    tools: add,
    body:
      rows.length === 0
        ? empty(visit, "webhook", "No webhooks", "CI, chats and registries listen with one.")
        : html`<ul class="panel edge rows">${rows.map((row) => hookRow(visit, link, row, last.get(row.id)))}</ul>`,
  });
}

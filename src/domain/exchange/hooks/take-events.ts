import { Turns } from "../../../lib/turns.ts";
import { compileNamePattern, type NamePattern } from "../../../lib/name-pattern.ts";
import { patternWork } from "../../../lib/pattern-steps.ts";
import { newsOf, type Event } from "../../spine/events.ts";
import type { HookNews } from "../../spine/events/hook-news.ts";
import type { OutboxEvent } from "../../spine/outbox-event.ts";
import type { Work } from "../../spine/work.ts";
import {
  findRedelivered,
  hooksHearing,
  insertHookEvents,
  insertRedeliveries,
  type NewHookEvent,
  type ListeningHook,
} from "./taking-queries.ts";

/** One push may be 500 events: behind so many, other rows are taken later. */
const mostEvents = 1000;

/**
 * Receiver: writes down which hook is to be told of what. The payloads and deliveries are made after that (`src/webhooks/`), so
 * whoever changes something waits for neither.
 */
export async function takeHookEvents(work: Work, events: readonly OutboxEvent[]): Promise<number> {
  if (!work.config.webhooks.enabled) {
    return events.length;
  }
  const hooks = await hooksHearing(work.tx, placesOf(events));
  const rows: NewHookEvent[] = [];
  const asked: number[] = [];
  const filters = new Filters();
  const turns = new Turns();
  let taken = 0;
  for (const one of events) {
    if (rows.length >= mostEvents) {
      break;
    }
    taken++;
    if (one.event.kind === "hook.redelivered") {
      asked.push(one.event.deliveryId);
    }
    for (const news of newsOf(one.event)) {
      const hearing =
        news.hookId === undefined
          ? hooks.filter((hook) => hears(hook, one, news, filters)).map(({ id }) => id)
          : [news.hookId];
      if (hearing.length > 0) {
        rows.push(rowOf(one, news, hearing));
      }
      if (turns.over) {
        await turns.pass();
      }
    }
  }
  const again = await findRedelivered(work.tx, asked);
  await insertHookEvents(work.tx, rows);
  await insertRedeliveries(work.tx, again);
  return taken;
}

function rowOf(
  { event, doer, ...of }: OutboxEvent,
  { type, action, moved }: HookNews,
  hookIds: number[],
): NewHookEvent {
  const { kind, ...fields } = event;
  const source = { kind, doer, event: moved === undefined ? fields : { ...fields, refs: [moved] } };
  return { type, action, repositoryId: of.repositoryId, ownerId: of.ownerId ?? 0, at: of.at, source, hookIds };
}

/** Returns the repositories and owners of the events. The former owner of a repository hears that it went. */
function placesOf(events: readonly OutboxEvent[]): { repositoryIds: number[]; ownerIds: number[] } {
  return {
    repositoryIds: [...new Set(events.flatMap(({ repositoryId }) => repositoryId ?? []))],
    ownerIds: [...new Set(events.flatMap(({ ownerId, event }) => [ownerId ?? [], formerOwnerOf(event)].flat()))],
  };
}

function formerOwnerOf(event: Event): number[] {
  return event.kind === "repository.transferred" ? [event.oldOwner.id] : [];
}

function hears(hook: ListeningHook, told: OutboxEvent, { type, branch }: HookNews, filters: Filters): boolean {
  const concerned =
    hook.repositoryId !== null
      ? hook.repositoryId === told.repositoryId
      : hook.ownerId === null || hook.ownerId === told.ownerId || formerOwnerOf(told.event).includes(hook.ownerId);
  return (
    concerned &&
    hook.events.includes(type) &&
    // What happened before there was the hook is not for it.
    told.at >= hook.createdAt &&
    (branch === undefined || hook.branchFilter === "" || filters.matches(hook.branchFilter, branch, told.repositoryId))
  );
}

/**
 * What comparing the branches of one repository may cost at once: a tenth of a second, and a hundred times what people need. Behind that a
 * hook with a filter hears nothing: a push of many branches could keep all hooks of the server waiting for minutes.
 */
const mostWork = 3_000_000;

/** Patterns by their text, compiled once. */
class Filters {
  readonly #compiled = new Map<string, NamePattern>();
  /** By the id of the repository. */
  readonly #spent = new Map<number | null, number>();

  matches(text: string, branch: string, repositoryId: number | null): boolean {
    const spent = this.#spent.get(repositoryId) ?? 0;
    if (spent > mostWork) {
      return false;
    }
    const pattern = this.#compiled.get(text) ?? compileNamePattern(text, "branch_filter");
    this.#compiled.set(text, pattern);
    const before = patternWork();
    const fits = pattern(branch);
    this.#spent.set(repositoryId, spent + patternWork() - before);
    return fits;
  }
}

import { Turns } from "../../lib/turns.ts";
import { compileNamePattern, type NamePattern } from "../../lib/name-pattern.ts";
import { patternWork } from "../../lib/pattern-steps.ts";
import type { OutboxRow } from "../outbox/queries.ts";
import type { Work } from "../work.ts";
import {
  findRedelivered,
  hooksHearing,
  insertHookEvents,
  insertRedeliveries,
  type NewHookEvent,
  type ListeningHook,
} from "./delivery-queries.ts";
import { describeEvent, type HookNews } from "./describe-event.ts";

/** One push may be 500 events: behind so many, other rows are taken later. */
const mostEvents = 1000;

/**
 * Receiver: writes down which hook is to be told of what. The payloads and deliveries are made after that (`src/webhooks/`), so
 * whoever changes something waits for neither.
 */
export async function takeHookEvents(work: Work, rows: readonly OutboxRow[]): Promise<number> {
  if (!work.config.webhooks.enabled) {
    return rows.length;
  }
  const hooks = await hooksHearing(work.tx, placesOf(rows));
  const events: NewHookEvent[] = [];
  const filters = new Filters();
  const turns = new Turns();
  const add = (row: OutboxRow, { type, action, moved }: HookNews, hookIds: readonly number[]) => {
    const event = moved === undefined ? row.payload : { ...row.payload, refs: [moved] };
    const source = { kind: row.kind, doer: row.doer, event };
    const { repositoryId, ownerId, at } = row;
    events.push({ type, action, repositoryId, ownerId: ownerId ?? 0, at, source, hookIds: [...hookIds] });
  };
  let taken = 0;
  for (const row of rows) {
    if (events.length >= mostEvents) {
      break;
    }
    taken++;
    if (row.kind === "hook.tested") {
      add(row, { type: "push", action: "", branch: null }, [Number(row.payload["hookId"])]);
    }
    for (const news of describeEvent(row.kind, row.payload)) {
      const hearing = hooks.filter((hook) => hears(hook, row, news, filters)).map(({ id }) => id);
      if (hearing.length > 0) {
        add(row, news, hearing);
      }
      if (turns.over) {
        await turns.pass();
      }
    }
  }
  const asked = rows
    .slice(0, taken)
    .filter(({ kind }) => kind === "hook.redelivered")
    .map(({ payload }) => Number(payload["deliveryId"]));
  const again = await findRedelivered(work.tx, asked);
  await insertHookEvents(work.tx, events);
  await insertRedeliveries(work.tx, again);
  return taken;
}

/** What the rows are about. The former owner of a repository hears that it went. */
function placesOf(rows: readonly OutboxRow[]): { repositoryIds: number[]; ownerIds: number[] } {
  return {
    repositoryIds: [...new Set(rows.flatMap(({ repositoryId }) => repositoryId ?? []))],
    ownerIds: [
      ...new Set(rows.flatMap((row) => [...(row.ownerId === null ? [] : [row.ownerId]), ...formerOwnerOf(row)])),
    ],
  };
}

function formerOwnerOf({ kind, payload }: OutboxRow): number[] {
  return kind === "repository.transferred" ? [(payload["oldOwner"] as { id: number }).id] : [];
}

function hears(hook: ListeningHook, row: OutboxRow, { type, branch }: HookNews, filters: Filters): boolean {
  const concerned =
    hook.repositoryId !== null
      ? hook.repositoryId === row.repositoryId
      : hook.ownerId === null || hook.ownerId === row.ownerId || formerOwnerOf(row).includes(hook.ownerId);
  return (
    concerned &&
    hook.events.includes(type) &&
    // What happened before there was the hook is not for it.
    row.at >= hook.createdAt &&
    (branch === null || hook.branchFilter === "" || filters.matches(hook.branchFilter, branch, row.repositoryId))
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

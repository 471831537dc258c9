import type { Static } from "typebox";
import { accountEvents } from "./events/accounts.ts";
import type { HookNews } from "./events/hook-news.ts";
import { hookEvents } from "./events/hooks.ts";
import { issueEvents } from "./events/issues.ts";
import { packageEvents } from "./events/packages.ts";
import { pullEvents } from "./events/pulls.ts";
import { repositoryEvents } from "./events/repositories.ts";

/**
 * Every kind of event, with what it carries and what webhooks are told of it. A use case tells an event only if it has changed something,
 * and only kinds exist that somebody hears: subscribers inside the transaction (`subscribers.ts`), or receivers after the commit
 * (`receivers.ts`), when rows may be gone. The doer of the unit of work is the one who did it. A kind is `noun.past-participle`.
 */
const specs = {
  ...repositoryEvents,
  ...issueEvents,
  ...pullEvents,
  ...packageEvents,
  ...accountEvents,
  ...hookEvents,
};

type Specs = typeof specs;
export type EventKind = keyof Specs;
/** The kinds that webhooks hear of. Each has a maker of payloads (`src/webhooks/payloads/make-payload.ts`). */
export type HookedKind = { [Kind in EventKind]: Specs[Kind] extends { news: unknown } ? Kind : never }[EventKind];

/** The event of a kind, or of one of several. */
export type EventOf<Kind extends EventKind> = Kind extends EventKind
  ? { readonly kind: Kind } & Readonly<Static<Specs[Kind]["carries"]>>
  : never;
export type Event = EventOf<EventKind>;

const isHookedKind = (kind: EventKind): kind is HookedKind => "news" in specs[kind];
export const hookedKinds: readonly HookedKind[] = (Object.keys(specs) as EventKind[]).filter(isHookedKind);

export function isHooked(event: Event): event is EventOf<HookedKind> {
  return isHookedKind(event.kind);
}

/** Returns what webhooks are told of an event, in this order; nothing for a kind that they do not hear of. */
export function newsOf(event: Event): readonly HookNews[] {
  const spec = specs[event.kind];
  return "news" in spec ? (spec.news as (event: Event) => readonly HookNews[])(event) : [];
}

/** Reads an event that was stored as its kind and its other fields; null for a kind that there is not, or fields that are not its own. */
export function readEvent(kind: string, fields: unknown): Event | null {
  const spec = Object.hasOwn(specs, kind) ? specs[kind as EventKind] : null;
  return spec !== null && spec.fits(fields) ? ({ kind, ...(fields as object) } as Event) : null;
}

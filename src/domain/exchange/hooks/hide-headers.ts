import type { Event } from "../../spine/events.ts";
import type { Work } from "../../spine/work.ts";
import { hideHeadersOf } from "./queries.ts";

/** Keeps from the new owner of a repository the Authorization headers of its webhooks, which the former owner wrote. */
export async function hideHeaders({ tx }: Work, event: Event): Promise<void> {
  if (event.kind === "repository.transferred") {
    await hideHeadersOf(tx, event.repository.id);
  }
}

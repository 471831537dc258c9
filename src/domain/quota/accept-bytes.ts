import type { Event } from "../events.ts";
import type { Work } from "../work.ts";
import { acceptPullBytes } from "./guest-queries.ts";

/** Subscriber: what a pull request brought leaves the share of guests with its merge. */
export async function acceptBytes({ tx }: Work, event: Event): Promise<void> {
  if (event.kind === "pull.merged") {
    await acceptPullBytes(tx, event.repository.id, event.issue.number);
  }
}

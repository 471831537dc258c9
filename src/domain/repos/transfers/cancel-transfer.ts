import type { Event } from "../../spine/events.ts";
import type { Work } from "../../spine/work.ts";
import { deleteTransfer } from "./queries.ts";

/** Subscriber: what was offered under one name is not given away under another. */
export async function cancelTransfer({ tx }: Work, event: Event): Promise<void> {
  if (event.kind === "repository.renamed") {
    await deleteTransfer(tx, event.repository.id);
  }
}

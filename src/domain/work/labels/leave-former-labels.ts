import type { Event } from "../../spine/events.ts";
import type { Work } from "../../spine/work.ts";
import { removeLabelsOfOwner } from "./queries.ts";

/** Takes the labels of the former organization from the issues of a repository that another one has now: they are not its own. */
export async function leaveFormerLabels({ tx }: Work, event: Event): Promise<void> {
  if (event.kind === "repository.transferred") {
    await removeLabelsOfOwner(tx, event.repository.id, event.oldOwner.id);
  }
}

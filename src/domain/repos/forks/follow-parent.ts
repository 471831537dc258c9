import type { Event } from "../../spine/events.ts";
import type { Work } from "../../spine/work.ts";
import { hideForks, type HiddenFrom } from "./queries.ts";

/**
 * Subscriber: forks become private when their parent is seen by fewer than they are. They stay so when it is seen by more again. It is told of
 * each, as of one that its owner makes private.
 */
export async function followParent(work: Work, event: Event): Promise<void> {
  const from = changedBy(event);
  for (const repository of from === null ? [] : await hideForks(work.tx, from)) {
    work.tell({ kind: "repository.edited", repository, changed: ["private"] });
  }
}

/** Returns the repository or owner whose visibility this event changed; null for most events. */
function changedBy(event: Event): HiddenFrom | null {
  switch (event.kind) {
    case "repository.edited":
      return event.changed.includes("private") && event.repository.private
        ? { repositoryId: event.repository.id }
        : null;
    case "repository.transferred":
      return { repositoryId: event.repository.id };
    case "organization.edited":
      return event.changed.includes("visibility") ? { ownerId: event.owner.id } : null;
    case "user.edited":
      return event.changed.includes("visibility") ? { ownerId: event.user.id } : null;
    default:
      return null;
  }
}

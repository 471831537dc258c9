import type { Event, EventKind } from "../../spine/events.ts";
import type { Work } from "../../spine/work.ts";

/** Events after which another number of issues or pull requests is open. */
const recounting: ReadonlySet<EventKind> = new Set([
  "issue.opened",
  "issue.closed",
  "issue.reopened",
  "issue.deleted",
  "pull.merged",
]);

/** Subscriber: has the pages look again that show what an event is about. */
export function refreshPages(work: Work, event: Event): void {
  if ("issue" in event) {
    const { issue, repository } = event;
    work.refresh(`issue:${issue.id}`);
    work.refresh(`${issue.isPull ? "pulls" : "issues"}:${repository.id}`);
    if (recounting.has(event.kind)) {
      work.refresh(`${issue.isPull ? "open-pulls" : "open-issues"}:${repository.id}`);
    }
    return;
  }
  switch (event.kind) {
    case "status.created":
      work.refresh(`commit:${event.repository.id}:${event.oid}`);
      work.refresh(`code:${event.repository.id}`);
      break;
    case "refs.moved":
    case "repository.edited":
    case "repository.archived":
    case "repository.unarchived":
      work.refresh(`code:${event.repository.id}`);
  }
}

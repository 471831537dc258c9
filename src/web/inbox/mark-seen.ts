import type { Doer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { markAll } from "../../domain/work/notifications/mark.ts";
import { findUnreadOf } from "../../domain/work/notifications/queries.ts";
import type { Visit } from "../visit.ts";

/**
 * Marks what the visitor was told of an issue as read, because they see its page now. A page that a browser only loads ahead marks nothing, and
 * what comes while it is made stays unread.
 */
export async function markSeen(forge: Forge, visit: Visit, doer: Doer, issueId: number): Promise<void> {
  const { actor, request } = visit;
  if (actor === null || request.method !== "GET" || request.headers.has("sec-purpose")) {
    return;
  }
  const id = await findUnreadOf(forge.database.db, actor.id, issueId);
  if (id !== null) {
    const marking = { statuses: ["unread"], ids: [id], before: new Date(visit.now + 1) } as const;
    await forge.change(doer, (work) => markAll(work, marking, "read"));
  }
}

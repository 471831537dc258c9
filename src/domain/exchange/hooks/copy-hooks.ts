import type { Event } from "../../spine/events.ts";
import { demandEvents } from "./edit-hook.ts";
import type { Work } from "../../spine/work.ts";
import { copyHooksInto, listDefaultHooks, listHooksOf } from "./queries.ts";

/**
 * Subscriber: a new repository gets the default webhooks of the instance, and those of its template, with their secrets, if that was asked for.
 * Throws what `demandEvents` throws.
 */
export async function copyHooks(work: Work, event: Event): Promise<void> {
  if (event.kind === "repository.created") {
    await copyHooksInto(work.tx, await listDefaultHooks(work.tx), event.repository.id);
  } else if (event.kind === "repository.generated" && event.webhooks) {
    const rows = await listHooksOf(work.tx, event.templateId);
    demandEvents(
      work.doer,
      rows.flatMap(({ events }) => events),
    );
    await copyHooksInto(work.tx, rows, event.repository.id);
  }
}

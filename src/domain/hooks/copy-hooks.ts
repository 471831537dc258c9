import type { Event } from "../events.ts";
import type { NamedRepository } from "../events/names.ts";
import { demandEvents } from "./edit-hook.ts";
import type { Work } from "../work.ts";
import { copyHooksInto, listDefaultHooks, listHooksOf, type HookRow } from "./queries.ts";

/**
 * Subscriber: a new repository gets the default webhooks of the instance, and those of its template, with their secrets, if that was asked for.
 * Throws what `demandEvents` throws.
 */
export async function copyHooks(work: Work, event: Event): Promise<void> {
  if (event.kind === "repository.created") {
    await copy(work, await listDefaultHooks(work.tx), event.repository);
  } else if (event.kind === "repository.generated" && event.webhooks) {
    const rows = await listHooksOf(work.tx, event.templateId);
    demandEvents(
      work.doer,
      rows.flatMap(({ events }) => events),
    );
    await copy(work, rows, event.repository);
  }
}

async function copy(work: Work, rows: readonly HookRow[], repository: NamedRepository): Promise<void> {
  for (const hookId of await copyHooksInto(work.tx, rows, repository.id)) {
    work.tell({ kind: "hook.created", repository, owner: null, hookId });
  }
}

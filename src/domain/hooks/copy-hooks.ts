import type { Event } from "../events.ts";
import type { NamedRepository } from "../events/names.ts";
import { demandEvents } from "./edit-hook.ts";
import type { Work } from "../work.ts";
import { copyHooksInto, listDefaultHooks, listHooksOf, type HookRow } from "./queries.ts";

/** Subscriber: a new repository gets the default hooks of the instance. */
export async function copyDefaultHooks(work: Work, event: Event): Promise<void> {
  if (event.kind === "repository.created") {
    await copy(work, await listDefaultHooks(work.tx), event.repository);
  }
}

/** Gives a repository that was made of a template the template's hooks, with their secrets. Throws what `demandEvents` throws. */
export async function copyTemplateHooks(work: Work, templateId: number, repository: NamedRepository): Promise<void> {
  const rows = await listHooksOf(work.tx, templateId);
  demandEvents(
    work.doer,
    rows.flatMap(({ events }) => events),
  );
  await copy(work, rows, repository);
}

async function copy(work: Work, rows: readonly HookRow[], repository: NamedRepository): Promise<void> {
  for (const hookId of await copyHooksInto(work.tx, rows, repository.id)) {
    work.tell({ kind: "hook.created", repository, owner: null, hookId });
  }
}

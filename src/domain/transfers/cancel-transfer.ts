import type { Event } from "../events.ts";
import { namedOwner } from "../events/names.ts";
import type { Work } from "../work.ts";
import { deleteTransfer, findTransfer } from "./queries.ts";

/** Subscriber: what was offered under one name is not given away under another. */
export async function cancelTransfer({ tx, tell }: Work, event: Event): Promise<void> {
  if (event.kind !== "repository.renamed") {
    return;
  }
  const { repository } = event;
  const transfer = await findTransfer(tx, repository.id);
  if (transfer !== null) {
    await deleteTransfer(tx, repository.id);
    tell({ kind: "transfer.cancelled", repository, recipient: namedOwner(transfer.recipient) });
  }
}

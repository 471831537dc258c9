import type { Transaction } from "../../db/client.ts";
import type { Event } from "../spine/events.ts";
import type { Seen } from "./look-again.ts";
import { findNamedRepositories } from "../repos/queries.ts";
import type { NamedRepository } from "../spine/events/names.ts";

/**
 * Has events call repositories as they are called now. A use case names a repository as it was when the request, or the job, began: it may
 * have another owner since then, who is to be told of it, and for whom it counts. Costs a query where the doer asked for a repository that
 * changed, and for jobs.
 */
export async function renameRepositories(
  tx: Transaction,
  told: { event: Event }[],
  { doer, repository: looked }: Seen,
): Promise<void> {
  const isStale = (named: NamedRepository) =>
    looked === null
      ? doer.kind === "server"
      : named.id === looked.repository.id &&
        (named.owner.id !== looked.owner.id ||
          named.owner.name !== looked.owner.name ||
          named.name !== looked.repository.name ||
          named.private !== looked.repository.private);
  const stale = told.flatMap((one) => {
    const named = "repository" in one.event ? one.event.repository : null;
    return named !== null && isStale(named) ? [{ one, id: named.id }] : [];
  });
  if (stale.length === 0) {
    return;
  }
  const found = await findNamedRepositories(tx, [...new Set(stale.map(({ id }) => id))]);
  const byId = new Map(found.map((named) => [named.id, named]));
  for (const { one, id } of stale) {
    const repository = byId.get(id);
    // One that was deleted is called as it was.
    if (repository !== undefined) {
      one.event = { ...one.event, repository } as Event;
    }
  }
}

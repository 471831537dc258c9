import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { Forbidden } from "../errors.ts";
import { insertStar, insertWatch } from "./queries.ts";

function demandNotBlocked({ owner, repository, blocked }: RepositoryAccess): void {
  if (blocked) {
    throw new Forbidden(`The owner of "${owner.name}/${repository.name}" blocked you`);
  }
}

/** Stars a repository. Throws Forbidden for those whom its owner blocked. */
export async function starRepository(tx: Transaction, actor: Actor, access: RepositoryAccess): Promise<void> {
  demandNotBlocked(access);
  await insertStar(tx, actor.id, access.repository.id);
}

/** Watches a repository. Throws Forbidden for those whom its owner blocked. */
export async function watchRepository(tx: Transaction, actor: Actor, access: RepositoryAccess): Promise<void> {
  demandNotBlocked(access);
  await insertWatch(tx, actor.id, access.repository.id);
}

import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { Forbidden } from "../errors.ts";
import { insertStar, insertWatch, isBlockedBy } from "./queries.ts";

async function demandNotBlocked(tx: Transaction, actor: Actor, { owner, repository }: RepositoryAccess): Promise<void> {
  if (await isBlockedBy(tx, actor.id, owner.id)) {
    throw new Forbidden(`The owner of "${owner.name}/${repository.name}" blocked you`);
  }
}

/** Stars a repository. Throws Forbidden for those whom its owner blocked. */
export async function starRepository(tx: Transaction, actor: Actor, access: RepositoryAccess): Promise<void> {
  await demandNotBlocked(tx, actor, access);
  await insertStar(tx, actor.id, access.repository.id);
}

/** Watches a repository. Throws Forbidden for those whom its owner blocked. */
export async function watchRepository(tx: Transaction, actor: Actor, access: RepositoryAccess): Promise<void> {
  await demandNotBlocked(tx, actor, access);
  await insertWatch(tx, actor.id, access.repository.id);
}

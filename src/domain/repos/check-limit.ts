import type { Transaction } from "../../db/client.ts";
import { Forbidden } from "../spine/errors.ts";
import { countRepositories, findRepositoryLimit, lockForCounting } from "./limit-queries.ts";

/**
 * Keeps an owner within the number of repositories that an administrator set for the user, or that the server allows
 * everybody (0: any). Until the transaction ends nobody else makes one under the limit. Throws Forbidden.
 */
export async function checkRepositoryLimit(
  tx: Transaction,
  owner: { id: number; name: string },
  allowed: number,
): Promise<void> {
  const own = (await findRepositoryLimit(tx, owner.id)) ?? -1;
  const limit = own >= 0 ? own : allowed === 0 ? null : allowed;
  if (limit === null) {
    return;
  }
  await lockForCounting(tx, owner.id);
  if ((await countRepositories(tx, owner.id)) >= limit) {
    throw new Forbidden(`"${owner.name}" may have at most ${limit} repositories`);
  }
}

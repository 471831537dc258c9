import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/forge.ts";
import { presentRepository } from "./present.ts";
import { presentTransfers } from "./present-transfers.ts";

export type PresentedRepository = ReturnType<typeof presentRepository>;

/** Repositories as JSON, with what lies beyond their rows: a constant number of queries, and none where there is nothing. */
export async function presentRepositories(
  forge: Forge,
  accesses: readonly RepositoryAccess[],
  viewer: Actor | null,
): Promise<PresentedRepository[]> {
  const transfers = await presentTransfers(forge, accesses, viewer);
  return accesses.map((access) =>
    presentRepository(forge.addresses, access, viewer, { transfer: transfers.get(access.repository.id) ?? null }),
  );
}

/** One repository as JSON, likewise. */
export async function presentOne(
  forge: Forge,
  access: RepositoryAccess,
  viewer: Actor | null,
): Promise<PresentedRepository> {
  const transfers = await presentTransfers(forge, [access], viewer);
  return presentRepository(forge.addresses, access, viewer, { transfer: transfers.get(access.repository.id) ?? null });
}

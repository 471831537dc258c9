import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { withParents } from "../../domain/repos/forks/with-parent.ts";
import { findPullMirrors } from "../../domain/exchange/mirrors/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { presentRepository } from "./present.ts";
import { presentTransfers } from "./present-transfers.ts";

export type PresentedRepository = ReturnType<typeof presentRepository>;

/** Repositories as JSON, with what lies beyond their rows: a constant number of queries. */
export async function presentRepositories(
  forge: Forge,
  accesses: readonly RepositoryAccess[],
  { actor, credential }: Viewer,
): Promise<PresentedRepository[]> {
  const { db } = forge.database;
  const mirrorIds = accesses.filter(({ repository }) => repository.mirror).map(({ repository }) => repository.id);
  const [mirrors, transfers, found] = await Promise.all([
    findPullMirrors(db, mirrorIds),
    presentTransfers(forge, accesses, actor),
    withParents(db, { actor, credential }, accesses),
  ]);
  return found.map((access) =>
    presentRepository(forge.addresses, access, actor, {
      transfer: transfers.get(access.repository.id) ?? null,
      mirror: mirrors.get(access.repository.id) ?? null,
    }),
  );
}

/** Presents one repository as JSON. */
export async function presentOne(forge: Forge, access: RepositoryAccess, viewer: Viewer): Promise<PresentedRepository> {
  const [presented] = await presentRepositories(forge, [access], viewer);
  if (presented === undefined) {
    throw new Error("A list of one repository was presented as an empty one");
  }
  return presented;
}

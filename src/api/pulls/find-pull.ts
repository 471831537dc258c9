import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { findPullWithDetails } from "../../domain/work/pulls/detail-queries.ts";

/** Returns a pull request by its number, with its details. Throws NotFound. */
export async function getPull({ database }: Forge, access: RepositoryAccess, number: number) {
  const found = await findPullWithDetails(database.db, access.repository.id, number);
  if (found === null) {
    throw new NotFound("pull request", String(number));
  }
  return found;
}

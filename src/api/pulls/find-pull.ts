import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/errors.ts";
import type { Forge } from "../../domain/forge.ts";
import { findPullWithDetails } from "../../domain/pulls/detail-queries.ts";

/** Returns a pull request by its number, with its details. Throws NotFound. */
export async function getPull({ database }: Forge, access: RepositoryAccess, number: number) {
  const found = await findPullWithDetails(database.db, access.repository.id, number);
  if (found === null) {
    throw new NotFound("pull request", String(number));
  }
  return found;
}

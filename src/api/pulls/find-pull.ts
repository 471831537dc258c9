import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/errors.ts";
import type { Forge } from "../../domain/forge.ts";
import { findPull, type IssueAndPull } from "../../domain/pulls/queries.ts";

/** Returns a pull request by its number. Throws NotFound. */
export async function getPull({ database }: Forge, access: RepositoryAccess, number: number): Promise<IssueAndPull> {
  const found = await findPull(database.db, access.repository.id, number);
  if (found === null) {
    throw new NotFound("pull request", String(number));
  }
  return found;
}

import type { OwnerRow, RepositoryRow } from "../../auth/subject.ts";
import { violatesUnique } from "../../db/pg-errors.ts";
import { Conflict } from "../spine/errors.ts";
import { namedRepository } from "../spine/events/names.ts";
import type { Work } from "../spine/work.ts";
import { deleteRedirect, insertRepository, type RepositoryColumns } from "./queries.ts";

/**
 * Makes the row of a new repository and tells `repository.created`: the one place that does, wherever the repository comes
 * from. The caller has checked the name. Throws Conflict when the owner has one of the name.
 */
export async function makeRepository(
  work: Work,
  owner: Pick<OwnerRow, "id" | "name">,
  columns: Omit<RepositoryColumns, "ownerId">,
): Promise<RepositoryRow> {
  try {
    const repository = await insertRepository(work.tx, { ...columns, ownerId: owner.id });
    await deleteRedirect(work.tx, owner.id, repository.name);
    work.tell({ kind: "repository.created", repository: namedRepository({ repository, owner }) });
    return repository;
  } catch (error) {
    throw violatesUnique(error, "repository_owner_name")
      ? new Conflict(`The repository "${owner.name}/${columns.name}" already exists`)
      : error;
  }
}

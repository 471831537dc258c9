import type { OwnerRow } from "../../../auth/subject.ts";
import { violatesUnique } from "../../../db/pg-errors.ts";
import { DeletedMeanwhile, NameTaken } from "../../spine/errors.ts";
import { checkOwnerName } from "./names.ts";
import { deleteOwnerRedirect, insertOwnerRedirect, lockOwner, updateOwner } from "./queries.ts";
import type { Work } from "../../spine/work.ts";

/**
 * Gives a user or an organization another name. The old one leads to it until somebody takes it; `field` is the input
 * that has the new one. Throws InvalidInput, NameTaken, and DeletedMeanwhile.
 */
export async function renameOwner(work: Work, id: number, name: string, field: string): Promise<OwnerRow> {
  const { tx } = work;
  checkOwnerName(name, field);
  const current = await lockOwner(tx, id);
  if (current === null) {
    throw new DeletedMeanwhile("owner", String(id));
  }
  const lowerName = name.toLowerCase();
  try {
    const row = await updateOwner(tx, id, { name, lowerName });
    if (lowerName !== current.lowerName) {
      await deleteOwnerRedirect(tx, name);
      await insertOwnerRedirect(tx, current.name, id);
    }
    const renamed = row ?? current;
    return renamed;
  } catch (error) {
    throw violatesUnique(error, "owner_lower_name") ? new NameTaken(name) : error;
  }
}

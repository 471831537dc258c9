import { NotFound } from "../../spine/errors.ts";
import { deleteUserKeyRow } from "./queries.ts";
import type { Work } from "../../spine/work.ts";
import type { NamedOwner } from "../../spine/events/names.ts";

/** Takes a public key from a user. Throws NotFound when the user has none with this id. */
export async function deleteUserKey(work: Work, user: NamedOwner, id: number): Promise<void> {
  const { tx } = work;
  if (!(await deleteUserKeyRow(tx, id, user.id))) {
    throw new NotFound("public key", String(id));
  }
}

import type { Transaction } from "../../db/client.ts";
import { NotFound } from "../errors.ts";
import { deleteUserKeyRow } from "./queries.ts";

/** Takes a public key from a user. Throws NotFound when the user has none with this id. */
export async function deleteUserKey(tx: Transaction, id: number, userId: number): Promise<void> {
  if (!(await deleteUserKeyRow(tx, id, userId))) {
    throw new NotFound("public key", String(id));
  }
}

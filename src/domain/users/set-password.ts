import { hashPassword } from "../../auth/password.ts";
import type { Transaction } from "../../db/client.ts";
import { NotFound } from "../errors.ts";
import { deleteSessions } from "../sessions/queries.ts";
import { checkPassword } from "./check-password.ts";
import { deleteResetTokens } from "./email-queries.ts";
import { findUserByName, updatePasswordHash } from "./queries.ts";

/** Gives a user a new password; the old one is wrong from the next request on, every browser has to sign in again, and links to a new password are void. Throws NotFound, InvalidInput. */
export async function setPassword(
  tx: Transaction,
  change: { username: string; password: string; mustChangePassword: boolean },
  passwordMinimum: number,
): Promise<void> {
  checkPassword(change.password, passwordMinimum);
  const user = await findUserByName(tx, change.username);
  if (user === null) {
    throw new NotFound("user", change.username);
  }
  await replacePassword(tx, user.id, change.password, change.mustChangePassword);
}

/** The same for a password that was checked, of a user that is known. */
export async function replacePassword(tx: Transaction, userId: number, password: string, mustChangePassword: boolean): Promise<void> {
  await updatePasswordHash(tx, userId, await hashPassword(password), mustChangePassword);
  await deleteSessions(tx, userId, null);
  await deleteResetTokens(tx, userId);
}

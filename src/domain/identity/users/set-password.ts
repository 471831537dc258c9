import { hashPassword } from "../../../auth/password.ts";
import { NotFound } from "../../spine/errors.ts";
import { deleteSessions } from "../sessions/queries.ts";
import { checkPassword } from "./check-password.ts";
import { deleteResetTokens } from "./email-queries.ts";
import { findUserByName, updatePasswordHash } from "./queries.ts";
import type { Work } from "../../spine/work.ts";
import type { NamedOwner } from "../../spine/events/names.ts";

/** Gives a user a new password; the old one is wrong from the next request on, every browser has to sign in again, and links to a new password are void. Throws NotFound, InvalidInput. */
export async function setPassword(
  work: Work,
  change: { username: string; password: string; mustChangePassword: boolean },
  passwordMinimum: number,
): Promise<void> {
  const { tx } = work;
  checkPassword(change.password, passwordMinimum);
  const user = await findUserByName(tx, change.username);
  if (user === null) {
    throw new NotFound("user", change.username);
  }
  await replacePassword(work, user, change.password, change.mustChangePassword);
}

/** Replaces the password of a known user. The password is checked already. */
export async function replacePassword(
  work: Work,
  user: NamedOwner,
  password: string,
  mustChangePassword: boolean,
): Promise<void> {
  const { tx } = work;
  await updatePasswordHash(tx, user.id, await hashPassword(password), mustChangePassword);
  await deleteSessions(tx, user.id, null);
  await deleteResetTokens(tx, user.id);
}

import type { Transaction } from "../../db/client.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { NotFound } from "../errors.ts";
import { deleteResetTokens, listUserEmails, lockAccount, removeEmails } from "./email-queries.ts";

/** Takes addresses from a user, all or none. Throws NotFound for one that is not theirs, InvalidInput for the primary one. */
export async function deleteEmails(tx: Transaction, userId: number, emails: readonly string[]): Promise<void> {
  await lockAccount(tx, userId);
  const mine = new Map((await listUserEmails(tx, userId)).map((row) => [row.lowerEmail, row]));
  const ids = emails.map((email) => {
    const row = mine.get(email.toLowerCase());
    if (row === undefined) {
      throw new NotFound("e-mail address", email);
    }
    if (row.primary) {
      throw new InvalidInput(`"${row.email}" is the primary e-mail address and cannot be deleted`, "emails");
    }
    return row.id;
  });
  if (ids.length > 0) {
    await removeEmails(tx, ids);
    await deleteResetTokens(tx, userId);
  }
}

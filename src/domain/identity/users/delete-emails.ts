import { InvalidInput } from "../../../lib/errors.ts";
import { NotFound } from "../../spine/errors.ts";
import { deleteResetTokens, listUserEmails, removeEmails } from "./email-queries.ts";
import { lockAccount } from "../../spine/lock-queries.ts";
import type { Work } from "../../spine/work.ts";
import type { NamedOwner } from "../../spine/events/names.ts";

/** Takes addresses from a user, all or none. Throws NotFound for one that is not theirs, InvalidInput for the primary one. */
export async function deleteEmails(work: Work, user: NamedOwner, emails: readonly string[]): Promise<void> {
  const { tx } = work;
  await lockAccount(tx, user.id);
  const mine = new Map((await listUserEmails(tx, user.id)).map((row) => [row.lowerEmail, row]));
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
    await deleteResetTokens(tx, user.id);
  }
}

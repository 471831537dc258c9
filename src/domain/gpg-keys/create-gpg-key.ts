import type { Transaction } from "../../db/client.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { NotFound } from "../errors.ts";
import { lockUser } from "../keys/queries.ts";
import type { GpgKeyDetails } from "../signatures/gpg-signature.ts";
import { countGpgKeys, findVerifiedEmails, insertGpgKey, type GpgKeyRow } from "./queries.ts";

const mostKeys = 100;

/**
 * Gives a user an OpenPGP key. Anybody can have anybody's public key, so one of its addresses has to be a verified one
 * of the user, or they have proved by a signature that it is theirs (`proved`). Throws InvalidInput, NotFound.
 */
export async function createGpgKey(tx: Transaction, user: { id: number; name: string }, details: GpgKeyDetails, armoredKey: string, proved: boolean): Promise<GpgKeyRow> {
  if (!(await lockUser(tx, user.id))) {
    throw new NotFound("user", user.name);
  }
  if ((await countGpgKeys(tx, user.id)) >= mostKeys) {
    throw new InvalidInput(`The user has ${mostKeys} OpenPGP keys already, which is the most that one can have`, "armored_public_key");
  }
  const verified = await findVerifiedEmails(tx, user.id);
  if (!proved && !details.emails.some((email) => verified.has(email))) {
    throw new InvalidInput("None of the key's addresses is a verified one of yours: send armored_signature, too, a signature over the token of /user/gpg_key_token", "armored_signature");
  }
  const row = await insertGpgKey(tx, {
    userId: user.id,
    keyId: details.keyId,
    fingerprint: details.fingerprint,
    subkeyIds: details.subkeyIds,
    content: armoredKey,
    emails: details.emails,
    verified: proved,
    keyCreatedAt: details.createdAt,
    keyExpiresAt: details.expiresAt,
  });
  if (row === null) {
    throw new InvalidInput(`The key ${details.keyId} is in use already: a key says who signed, so it belongs to one user`, "armored_public_key");
  }
  return row;
}

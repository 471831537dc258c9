import { InvalidInput } from "../../../lib/errors.ts";
import { NotFound } from "../../spine/errors.ts";
import { lockAccount } from "../../spine/lock-queries.ts";
import type { GpgKeyDetails } from "../../git/signatures/gpg-signature.ts";
import {
  countGpgKeys,
  findVerifiedEmails,
  insertGpgKey,
  markGpgKeyVerified,
  removeGpgKey,
  type GpgKeyRow,
} from "./queries.ts";
import type { Work } from "../../spine/work.ts";
import type { NamedOwner } from "../../spine/events/names.ts";

const maxKeys = 100;

/**
 * Gives a user an OpenPGP key. Anybody can have anybody's public key, so one of its addresses has to be a verified one
 * of the user, or they have proved by a signature that it is theirs (`proved`). Throws InvalidInput, NotFound.
 */
export async function createGpgKey(
  work: Work,
  user: { id: number; name: string },
  details: GpgKeyDetails,
  armoredKey: string,
  proved: boolean,
): Promise<GpgKeyRow> {
  const { tx } = work;
  if (!(await lockAccount(tx, user.id))) {
    throw new NotFound("user", user.name);
  }
  if ((await countGpgKeys(tx, user.id)) >= maxKeys) {
    throw new InvalidInput(
      `The user has ${maxKeys} OpenPGP keys already, which is the most that one can have`,
      "armored_public_key",
    );
  }
  const verified = await findVerifiedEmails(tx, user.id);
  if (!proved && !details.emails.some((email) => verified.has(email))) {
    throw new InvalidInput(
      "None of the key's addresses is a verified one of yours: send armored_signature, too, a signature over the token of /user/gpg_key_token",
      "armored_signature",
    );
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
    throw new InvalidInput(
      `The key ${details.keyId} is in use already: a key says who signed, so it belongs to one user`,
      "armored_public_key",
    );
  }
  return row;
}

/** Notes that a user has proved to have the key. Returns it as it is now; null when it is gone. */
export async function verifyGpgKey(work: Work, id: number): Promise<GpgKeyRow | null> {
  return markGpgKeyVerified(work.tx, id);
}

/** Takes an OpenPGP key from a user. Throws NotFound when the user has none with this id. */
export async function deleteGpgKey(work: Work, user: NamedOwner, id: number): Promise<void> {
  if (!(await removeGpgKey(work.tx, user.id, id))) {
    throw new NotFound("OpenPGP key", String(id));
  }
}

import type { Key, Signature } from "openpgp";
import { InvalidInput, messageOf } from "../../../lib/errors.ts";
import { nextTurn } from "../../../lib/turns.ts";
import { findCostlyPart } from "./key-cost.ts";

/** Read when it is first needed: most servers never do, and it would take a tenth of the time of a start. */
const library = () => import("openpgp");

/** A signature by the largest key, with all that programs write beside it, has a quarter of that. */
const largestSignature = 16 * 1024;

/** One signature; null for what cannot be read, or is more than one: each of them would be checked, however many there are. */
async function readOne(armoredSignature: string): Promise<Signature | null> {
  if (armoredSignature.length > largestSignature) {
    return null;
  }
  const { readSignature } = await library();
  const signature = await readSignature({ armoredSignature });
  return signature.packets.length === 1 ? signature : null;
}

/** Ids of the keys that an OpenPGP signature says made it, upper case; none for what cannot be read. */
export async function issuersOf(armoredSignature: string): Promise<string[]> {
  try {
    const signature = await readOne(armoredSignature);
    return signature === null ? [] : signature.getSigningKeyIDs().map((id) => id.toHex().toUpperCase());
  } catch {
    return [];
  }
}

/** Whether the key (or a subkey of it) made the signature over this text, at a time at which it was good for signing. */
export async function verifyGpgSignature(armoredKey: string, armoredSignature: string, text: string): Promise<boolean> {
  try {
    // Some curves take the library 50 ms: others get their turn between the signatures of a list.
    await nextTurn();
    const signature = await readOne(armoredSignature);
    if (signature === null) {
      return false;
    }
    const { createMessage, readKey, verify } = await library();
    const message = await createMessage({ binary: Buffer.from(text) });
    const verificationKeys = await readKey({ armoredKey });
    const { signatures } = await verify({ message, signature, verificationKeys, format: "binary" });
    const [first, ...others] = signatures;
    return first !== undefined && others.length === 0 && (await first.verified);
  } catch {
    // The library throws for every way in which a signature is not good.
    return false;
  }
}

/** A public key that was checked, and what is told of it. */
export interface GpgKeyDetails {
  key: Key;
  keyId: string;
  fingerprint: string;
  subkeyIds: string[];
  /** In its user ids that are signed and not revoked, lower case. */
  emails: string[];
  createdAt: Date;
  expiresAt: Date | null;
}

const largestKey = 64 * 1024;
const maxUserIds = 100;

function refuse(reason: string): InvalidInput {
  return new InvalidInput(`The key cannot be taken: ${reason}`, "armored_public_key");
}

async function emailsOf(key: Key): Promise<string[]> {
  const emails = new Set<string>();
  for (const user of key.users) {
    const email = user.userID?.email.toLowerCase();
    const holds = await user.verify().then(
      (valid) => valid === true,
      () => false,
    );
    if (email && holds) {
      emails.add(email);
    }
  }
  return [...emails];
}

/** Reads an armored public key. Throws InvalidInput for what is none, is secret, revoked, expired, too large or too costly to verify. */
export async function readGpgKey(armoredKey: string): Promise<GpgKeyDetails> {
  if (armoredKey.length > largestKey) {
    throw refuse(`it has ${armoredKey.length} characters; ${largestKey} are the most`);
  }
  const { readKey } = await library();
  let key: Key;
  try {
    key = await readKey({ armoredKey });
  } catch (error) {
    throw refuse(`it cannot be read as an armored OpenPGP key (${messageOf(error).slice(0, 100)})`);
  }
  if (key.isPrivate()) {
    throw refuse("it is a secret key; keep that to yourself, and send the public one (gpg --armor --export)");
  }
  if (key.users.length > maxUserIds) {
    throw refuse(`it has ${key.users.length} user ids; ${maxUserIds} are the most`);
  }
  const costly = await findCostlyPart(key);
  if (costly !== null) {
    throw refuse(costly);
  }
  try {
    await key.verifyPrimaryKey();
  } catch (error) {
    throw refuse(`it is not valid now (${messageOf(error).slice(0, 100)})`);
  }
  const expires = await key.getExpirationTime();
  return {
    key,
    keyId: key.getKeyID().toHex().toUpperCase(),
    fingerprint: key.getFingerprint().toUpperCase(),
    subkeyIds: key.subkeys.map((subkey) => subkey.getKeyID().toHex().toUpperCase()),
    emails: await emailsOf(key),
    createdAt: key.getCreationTime(),
    expiresAt: expires instanceof Date ? expires : null,
  };
}

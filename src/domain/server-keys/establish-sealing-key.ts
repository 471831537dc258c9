import { createHmac, timingSafeEqual } from "node:crypto";
import { twoFactorContext } from "../../auth/second-factor.ts";
import type { Reader, Transaction } from "../../db/client.ts";
import { StithyError } from "../../lib/errors.ts";
import { seal, unseal } from "../../lib/sealed-box.ts";
import { lockInstallation } from "../locks/queries.ts";
import { deleteServerKey, findServerKey, insertServerKey, setSealedSecrets, twoFactorPages } from "./queries.ts";
import { makeSealingKey, readSealingKey } from "./sealing-key-file.ts";
import { commandText } from "../../lib/command-text.ts";

/** The key that the database's sealed values were sealed with is not there. */
class SealingKeyMissing extends StithyError {
  constructor(path: string) {
    super(
      "invalid",
      "sealing-key-missing",
      `The sealing key ${path} is not there, and the database has values that only it opens. Nothing was changed. Restore the file from a backup, or name it in data.sealing_key_file. ` +
        `If it is lost for good, run "${commandText("admin forget-sealing-key")}": second factors and stored secrets have to be set anew then`,
      { path },
    );
  }
}

/** The file holds another key than the one that the database's values were sealed with. */
class WrongSealingKey extends StithyError {
  constructor(path: string) {
    super(
      "invalid",
      "wrong-sealing-key",
      `The sealing key ${path} is not the one of this database. Nothing was changed. Restore the file that belongs to the database from a backup, or name it in data.sealing_key_file`,
      { path },
    );
  }
}

/** The name under which the key itself lay in the database, in older versions. */
const formerName = "seal";
/** The name of what tells the right key from another one, and tells nothing of the key. */
const checkName = "sealing-key-check";
const checkBytes = 32;
const pageSize = 1000;

/**
 * Answers the key that seals secrets, out of its file. The first start makes the file. A database of an older version, which held the
 * key itself, has its values sealed anew with the key of the file, and loses the former key, all in the caller's transaction: if
 * that ends early, the next start finds the file and does it again. Throws SealingKeyMissing, WrongSealingKey and SealingKeyUnusable;
 * no key is ever made in the place of one that was used.
 */
export async function establishSealingKey(
  tx: Transaction,
  path: string,
  { durable }: { durable: boolean },
): Promise<Uint8Array> {
  await lockInstallation(tx);
  const known = await findSealingKey(tx, path);
  if (known.state === "in-use") {
    return known.key;
  }
  const key = known.key ?? (await makeSealingKey(path, durable));
  const former = await findServerKey(tx, formerName);
  if (former !== null) {
    await sealAnew(tx, former, key);
    await deleteServerKey(tx, formerName);
  }
  await insertServerKey(tx, checkName, checkOf(key));
  return key;
}

/** What an installation's sealing key is, without making one. "former": the key still lies in the database. */
export type SealingKeyState =
  | { state: "in-use"; key: Uint8Array }
  | { state: "former" | "none"; key: Uint8Array | null };

/** Looks at the file and at the database. Throws SealingKeyMissing, WrongSealingKey and SealingKeyUnusable. */
export async function findSealingKey(db: Reader, path: string): Promise<SealingKeyState> {
  const key = await readSealingKey(path);
  const check = await findServerKey(db, checkName);
  if (check === null) {
    return { state: (await findServerKey(db, formerName)) === null ? "none" : "former", key };
  }
  if (key === null) {
    throw new SealingKeyMissing(path);
  }
  if (check.length !== checkBytes || !timingSafeEqual(checkOf(key), check)) {
    throw new WrongSealingKey(path);
  }
  return { state: "in-use", key };
}

/** Makes the next start take the key of the file, or a new one. What was sealed before is not opened any more. */
export async function forgetSealingKey(tx: Transaction): Promise<void> {
  await lockInstallation(tx);
  await deleteServerKey(tx, checkName);
}

function checkOf(key: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac("sha256", key).update(checkName).digest());
}

/** A value that the former key does not open stays as it is: no key opens it. */
async function sealAnew(tx: Transaction, former: Uint8Array, key: Uint8Array): Promise<void> {
  for await (const page of twoFactorPages(tx, pageSize)) {
    const anew = page.flatMap(({ userId, sealedSecret }) => {
      const secret = unseal(former, sealedSecret, twoFactorContext(userId));
      return secret === null ? [] : [{ userId, sealedSecret: seal(key, secret, twoFactorContext(userId)) }];
    });
    await setSealedSecrets(tx, anew);
  }
}

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Reader, Transaction } from "../../../db/client.ts";
import { StithyError } from "../../../lib/errors.ts";
import { lockInstallation } from "../../spine/lock-queries.ts";
import { deleteServerKey, findServerKey, insertServerKey } from "./queries.ts";
import { makeSealingKey, readSealingKey } from "./sealing-key-file.ts";
import { commandText } from "../../../lib/command-text.ts";

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

/** The name of what tells the right key from another one, and tells nothing of the key. */
const checkName = "sealing-key-check";
const checkBytes = 32;

/**
 * Returns the key that seals secrets. It is in a file, which the first start makes. Throws SealingKeyMissing, WrongSealingKey and
 * SealingKeyUnusable; a key that was used is never replaced.
 */
export async function establishSealingKey(
  tx: Transaction,
  path: string,
  { durable }: { durable: boolean },
): Promise<Uint8Array> {
  await lockInstallation(tx);
  const known = await findSealingKey(tx, path);
  if (known.inUse) {
    return known.key;
  }
  const key = known.key ?? (await makeSealingKey(path, durable));
  await insertServerKey(tx, checkName, checkOf(key));
  return key;
}

/** An installation's sealing key, and whether the database has values that it seals. */
type FoundSealingKey = { inUse: true; key: Uint8Array } | { inUse: false; key: Uint8Array | null };

/** Looks at the file and at the database, and makes no key. Throws SealingKeyMissing, WrongSealingKey and SealingKeyUnusable. */
export async function findSealingKey(db: Reader, path: string): Promise<FoundSealingKey> {
  const key = await readSealingKey(path);
  const check = await findServerKey(db, checkName);
  if (check === null) {
    return { inUse: false, key };
  }
  if (key === null) {
    throw new SealingKeyMissing(path);
  }
  if (check.length !== checkBytes || !timingSafeEqual(checkOf(key), check)) {
    throw new WrongSealingKey(path);
  }
  return { inUse: true, key };
}

/** Makes the next start take the key of the file, or a new one. What was sealed before is not opened any more. */
export async function forgetSealingKey(tx: Transaction): Promise<void> {
  await lockInstallation(tx);
  await deleteServerKey(tx, checkName);
}

function checkOf(key: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac("sha256", key).update(checkName).digest());
}

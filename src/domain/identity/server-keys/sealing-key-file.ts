import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../../../config/config.ts";
import { StithyError, messageOf } from "../../../lib/errors.ts";
import { writeFileDurably, writeFileUnsynced } from "../../../lib/files.ts";

/**
 * The file of the key that seals what the server has to read again: one line, the 32 bytes of the key in base64. It is no part
 * of the database, so that a dump of the database shows no secret.
 */

/** The key exists, but the server cannot use it. */
class SealingKeyUnusable extends StithyError {
  constructor(path: string, reason: string) {
    super(
      "invalid",
      "sealing-key-unusable",
      `The sealing key ${path} cannot be used: ${reason}. Restore it from a backup; the server makes no other in its place`,
      { path },
    );
  }
}

const keyBytes = 32;
const line = /^[A-Za-z0-9+/]{43}=\s*$/;

/** Where the key lies: `data.sealing_key_file`, else `sealing.key` in the data directory. */
export function sealingKeyPath(config: Config): string {
  return resolve(config.data.sealing_key_file || join(config.dataDirectory, "sealing.key"));
}

/** The key, 32 bytes; null where there is no file. Throws SealingKeyUnusable. */
export async function readSealingKey(path: string): Promise<Uint8Array | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") {
      return null;
    }
    throw new SealingKeyUnusable(path, messageOf(error));
  }
  if (!line.test(text)) {
    throw new SealingKeyUnusable(path, `it is not one line of base64 that stands for ${keyBytes} bytes`);
  }
  return new Uint8Array(Buffer.from(text.trim(), "base64"));
}

/** Whether somebody other than the file's owner may read or write it. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  return ((await stat(path)).mode & 0o077) !== 0;
}

/** Makes a key, of mode 600. `durable`: it survives a power cut when this resolves. */
export async function makeSealingKey(path: string, durable: boolean): Promise<Uint8Array> {
  const key = crypto.getRandomValues(new Uint8Array(keyBytes));
  await (durable ? writeFileDurably : writeFileUnsynced)(path, `${Buffer.from(key).toString("base64")}\n`, 0o600);
  return key;
}

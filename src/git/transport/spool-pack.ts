import { open, rm } from "node:fs/promises";
import { StithyError } from "../../lib/errors.ts";
import { explainFull } from "../../lib/files.ts";

/** A received pack is larger than allowed. */
export class PackTooLarge extends StithyError {
  constructor(limit: number) {
    super("pack-too-large", `A pack of more than ${limit} bytes is not accepted`, { limit });
  }
}

/**
 * Writes what is left of a push to a new file and makes it durable; returns its length in bytes.
 * Reading stops at the limit (throws PackTooLarge), and when the disk is full (code "storage-full").
 * Whatever is thrown, the file is removed.
 */
export async function spoolPack(rest: AsyncIterable<Uint8Array>, path: string, limits: { packBytes: number }): Promise<number> {
  const file = await open(path, "wx", 0o600);
  let bytes = 0;
  try {
    try {
      for await (const chunk of rest) {
        bytes += chunk.length;
        if (bytes > limits.packBytes) {
          throw new PackTooLarge(limits.packBytes);
        }
        await file.writeFile(chunk);
      }
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(path, { force: true });
    throw explainFull(error);
  }
  return bytes;
}

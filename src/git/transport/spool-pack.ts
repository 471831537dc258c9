import { open, rm, type FileHandle } from "node:fs/promises";
import { StithyError } from "../../lib/errors.ts";
import { explainFull } from "../../lib/files.ts";
import type { PackRoom } from "./push-target.ts";

/** A received pack is larger than allowed. */
export class PackTooLarge extends StithyError {
  constructor(limit: number) {
    super("too-large", "pack-too-large", `A pack of more than ${limit} bytes is not accepted`, { limit });
  }
}

/** Chunks come in at 64 KB or less; writing each by itself would cost more than receiving it. */
const gatheredBytes = 512 * 1024;
/** However small they are: the system takes 1024 at once. */
const gatheredChunks = 256;

/**
 * Writes what is left of a push to a new file and makes it durable; returns its length in bytes.
 * Reading stops at the limit (throws PackTooLarge), where there is no room for more (throws what the room says), and when the disk is full (code "storage-full"). `onWritten` is called
 * with each chunk that is not needed any more.
 * Whatever is thrown, the file is removed.
 */
export async function spoolPack(
  rest: AsyncIterable<Uint8Array>,
  path: string,
  limits: { packBytes: number; room?: PackRoom },
  onWritten: (chunk: Uint8Array) => void = () => {},
): Promise<number> {
  const file = await open(path, "wx", 0o600);
  let bytes = 0;
  let gathered: Uint8Array[] = [];
  let written = 0;
  try {
    try {
      for await (const chunk of rest) {
        bytes += chunk.length;
        if (bytes > limits.packBytes) {
          throw new PackTooLarge(limits.packBytes);
        }
        if (limits.room !== undefined && bytes > limits.room.bytes) {
          throw limits.room.refusal(bytes);
        }
        gathered.push(chunk);
        if (bytes - written >= gatheredBytes || gathered.length === gatheredChunks) {
          await writeAll(file, gathered);
          gathered.forEach(onWritten);
          gathered = [];
          written = bytes;
        }
      }
      await writeAll(file, gathered);
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

/** Appends the chunks to the file, however often the system takes only a part of them. */
async function writeAll(file: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  for (let rest = chunks.filter(({ length }) => length > 0); rest.length > 0;) {
    let { bytesWritten } = await file.writev(rest);
    rest = rest.flatMap((chunk) => {
      const done = Math.min(bytesWritten, chunk.length);
      bytesWritten -= done;
      return done < chunk.length ? [chunk.subarray(done)] : [];
    });
  }
}

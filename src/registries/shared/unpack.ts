import { Readable, pipeline } from "node:stream";
import { constants, createGunzip, createZstdDecompress } from "node:zlib";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { messageOf } from "../../lib/errors.ts";
import { BadPackage } from "./bad-package.ts";

export type Compression = "none" | "gzip" | "xz" | "zstd";

/** What is unpacked of an archive, at most. */
export interface UnpackLimits {
  /** Bytes after decompression. */
  readonly bytes: number;
  /** Files and directories. */
  readonly entries: number;
}

/** Beyond this much, an archive that grows by more than the ratio holds nothing that a package needs. */
const freeBytes = 1024 * 1024;
const largestRatio = 1000;
/** A window of 128 MiB is the largest that `zstd` itself reads unless it is told to. */
const largestZstdWindowLog = 27;

/**
 * The content of a compressed file, as it is read. Throws BadPackage for damaged content, for more than `limit` bytes and for content that
 * grows more than a thousandfold.
 */
export async function* decompress(content: Blob, compression: Compression, limit: number): AsyncGenerator<Uint8Array> {
  const most = Math.min(limit, Math.max(freeBytes, content.size * largestRatio));
  let bytes = 0;
  try {
    for await (const chunk of open(content, compression)) {
      bytes += chunk.length;
      if (bytes > most) {
        throw new BadPackage(
          most === limit
            ? `The package holds more than ${limit} bytes where it describes itself`
            : `A part of the package grows more than ${largestRatio} times when it is decompressed`,
        );
      }
      yield chunk;
    }
  } catch (error) {
    throw error instanceof BadPackage
      ? error
      : new BadPackage(`A part of the package cannot be decompressed: ${messageOf(error)}`, { cause: error });
  }
}

async function* open(content: Blob, compression: Compression): AsyncGenerator<Uint8Array> {
  switch (compression) {
    case "none":
      yield* content.stream();
      return;
    case "xz": {
      if (content.size === 0) {
        throw new BadPackage("A part of the package is empty");
      }
      // Files of packages are read from the disk, so that the library's one context is never held for long.
      const { XzReadableStream } = await import("xz-decompress");
      yield* new XzReadableStream(content.stream());
      return;
    }
    default: {
      const source = Readable.from(content.stream());
      const inflating =
        compression === "gzip"
          ? createGunzip()
          : createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: largestZstdWindowLog } });
      // What goes wrong destroys the stream that is read below, with the error.
      pipeline(source, inflating, () => {});
      yield* inflating as AsyncIterable<Uint8Array>;
    }
  }
}

/** A file in an archive, and where it stood. */
export interface FoundFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * The first regular file of a tar archive that `isWanted`; null when there is none. Nothing after it is read. `largest`: the most bytes that
 * it may have. Throws BadPackage for an archive that is none, that ends too early or that has more entries than the limit.
 */
export async function findInTar(
  chunks: AsyncIterable<Uint8Array>,
  isWanted: (name: string) => boolean,
  { entries, largest }: { entries: number; largest: number },
): Promise<FoundFile | null> {
  const reader = streamOf(chunks)
    .pipeThrough(createTarDecoder({ strict: true }))
    .getReader();
  let seen = 0;
  try {
    for (;;) {
      const { done, value: entry } = await reader.read();
      if (done) {
        return null;
      }
      seen += 1;
      if (seen > entries) {
        throw new BadPackage(`The archive in the package has more than ${entries} entries`);
      }
      const { name, size, type } = entry.header;
      if (type === "file" && isWanted(name)) {
        if (size > largest) {
          throw new BadPackage(`The file "${name.slice(0, 80)}" in the package has more than ${largest} bytes`);
        }
        return { name, bytes: await bytesOf(entry, size) };
      }
      await entry.body.cancel();
    }
  } catch (error) {
    throw error instanceof BadPackage
      ? error
      : new BadPackage(`The archive in the package cannot be read: ${messageOf(error)}`, { cause: error });
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) {
        controller.close();
      } else {
        controller.enqueue(value);
      }
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

async function bytesOf({ body }: ParsedTarEntry, size: number): Promise<Uint8Array> {
  const bytes = await new Response(body).bytes();
  if (bytes.length !== size) {
    throw new BadPackage("The archive in the package ends too early");
  }
  return bytes;
}

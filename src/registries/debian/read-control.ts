import { constants, createZstdDecompress } from "node:zlib";
import { BadPackage } from "../shared/bad-package.ts";
import { gunzip, inflate, readSmall, type ArchiveLimits } from "../shared/inflate.ts";
import { readTar } from "../shared/tar.ts";

export type Compression = "none" | "gzip" | "xz" | "zstd";

/** Lists of what a package provides have made one of 100 KB. */
const largestControl = 256 * 1024;
/** A window of 128 MiB is the largest that `zstd` itself reads unless it is told to. */
const largestZstdWindowLog = 27;

/**
 * The file `control` of a control archive; null when there is none. Nothing after it is read. Throws BadPackage for an archive that is damaged, is
 * beyond the limits, or has a control file of more than 256 KiB.
 */
export async function readControl(
  archive: Blob,
  compression: Compression,
  limits: ArchiveLimits,
): Promise<Uint8Array | null> {
  for await (const { path, kind, content } of readTar(decompress(archive, compression, limits), limits)) {
    if (kind === "file" && (path === "./control" || path === "control")) {
      // Awaited here: the archive is closed when the loop is left.
      return await readSmall(content(), { path, limit: largestControl });
    }
  }
  return null;
}

function decompress(archive: Blob, compression: Compression, limits: ArchiveLimits): AsyncIterable<Uint8Array> {
  switch (compression) {
    case "none":
      return archive.stream();
    case "gzip":
      return gunzip(archive.stream(), limits);
    case "zstd": {
      const params = { [constants.ZSTD_d_windowLogMax]: largestZstdWindowLog };
      return inflate(archive.stream(), createZstdDecompress({ params }), limits);
    }
    case "xz":
      return decompressXz(archive, limits);
  }
}

/**
 * The library has one decoder for the process, which a stream holds until it is read or left. It takes dictionaries of up to 64 MiB and no check but
 * CRC32 and CRC64, which dpkg-deb writes.
 */
async function* decompressXz(archive: Blob, { bytes: limit }: ArchiveLimits): AsyncGenerator<Uint8Array> {
  if (archive.size === 0) {
    throw new BadPackage("The control archive is empty");
  }
  const { XzReadableStream } = await import("xz-decompress");
  const reader = new XzReadableStream(archive.stream()).getReader();
  let bytes = 0;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      bytes += read.value.length;
      if (bytes > limit) {
        throw new BadPackage(`The archive unpacks to more than ${limit} bytes`);
      }
      yield read.value;
    }
  } catch (error) {
    throw error instanceof BadPackage
      ? error
      : new BadPackage("The compressed data is damaged or ends early", { cause: error });
  } finally {
    // It fails where all was decoded and not all was read.
    await reader.cancel().catch(() => {});
  }
}

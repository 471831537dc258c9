import { createHash } from "node:crypto";
import type { EmbeddedArchive } from "./embedded-archive.ts";
import { PostgresUnavailable } from "./errors.ts";

/**
 * Unpacks an archive of the executable in other threads. Directories get the modes of the archive, files do not.
 * @throws PostgresUnavailable when it is damaged
 */
export async function extractArchive(archive: EmbeddedArchive, to: string): Promise<void> {
  const compressed = await Bun.file(archive.path).bytes();
  // It goes on in another thread while this one computes the checksum.
  const decompressing = Bun.zstdDecompress(compressed);
  decompressing.catch(() => {});
  const sha256 = createHash("sha256").update(compressed).digest("hex");
  if (sha256 !== archive.sha256) {
    throw new PostgresUnavailable(
      `A PostgreSQL archive in this executable is damaged: its SHA-256 is ${sha256} and should be ${archive.sha256}`,
    );
  }
  await new Bun.Archive(await decompressing).extract(to);
}

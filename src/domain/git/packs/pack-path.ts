import { basename, join } from "node:path";

/** Where the pack of this checksum lies. */
export function packPath(packDirectory: string, checksum: string): string {
  return join(packDirectory, checksum.slice(0, 2), `${checksum}.pack`);
}

/** The checksum that names the pack of this path. */
export function checksumOf(pack: string): string {
  return basename(pack, ".pack");
}

import { basename, join } from "node:path";

/** Where the pack of this checksum lies. */
export function packPath(packDirectory: string, checksum: string): string {
  return join(packDirectory, checksum.slice(0, 2), `${checksum}.pack`);
}

/** Where the index of that pack lies: beside it. */
export function indexPath(pack: string): string {
  return `${pack.slice(0, -".pack".length)}.idx`;
}

/** The checksum that names the pack of this path. */
export function checksumOf(pack: string): string {
  return basename(pack, ".pack");
}

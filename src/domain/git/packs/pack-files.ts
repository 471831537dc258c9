import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../../../db/client.ts";
import { discardPack } from "../../../git/pack/staged-pack.ts";
import type { KnownFiles } from "../blobs/unknown-files.ts";
import { indexPathOf } from "../../../git/pack/pack-paths.ts";
import { packPath } from "./pack-path.ts";
import { knownPacks, whileUnnamed } from "./queries.ts";

/** The packs in a directory by their checksums, an index without its pack among them: a crash between the renames of a push leaves it. */
export function packFiles(db: Database, packDirectory: string): KnownFiles {
  return {
    kind: "packs",
    async *list() {
      for (const shard of await readdir(packDirectory)) {
        yield checksumsOf(await readdir(join(packDirectory, shard)));
      }
    },
    known: (checksums) => knownPacks(db, checksums),
    async writtenAt(checksum) {
      const path = packPath(packDirectory, checksum);
      return (await modifiedAt(path)) ?? modifiedAt(indexPathOf(path));
    },
    // Somebody may publish the same pack once more in this moment, who then has to wait for us, or we for them.
    removeUnknown: (checksum) => whileUnnamed(db, checksum, () => discardPack(packPath(packDirectory, checksum))),
  };
}

function checksumsOf(files: readonly string[]): string[] {
  const endings = [".idx", ".pack"];
  return [
    ...new Set(
      endings.flatMap((ending) =>
        files.filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length)),
      ),
    ),
  ];
}

async function modifiedAt(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );
}

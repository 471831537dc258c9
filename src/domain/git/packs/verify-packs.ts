import { stat } from "node:fs/promises";
import type { Reader } from "../../../db/client.ts";
import { objectFormat } from "../../../git/objects/object-format.ts";
import { readChecked } from "../../../git/pack/read-checked.ts";
import { messageOf } from "../../../lib/errors.ts";
import { indexPathOf } from "../../../git/pack/pack-paths.ts";
import { packPath } from "./pack-path.ts";
import { findNamesWithPack, pageOfPacks } from "./queries.ts";

export interface PackVerification {
  packs: number;
  bytes: number;
  /** A sentence for each pack that is missing or damaged, with the names of the repositories that have it. */
  problems: string[];
}

const pageSize = 1000;

/**
 * Looks whether every pack that a repository has is there with its index, whole; with `checksums` it reads all of them.
 * `onBytes` is told how many bytes have been looked at.
 */
export async function verifyPacks(
  db: Reader,
  packDirectory: string,
  options: { checksums: boolean; onBytes: (done: number) => void },
): Promise<PackVerification> {
  const result: PackVerification = { packs: 0, bytes: 0, problems: [] };
  let done = 0;
  for (let last = 0; ;) {
    const page = await pageOfPacks(db, last, pageSize);
    for (const pack of page) {
      const problem = await findProblem(packPath(packDirectory, pack.checksum), pack, options.checksums, (bytes) =>
        options.onBytes((done += bytes)),
      );
      result.packs++;
      result.bytes += pack.bytes;
      if (problem !== null) {
        const having = await findNamesWithPack(db, pack.id);
        result.problems.push(`${problem}; it belongs to ${having.join(", ")}`);
      }
    }
    const newest = page.at(-1);
    if (newest === undefined) {
      return result;
    }
    last = newest.id;
  }
}

async function findProblem(
  path: string,
  pack: { checksum: string; bytes: number },
  checksums: boolean,
  onBytes: (bytes: number) => void,
): Promise<string | null> {
  try {
    const { size } = await stat(path);
    if (size !== pack.bytes) {
      return `The pack "${path}" has ${size} bytes instead of ${pack.bytes}`;
    }
    await stat(indexPathOf(path));
    if (checksums) {
      const format = objectFormat(pack.checksum.length === 40 ? "sha1" : "sha256");
      for await (const piece of readChecked(path, format, pack.checksum)) {
        onBytes(piece.length);
      }
      for await (const _ of readChecked(indexPathOf(path), format, null)) {
        // Read for its checksum only.
      }
    }
    return null;
  } catch (error) {
    return (error as { code?: unknown }).code === "ENOENT"
      ? `The pack "${path}" or its index is missing`
      : messageOf(error);
  }
}

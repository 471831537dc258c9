import { linkSync, readFileSync, rmSync } from "node:fs";
import { CorruptPack, PackRejected } from "../pack/errors.ts";
import { indexPack } from "../index-pack/index-pack.ts";
import { unlimited } from "../pack/pack-limits.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import { messageOf } from "../../lib/errors.ts";
import { indexPathOf } from "../pack/pack-paths.ts";

export interface PackCheck {
  readonly format: ObjectFormat;
  /** absolute; the index lies beside it */
  readonly packPath: string;
  /** a name on the same file system, ending in `.pack`, that nothing has yet */
  readonly temporaryPath: string;
  /** called now and then; may throw to end the check */
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Checks a stored pack. Returns what is wrong with it, or null. It is indexed once more, as if it had just been pushed,
 * under another name of the same file. (A `.gitmodules` or `.gitattributes` file may be in another pack.) That
 * inflates, names and checks every object and the pack's checksum. The new index must equal the stored one byte for
 * byte. Nothing is written to the pack.
 */
export function checkPack({ format, packPath, temporaryPath, onProgress }: PackCheck): string | null {
  const made = indexPathOf(temporaryPath);
  try {
    linkSync(packPath, temporaryPath);
    indexPack({ format, path: temporaryPath, limits: unlimited, check: "strict", awaitedFiles: [], onProgress });
    return readFileSync(made).equals(readFileSync(indexPathOf(packPath)))
      ? null
      : `The index of the pack "${packPath}" is damaged: it is not the one that belongs to the pack`;
  } catch (error) {
    if (error instanceof PackRejected || error instanceof CorruptPack) {
      return `The pack "${packPath}" is damaged: ${messageOf(error)}`;
    }
    if ((error as { code?: unknown }).code === "ENOENT") {
      return `The pack "${packPath}" or its index is missing`;
    }
    throw error;
  } finally {
    rmSync(temporaryPath, { force: true });
    rmSync(made, { force: true });
  }
}

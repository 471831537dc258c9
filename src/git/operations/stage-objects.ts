import { countGarbage } from "../../lib/garbage.ts";
import type { NewObject } from "../edit/new-objects.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import { writePack } from "../pack/write-pack.ts";
import { discardPack, stagePack, temporaryPack, type PackDestination, type StagedPack } from "../pack/staged-pack.ts";

/** Writes objects as one small pack, durably; null when there are none. What fails leaves no file. */
export async function stageObjects(
  format: ObjectFormat,
  objects: readonly NewObject[],
  destination: PackDestination,
): Promise<StagedPack | null> {
  if (objects.length === 0) {
    return null;
  }
  const path = temporaryPack(destination);
  try {
    return stagePack(writePack(format, path, objects), destination.directory);
  } catch (error) {
    await discardPack(path);
    throw error;
  } finally {
    // The content came as a copy, was compressed in pieces and then put together.
    countGarbage(4 * objects.reduce((sum, { bytes }) => sum + (bytes instanceof Uint8Array ? bytes.length : 0), 0));
  }
}

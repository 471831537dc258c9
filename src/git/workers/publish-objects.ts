import { countGarbage } from "../../lib/garbage.ts";
import type { NewObject } from "../edit/new-objects.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import { writePack } from "../pack/write-pack.ts";
import { discardPack, publishPack, temporaryPack, type PackDestination, type PublishedPack } from "./pack-destination.ts";

/** Writes objects as one small pack in its final place, durably; null when there are none. */
export async function publishObjects(
  format: ObjectFormat,
  objects: readonly NewObject[],
  destination: PackDestination,
): Promise<PublishedPack | null> {
  if (objects.length === 0) {
    return null;
  }
  const path = temporaryPack(destination);
  try {
    return await publishPack(writePack(format, path, objects), destination.directory);
  } finally {
    // The content came as a copy, was compressed in pieces and then put together.
    countGarbage(4 * objects.reduce((sum, { bytes }) => sum + bytes.length, 0));
    await discardPack(path);
  }
}

import type { Job } from "../job/job.ts";
import type { RepositoryView } from "../job/repository-view.ts";
import { objectFormat } from "../objects/object-format.ts";
import { ObjectType } from "../objects/object-type.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { ObjectDatabase } from "../odb/object-database.ts";

export interface SmallBlobsArgs {
  /** only blobs shorter than this, bytes */
  readonly below: number;
  /** only blobs that begin with this ASCII text */
  readonly beginning: string;
}

/** Nobody needs more than so many; more than that of them are not what they look like. */
const mostBlobs = 1_000_000;

/**
 * The contents of small blobs in the packs of a view that has just been made, whatever reaches them. The packs are let go
 * afterwards. Throws CorruptPack, CorruptObject, EngineCancelled.
 */
export async function smallBlobs(
  view: RepositoryView,
  { below, beginning }: SmallBlobsArgs,
  caches: EngineCaches,
  job: Job,
): Promise<readonly Uint8Array[]> {
  const found: Uint8Array[] = [];
  const start = Buffer.from(beginning, "latin1");
  try {
    using db = ObjectDatabase.open(objectFormat(view.format), view.packs, caches);
    for (let position = 0; position < db.size && found.length < mostBlobs; position++) {
      if (position % 1024 === 0) {
        job.throwIfCancelled();
      }
      if (db.typeAt(position) !== ObjectType.blob) {
        continue;
      }
      const size = db.sizeAt(position);
      if (size < start.length || size >= below) {
        continue;
      }
      const { bytes } = db.read(position);
      if (start.equals(bytes.subarray(0, start.length))) {
        found.push(bytes.slice());
      }
    }
  } finally {
    view.packs.forEach((path) => caches.dropPack(path));
  }
  return found;
}

import { lowerPriority } from "../../lib/libc.ts";
import { objectFormat } from "../objects/object-format.ts";
import { EngineCaches } from "../odb/engine-caches.ts";
import { ObjectDatabase } from "../odb/object-database.ts";
import { repack, type DeltaChoice } from "../repack/repack.ts";
import type { Job } from "../job/job.ts";
import { discardPack, stagePack, temporaryPack, type PackDestination, type StagedPack } from "../pack/staged-pack.ts";
import type { RepositoryView } from "../job/repository-view.ts";

export interface RepackArgs {
  /** see RepackOptions */
  readonly tips: readonly string[] | null;
  readonly keep: readonly string[] | null;
  readonly deltas: DeltaChoice;
  readonly destination: PackDestination;
}

export interface RepackResult {
  readonly packs: readonly StagedPack[];
  readonly dropped: number;
  readonly newDeltas: number;
  readonly storedDeltas: number;
}

/** Objects and windows of packs kept while it lasts: chains of deltas are followed in an order that is not theirs. */
const cacheBytes = 64 * 1024 * 1024;

/**
 * Makes new packs of those of a view, and leaves them where it wrote them. When it fails, what it wrote is removed.
 * Throws MissingObject, CorruptObject, CorruptPack, StorageFull, EngineCancelled.
 */
export async function repackObjects(
  view: RepositoryView,
  args: RepackArgs,
  _caches: EngineCaches,
  job: Job,
): Promise<RepackResult> {
  lowerPriority();
  const format = objectFormat(view.format);
  const paths: string[] = [];
  try {
    const repacked = repackAlone();
    const packs = repacked.packs.map((pack) => stagePack(pack, args.destination.directory));
    return { packs, dropped: repacked.dropped, newDeltas: repacked.newDeltas, storedDeltas: repacked.storedDeltas };
  } catch (error) {
    await Promise.all(paths.map((path) => discardPack(path)));
    throw error;
  }

  /** With caches of its own, which are gone when it is done. */
  function repackAlone() {
    using caches = new EngineCaches(cacheBytes);
    using db = ObjectDatabase.open(format, view.packs, caches);
    const step = job.throttled();
    return repack(db, caches, {
      tips: args.tips,
      keep: args.keep,
      deltas: args.deltas,
      temporaryPath: () => {
        const path = temporaryPack(args.destination);
        paths.push(path);
        return path;
      },
      step: (phase, done, total) => step({ phase, done, total }),
    });
  }
}

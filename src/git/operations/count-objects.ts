import { packStatistics, type PackStatistics } from "../fsck/pack-statistics.ts";
import { objectFormat } from "../objects/object-format.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { ObjectDatabase } from "../odb/object-database.ts";
import type { Job } from "../job/job.ts";
import type { RepositoryView } from "../job/repository-view.ts";

/** Counts the objects of a view's packs. Throws CorruptPack, EngineCancelled. */
export async function countObjects(
  view: RepositoryView,
  _args: null,
  caches: EngineCaches,
  job: Job,
): Promise<PackStatistics> {
  using db = ObjectDatabase.open(objectFormat(view.format), view.packs, caches);
  const step = job.throttled();
  return packStatistics(db, (done, total) => step({ phase: "objects", done, total }));
}

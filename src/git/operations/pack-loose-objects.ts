import { objectFormat } from "../objects/object-format.ts";
import { readLooseObjects } from "../import/loose-objects.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { writePack } from "../pack/write-pack.ts";
import type { Job } from "../job/job.ts";
import type { RepositoryView } from "../job/repository-view.ts";

export interface PackLooseObjectsArgs {
  /** the `objects` directory of a repository */
  readonly objects: string;
  /** where the pack is written, a name ending in `.pack` */
  readonly path: string;
}

/** Writes the loose objects of a repository on disk as a pack; answers how many there were. Throws CorruptObject, EngineCancelled. */
export async function packLooseObjects(
  view: RepositoryView,
  args: PackLooseObjectsArgs,
  _caches: EngineCaches,
  job: Job,
): Promise<number> {
  const format = objectFormat(view.format);
  const step = job.throttled();
  let count = 0;
  const objects = readLooseObjects(args.objects, format);
  const counted = (function* () {
    for (const object of objects) {
      step({ phase: "loose objects", done: ++count, total: 0 });
      yield object;
    }
  })();
  return writePack(format, args.path, counted).objectCount;
}

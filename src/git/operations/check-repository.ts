import { join } from "node:path";
import { checkPack } from "../fsck/check-pack.ts";
import { checkReferences } from "../fsck/check-references.ts";
import { objectFormat } from "../objects/object-format.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { ObjectDatabase } from "../odb/object-database.ts";
import { CorruptPack } from "../pack/errors.ts";
import type { Ref } from "../refs/ref.ts";
import type { Job } from "../job/job.ts";
import type { RepositoryView } from "../job/repository-view.ts";
import { messageOf } from "../../lib/errors.ts";
import { nextTurn } from "../../lib/turns.ts";

export interface CheckRepositoryArgs {
  readonly refs: readonly Ref[];
  /** absolute, on the file system of the packs */
  readonly temporary: string;
}

export interface CheckRepositoryResult {
  readonly objects: number;
  /** Sentences, each about something that is damaged. */
  readonly problems: readonly string[];
}

/** Reads every object of a view's packs and walks everything that the refs reach. What is damaged is in the result. Throws EngineCancelled. */
export async function checkRepository(
  view: RepositoryView,
  args: CheckRepositoryArgs,
  caches: EngineCaches,
  job: Job,
): Promise<CheckRepositoryResult> {
  const format = objectFormat(view.format);
  const problems: string[] = [];
  const step = job.throttled();
  for (const packPath of view.packs) {
    const temporaryPath = join(args.temporary, `${crypto.randomUUID()}.pack`);
    const problem = checkPack({
      format,
      packPath,
      temporaryPath,
      onProgress: (done, total) => step({ phase: "objects", done, total }),
    });
    problems.push(...(problem === null ? [] : [problem]));
    // The next pack's memory comes on top of this one's garbage otherwise.
    await nextTurn();
  }
  try {
    using db = ObjectDatabase.open(format, view.packs, caches);
    problems.push(
      ...checkReferences(db, args.refs, caches, () => step({ phase: "references", done: 0, total: db.size })),
    );
    return { objects: db.size, problems };
  } catch (error) {
    if (error instanceof CorruptPack) {
      return { objects: 0, problems: [...problems, messageOf(error)] };
    }
    throw error;
  }
}

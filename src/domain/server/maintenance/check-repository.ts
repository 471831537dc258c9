import { stat } from "node:fs/promises";
import type { WorkProgress } from "../../../git/job/job.ts";
import { findBlobProblem } from "../../git/blobs/verify-blobs.ts";
import { listObjects } from "../../git/lfs/list-objects.ts";
import { indexPathOf } from "../../../git/pack/pack-paths.ts";
import { packPath } from "../../git/packs/pack-path.ts";
import { listPacks, type LinkedPack } from "../../git/packs/queries.ts";
import { prepareRefQueries } from "../../git/refs/queries.ts";
import { findMaintained } from "./queries.ts";
import { viewOf, type Maintenance } from "./repack-repository.ts";

export interface RepositoryCheck {
  readonly packs: number;
  readonly objects: number;
  readonly refs: number;
  readonly lfsObjects: number;
  /** Sentences, each about something that is damaged. */
  readonly problems: readonly string[];
}

/**
 * Checks a repository down to each object: that its packs and their indexes are there and whole, every object is well
 * formed and has its name, and all that refs reach is there; and each of its LFS objects. null when there is no such repository.
 */
export async function checkRepository(
  maintenance: Maintenance,
  repositoryId: number,
  onProgress: (progress: WorkProgress) => void,
): Promise<RepositoryCheck | null> {
  const { db, git, packDirectory, temporaryDirectory } = maintenance;
  const repository = await findMaintained(db, repositoryId);
  if (repository === null) {
    return null;
  }
  // The refs first: packs that come in afterwards are only more than they need.
  const refs = await prepareRefQueries(db).listRefs(repositoryId);
  const packs = await listPacks(db, repositoryId);
  const problems: string[] = [];
  const present: LinkedPack[] = [];
  for (const pack of packs) {
    const problem = await findProblem(packDirectory, pack);
    if (problem === null) {
      present.push(pack);
    } else {
      problems.push(problem);
    }
  }
  const checked = await git.maintain(
    viewOf(maintenance, repository, present),
    "checkRepository",
    { refs, temporary: temporaryDirectory },
    { onProgress },
  );
  const lfs = await checkLfsObjects(maintenance, repositoryId, onProgress);
  return {
    packs: packs.length,
    objects: checked.objects,
    refs: refs.length,
    lfsObjects: lfs.count,
    problems: [...problems, ...checked.problems, ...lfs.problems],
  };
}

async function checkLfsObjects(
  { db, blobs }: Maintenance,
  repositoryId: number,
  onProgress: (progress: WorkProgress) => void,
): Promise<{ count: number; problems: string[] }> {
  const problems: string[] = [];
  let count = 0;
  for await (const { oid, bytes } of listObjects(db, repositoryId)) {
    const problem = await findBlobProblem(blobs, oid, bytes, true);
    problems.push(...(problem === null ? [] : [problem]));
    count++;
    onProgress({ phase: "LFS objects", done: count, total: count });
  }
  return { count, problems };
}

async function findProblem(packDirectory: string, pack: LinkedPack): Promise<string | null> {
  const path = packPath(packDirectory, pack.checksum);
  const [file, index] = await Promise.all([path, indexPathOf(path)].map((name) => stat(name).catch(() => null)));
  if (file == null || index == null) {
    return `The pack "${path}" or its index is missing`;
  }
  return file.size === pack.bytes ? null : `The pack "${path}" has ${file.size} bytes instead of ${pack.bytes}`;
}

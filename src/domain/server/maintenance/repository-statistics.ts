import type { PackStatistics } from "../../../git/fsck/pack-statistics.ts";
import type { WorkProgress } from "../../../git/job/job.ts";
import { listPacks } from "../../git/packs/queries.ts";
import { readRefs } from "../../git/refs/queries.ts";
import { countLfs, findMaintained, type LfsCount } from "./queries.ts";
import { viewOf, type Maintenance } from "./repack-repository.ts";

export interface RepositoryStatistics extends PackStatistics {
  readonly format: string;
  readonly packs: number;
  /** of the packs on disk */
  readonly packBytes: number;
  readonly branches: number;
  readonly tags: number;
  readonly otherRefs: number;
  readonly lfs: LfsCount;
}

/** Counts the parts of a repository; null if there is no such repository. Throws CorruptPack. */
export async function repositoryStatistics(
  maintenance: Maintenance,
  repositoryId: number,
  onProgress: (progress: WorkProgress) => void,
): Promise<RepositoryStatistics | null> {
  const repository = await findMaintained(maintenance.db, repositoryId);
  if (repository === null) {
    return null;
  }
  const names = [...(await readRefs(maintenance.db, repositoryId)).keys()];
  const branches = names.filter((name) => name.startsWith("refs/heads/")).length;
  const tags = names.filter((name) => name.startsWith("refs/tags/")).length;
  const packs = await listPacks(maintenance.db, repositoryId);
  const counted = await maintenance.git.maintain(viewOf(maintenance, repository, packs), "countObjects", null, {
    onProgress,
  });
  return {
    format: repository.objectFormat,
    packs: packs.length,
    packBytes: packs.reduce((sum, { bytes }) => sum + bytes, 0),
    branches,
    tags,
    otherRefs: names.length - branches - tags,
    lfs: await countLfs(maintenance.db, repository),
    ...counted,
  };
}

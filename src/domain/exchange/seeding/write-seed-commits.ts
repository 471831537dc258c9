import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Doer } from "../../spine/doer.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { GitForge } from "../../spine/forge.ts";
import { moveRefs } from "../../git/refs/move-refs.ts";
import { writeObjects } from "../../git/refs/write-objects.ts";
import { CommitOfSeriesRefused } from "../../../git/edit/errors.ts";
import type { SeedCommit } from "./seed.ts";
import { SeedError } from "./seed-error.ts";

/** 2026-01-01 00:00 UTC; each further commit is a minute later. */
const firstSeconds = 1_767_225_600;
const author = { name: "Seed", email: "seed@localhost", offsetMinutes: 0 };

/** Puts commits on the default branch. Nothing of them depends on the run, so their ids repeat. */
export async function writeSeedCommits(
  forge: GitForge,
  doer: Doer,
  access: Pick<RepositoryAccess, "repository" | "owner">,
  commits: readonly SeedCommit[],
  place: string,
): Promise<void> {
  if (commits.length === 0) {
    return;
  }
  const { repository } = access;
  const branch = `refs/heads/${repository.defaultBranch}`;
  const before = (await forge.git.refs.findRef(repository.id, branch))?.oid ?? null;
  const view = await forge.git.views.current(repository);
  await writeObjects(
    forge,
    doer,
    (destination) =>
      naming(place, () =>
        forge.git.engine.write(view, "commitSeries", {
          parent: before,
          commits: commits.map(({ message, files }, index) => ({
            changes: Object.entries(files).map(([path, text]) => ({
              operation: "put",
              path,
              fromPath: null,
              bytes: Buffer.from(text),
              mode: null,
              expectedOid: null,
            })),
            signature: { ...author, seconds: firstSeconds + 60 * index },
            message: message.endsWith("\n") ? message : `${message}\n`,
          })),
          destination,
        }),
      ),
    (work, { tip }, packs) =>
      moveRefs(work, {
        repository: namedRepository(access),
        changes: [{ name: branch, oldOid: before, newOid: tip, peeled: null }],
        reason: "seed",
        packs,
      }),
  );
}

/** Runs the step; a commit that is refused becomes a SeedError that names its place. */
async function naming<Result>(place: string, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof CommitOfSeriesRefused) {
      throw new SeedError([`${place}.commits[${error.index}]: ${error.message}`], { cause: error });
    }
    throw error;
  }
}

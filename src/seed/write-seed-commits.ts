import type { Forge } from "../domain/forge.ts";
import { namePacks } from "../domain/packs/name-packs.ts";
import { changeRefs } from "../domain/refs/change-refs.ts";
import type { ObjectFormatName } from "../git/objects/object-format.ts";
import { CommitOfSeriesRefused } from "../git/edit/errors.ts";
import { ScratchDirectory } from "../lib/scratch-directory.ts";
import type { SeedCommit } from "./seed.ts";
import { SeedError } from "./seed-error.ts";

interface SeededRepository {
  id: number;
  name: string;
  defaultBranch: string;
  objectFormat: ObjectFormatName;
  actorId: number;
}

/** 2026-01-01 00:00 UTC; each further commit is a minute later. */
const firstSeconds = 1_767_225_600;
const author = { name: "Seed", email: "seed@localhost", offsetMinutes: 0 };

/** Puts commits on the default branch. Nothing of them depends on the run, so their ids repeat. */
export async function writeSeedCommits(forge: Forge, repository: SeededRepository, commits: readonly SeedCommit[], place: string): Promise<void> {
  if (commits.length === 0) {
    return;
  }
  const branch = `refs/heads/${repository.defaultBranch}`;
  const before = (await forge.refs.findRef(repository.id, branch))?.oid ?? null;
  const view = await forge.views.current(repository);
  await using scratch = await ScratchDirectory.make(forge.temporaryDirectory);
  const { tip, pack } = await naming(place, () =>
    forge.git.write(view, "commitSeries", {
      parent: before,
      commits: commits.map(({ message, files }, index) => ({
        changes: Object.entries(files).map(([path, text]) => ({ operation: "put", path, fromPath: null, bytes: Buffer.from(text), mode: null, expectedOid: null })),
        signature: { ...author, seconds: firstSeconds + 60 * index },
        message: message.endsWith("\n") ? message : `${message}\n`,
      })),
      destination: { directory: forge.packDirectory, temporary: scratch.path },
    }),
  );
  const packs = pack === null ? [] : [pack];
  await namePacks(forge.database.db, packs, (tx) =>
    changeRefs(tx, {
      repositoryId: repository.id,
      repositoryName: repository.name,
      actorId: repository.actorId,
      policy: forge.config.git,
      reason: "seed",
      changes: [{ name: branch, oldOid: before, newOid: tip, peeled: null }],
      packs,
      atomic: true,
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

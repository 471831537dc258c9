import type { Forge } from "../domain/forge.ts";
import { changeRefs } from "../domain/refs/change-refs.ts";
import type { ObjectFormatName } from "../git/objects/object-format.ts";
import type { PublishedPack } from "../git/workers/pack-destination.ts";
import type { SeedCommit } from "./seed.ts";
import { atPlace } from "./seed-error.ts";

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
  const { packs: oldPacks } = await forge.views.current(repository);
  const destination = { directory: forge.packDirectory, temporary: forge.temporaryDirectory };
  const packs: PublishedPack[] = [];
  let tip = before;
  for (const [index, { message, files }] of commits.entries()) {
    const signature = { ...author, seconds: firstSeconds + 60 * index };
    const view = { key: `seed-${repository.id}:${index}`, format: repository.objectFormat, packs: [...packs.map((pack) => pack.path).toReversed(), ...oldPacks] };
    const { commit, pack } = await atPlace(`${place}.commits[${index}]`, () =>
      forge.git.write(view, "commitChanges", {
        parents: tip === null ? [] : [tip],
        changes: Object.entries(files).map(([path, text]) => ({ operation: "put", path, fromPath: null, bytes: Buffer.from(text), mode: null, expectedOid: null })),
        author: signature,
        committer: signature,
        message: message.endsWith("\n") ? message : `${message}\n`,
        destination,
      }),
    );
    tip = commit;
    if (pack !== null) {
      packs.push(pack);
    }
  }
  await forge.database.db.transaction((tx) =>
    changeRefs(tx, {
      repositoryId: repository.id,
      repositoryName: repository.name,
      actorId: repository.actorId,
      reason: "seed",
      changes: [{ name: branch, oldOid: before, newOid: tip, peeled: null }],
      packs,
      atomic: true,
    }),
  );
}

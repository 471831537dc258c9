import type { StagedPack } from "../../../git/pack/staged-pack.ts";
import type { PackDestination } from "../../../git/pack/staged-pack.ts";
import { ScratchDirectory } from "../../../lib/scratch-directory.ts";
import type { Doer } from "../../spine/doer.ts";
import type { GitForge } from "../../spine/forge.ts";
import type { Work } from "../../spine/work.ts";

/** The result of the engine: `pack` null if every object existed already. */
interface Written {
  readonly pack: StagedPack | null;
}

/**
 * Has the engine write objects into a pack, and runs a unit of work that moves refs to them: `move` passes the packs on to
 * `moveRefs`. When anything throws, the pack is gone. Throws what the two and `forge.change` throw.
 */
export async function writeObjects<Made extends Written, Result>(
  forge: GitForge,
  doer: Doer,
  write: (destination: PackDestination) => Promise<Made>,
  move: (work: Work, written: Made, packs: readonly StagedPack[]) => Promise<Result>,
): Promise<Result> {
  const { packDirectory, temporaryDirectory, room } = forge.files;
  if (doer.kind !== "server") {
    // As `forge.change` does, before anything is written.
    room?.demand();
  }
  await using scratch = await ScratchDirectory.make(temporaryDirectory);
  const written = await write({ directory: packDirectory, temporary: scratch.path });
  const packs = written.pack === null ? [] : [written.pack];
  return await forge.change(doer, { packs }, (work) => move(work, written, packs));
}

import { join } from "node:path";
import { objectFormat } from "../../../git/objects/object-format.ts";
import { packOids } from "../../../git/objects/oid-list.ts";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { unlimited } from "../../../git/pack/pack-limits.ts";
import type { StagedPack } from "../../../git/pack/staged-pack.ts";
import type { ResolvedFetch } from "../../../git/transport/fetch-request.ts";
import { packFetch } from "../../../git/transport/pack-fetch.ts";
import { spoolPack } from "../../../git/transport/spool-pack.ts";
import type { Forge } from "../../spine/forge.ts";
import { parsePointer, pointerLimitBytes } from "../../git/lfs/pointer.ts";

/** From where to where, and what of it. */
interface Bringing {
  parent: Pick<RepositoryAccess, "repository" | "counts">;
  /** The packs of both. */
  view: RepositoryView;
  /** A commit that the fork has, and the one that it gets. */
  own: string;
  theirs: string;
}

/** The objects that a fork gets from its parent. */
export interface BroughtObjects {
  /** null where the fork has all of it. */
  pack: StagedPack | null;
  /** Oids of the LFS objects that the new commits point to. */
  lfsOids: readonly string[];
  /** The fork's view in which the rest of the history was looked up. */
  view: RepositoryView;
}

/**
 * Copies the objects into a pack that a commit of the parent needs and the fork's refs do not reach: no link to the
 * parent's packs, which have what only the parent's refs reach. The pack stays in `directory`. A pull request brings its head in the same
 * way: then its base is the one that gets something.
 */
export async function bringObjects(
  forge: Forge,
  fork: Pick<RepositoryAccess, "repository">,
  { parent, view: both, own, theirs }: Bringing,
  directory: string,
): Promise<BroughtObjects> {
  const { engine, views } = forge.git;
  const { view, tips } = await views.currentWithTips(fork.repository);
  const common = await engine.call(both, "mergeBases", { commits: [own, theirs], mode: "all" });
  const path = join(directory, "upstream.pack");
  const source = await views.current(parent.repository);
  const asked = fetchOf(source, theirs, common);
  await spoolPack(engine.stream(source, "fetchPack", asked), path, { packBytes: Number.POSITIVE_INFINITY });
  const { pack } = await engine.index({
    view,
    path,
    directory: forge.files.packDirectory,
    newTips: [theirs],
    oldTips: tips,
    moves: [],
    // Objects of the parent were checked when they came there.
    check: "none",
    limits: unlimited,
  });
  const pointers =
    pack === null || parent.counts.lfsBytes === 0
      ? []
      : await engine.write({ ...view, packs: [pack.path] }, "smallBlobs", {
          below: pointerLimitBytes,
          beginning: "version https://",
        });
  return { pack, view, lfsOids: pointers.flatMap((bytes) => parsePointer(bytes)?.oid ?? []) };
}

/** A request for the pack and nothing else: what `want` needs and `common` does not reach. */
function fetchOf({ format }: RepositoryView, want: string, common: readonly string[]): ResolvedFetch {
  const tips = packOids([want], objectFormat(format));
  return packFetch({ wants: tips, haves: common, ending: "agreed", acknowledge: "detailed", tips });
}

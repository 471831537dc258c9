import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { objectFormat } from "../../../git/objects/object-format.ts";
import { packOids } from "../../../git/objects/oid-list.ts";
import { unlimited } from "../../../git/pack/pack-limits.ts";
import type { RemoteRef } from "../../../git/remote/advertisement.ts";
import { packFetch } from "../../../git/transport/pack-fetch.ts";
import { spoolPack } from "../../../git/transport/spool-pack.ts";
import { PacketReader } from "../../../git/wire/packet-reader.ts";
import type { Forge } from "../../spine/forge.ts";
import { pointersIn, type BringLfs } from "../remotes/bring-lfs.ts";
import { sendLfs } from "../remotes/send-lfs.ts";

/**
 * The content of a pack: all objects that the wants reach and the haves do not. `tips`: of the refs that may be read.
 */
interface AskedPack {
  wants: readonly string[];
  haves: readonly string[];
  tips: readonly RemoteRef[];
}

/**
 * Sends the LFS objects that the files of a pack point to, and returns the pack, which lies in `directory` meanwhile. Throws RemoteFailed, AddressRefused, and
 * what the engine throws.
 */
export async function sendLfsOf(
  forge: Forge,
  { repositoryId, view }: { repositoryId: number; view: RepositoryView },
  asked: AskedPack,
  request: Pick<BringLfs, "remote" | "endpoint" | "signal">,
  directory: string,
): Promise<AsyncIterable<Uint8Array>> {
  const path = join(directory, "push.pack");
  await spoolPack(packOf(forge, view, asked), path, { packBytes: Number.POSITIVE_INFINITY });
  // By itself: in the repository's view it would have nothing new.
  const alone = { ...view, packs: [] };
  const { pack } = await forge.git.engine.index({
    view: alone,
    path,
    directory: forge.files.packDirectory,
    newTips: [],
    oldTips: [],
    moves: [],
    check: "none",
    limits: unlimited,
  });
  if (pack !== null) {
    await sendLfs(forge, repositoryId, await pointersIn(forge, { ...alone, packs: [pack.path] }), request);
  }
  return createReadStream(pack?.path ?? path);
}

/** The pack of what the other server lacks: as for a client that has what the server's refs point to. */
export async function* packOf(
  forge: Forge,
  view: RepositoryView,
  { wants, haves, tips }: AskedPack,
): AsyncGenerator<Uint8Array> {
  const format = objectFormat(view.format);
  const asked = packFetch({
    wants: packOids(wants, format),
    haves,
    ending: "done",
    acknowledge: "single",
    tips: packOids([...new Set(tips.map(({ oid }) => oid))], format),
  });
  // Before the pack stands one acknowledgement.
  const reader = new PacketReader(forge.git.engine.stream(view, "fetchPack", asked));
  await reader.next();
  yield* reader.rest();
}

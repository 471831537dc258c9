import { messageOf, StithyError } from "../../../lib/errors.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { bringLfs } from "../remotes/bring-lfs.ts";
import { bringRefs } from "../remotes/bring-refs.ts";
import { bringWiki } from "../remotes/bring-wiki.ts";
import { noteHostKeyOf } from "./note-host-key.ts";
import { demandActive } from "./demand-active.ts";
import { findForServer } from "../remotes/queries.ts";
import { storedAddress } from "../remotes/remote-address.ts";
import { openCredentials } from "../remotes/sealed-credentials.ts";
import { afterFailure, afterSuccess } from "./next-try.ts";
import { tellFailure } from "./tell-failure.ts";
import { findPullMirror, updatePullMirror } from "./queries.ts";
import { enqueueNextSync } from "./request-sync.ts";

const reason = "mirror";

/** The context in which the credentials of a pull mirror are sealed. */
export const pullMirrorContext = (repositoryId: number) => `pull mirror of repository ${repositoryId}`;

/**
 * Brings a pull mirror to where the repository is that it follows. What went wrong is stored with it, and it is tried again later; nothing
 * is thrown for it. A mirror that is gone, or archived, is left alone.
 */
export async function syncPullMirror(forge: Forge, repositoryId: number, signal: AbortSignal): Promise<void> {
  const { db } = forge.database;
  const mirror = await findPullMirror(db, repositoryId);
  const access = mirror === null ? null : await findForServer(db, repositoryId);
  if (mirror === null || access === null || access.repository.archivedAt !== null) {
    return;
  }
  let tried;
  try {
    await demandActive(db, access);
    const remote = {
      address: storedAddress(mirror.address),
      credentials: openCredentials(forge.keys.seal, mirror.sealedCredentials, pullMirrorContext(repositoryId)),
      hostKey: mirror.hostKey,
      onFirstKey: noteHostKeyOf(forge, mirror, (tx, hostKey) => updatePullMirror(tx, repositoryId, { hostKey })),
    };
    const request = { remote, prune: mirror.prune, reason, signal };
    const { moved } = await bringRefs(forge, access, request);
    if (mirror.wiki) {
      await bringWiki(forge, access, request);
    }
    // After a failure objects may be missing that earlier commits point to.
    if (mirror.lfs && (moved > 0 || mirror.lastError !== "" || mirror.syncedAt === null)) {
      await bringLfs(forge, access, { ...request, endpoint: mirror.lfsEndpoint });
    }
    forge.log.debug({ repository: repositoryId, moved }, "Synchronized a pull mirror");
    tried = afterSuccess(new Date());
  } catch (error) {
    // A server that stops leaves the job in the queue.
    signal.throwIfAborted();
    if (!(error instanceof StithyError)) {
      throw error;
    }
    forge.log.warn({ repository: repositoryId, reason: error.message }, "A pull mirror could not be synchronized");
    tried = afterFailure(mirror, messageOf(error), new Date());
  }
  await forge.change(serverDoer(reason), async (work) => {
    const row = await updatePullMirror(work.tx, repositoryId, tried);
    await enqueueNextSync(work, { direction: "pull", id: repositoryId, ownerId: access.owner.id }, row);
    await tellFailure(work, { repositoryId, pushMirrorId: null }, tried.failures);
  });
}

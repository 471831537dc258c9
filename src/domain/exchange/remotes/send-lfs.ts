import { findObjects } from "../../git/lfs/queries.ts";
import type { LfsPointer } from "../../git/lfs/pointer.ts";
import type { Forge } from "../../spine/forge.ts";
import { openLfs, type BringLfs } from "./bring-lfs.ts";
import { RemoteFailed } from "./errors.ts";
import { explained } from "./open-remote.ts";

const objectsAtOnce = 100;

/**
 * Sends those LFS objects of a repository that another server has not, as git-lfs does before it pushes: `pointers` are what the new commits point to. What
 * the repository has not is left out. Throws RemoteFailed and AddressRefused.
 */
export async function sendLfs(
  forge: Forge,
  repositoryId: number,
  pointers: readonly LfsPointer[],
  request: Pick<BringLfs, "remote" | "endpoint" | "signal">,
): Promise<void> {
  const oids = pointers.map(({ oid }) => oid);
  const objects = [...(await findObjects(forge.database.db, repositoryId, oids))].map(([oid, size]) => ({ oid, size }));
  const lfs = openLfs(forge, request);
  for (let at = 0; at < objects.length; at += objectsAtOnce) {
    const some = objects.slice(at, at + objectsAtOnce);
    await explained(request.remote.address, async () => {
      for (const plan of await lfs.batch("upload", some)) {
        const object = some.find(({ oid }) => oid === plan.oid);
        if (plan.error != null) {
          const why = (plan.error.message ?? "").slice(0, 200);
          throw new RemoteFailed("refused", `The LFS object ${plan.oid.slice(0, 64)} is not taken: ${why}`);
        }
        if (object !== undefined && plan.actions?.upload !== undefined) {
          const { blob } = await forge.files.contents.get(object.oid, object.size);
          await lfs.upload(object, plan, blob);
        }
      }
    });
  }
}

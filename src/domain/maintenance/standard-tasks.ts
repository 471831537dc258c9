import { collectBlobs } from "../blobs/collect-blobs.ts";
import type { Forge } from "../forge.ts";
import { deleteExpiredGranted } from "../oauth/queries.ts";
import { collectPacks } from "../packs/collect-packs.ts";
import { deleteExpiredSessions } from "../sessions/queries.ts";
import { deleteExpiredMailTokens } from "../users/email-queries.ts";

/** What every server does regularly: files that nobody refers to are removed, and what has expired. */
export function addStandardTasks({ tasks, database, packDirectory, blobs }: Forge): void {
  tasks.add({ name: "collect_packs", run: () => collectPacks(database.db, packDirectory) });
  tasks.add({ name: "collect_blobs", run: () => collectBlobs(database.db, blobs) });
  tasks.add({
    name: "delete_expired",
    run: () =>
      database.db.transaction(async (tx) => {
        await deleteExpiredSessions(tx);
        await deleteExpiredGranted(tx);
        return deleteExpiredMailTokens(tx);
      }),
  });
}

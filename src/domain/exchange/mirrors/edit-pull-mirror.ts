import { withdraw } from "../../../queue/enqueue.ts";
import type { Work } from "../../spine/work.ts";
import { updatePullMirror } from "./queries.ts";
import { enqueueNextSync } from "./request-sync.ts";

/** Changes how often a pull mirror looks for what is new, and whether what is gone there goes here. What is no mirror stays as it is. */
export async function editPullMirror(
  work: Work,
  { id, ownerId }: { id: number; ownerId: number },
  patch: { intervalSeconds?: number; prune?: boolean },
): Promise<void> {
  const row = await updatePullMirror(work.tx, id, patch);
  if (patch.intervalSeconds === 0) {
    await withdraw(work.tx, "pull-mirror", String(id));
  } else if (patch.intervalSeconds !== undefined) {
    await enqueueNextSync(work, { direction: "pull", id, ownerId }, row);
  }
}

import type { Work } from "../../spine/work.ts";
import { findPullMirror, updatePullMirror } from "./queries.ts";

/** Changes how often a pull mirror looks for what is new, and whether what is gone there goes here. What is no mirror stays as it is. */
export async function editPullMirror(
  work: Work,
  repositoryId: number,
  patch: { intervalSeconds?: number; prune?: boolean },
): Promise<void> {
  const { tx } = work;
  const mirror = await findPullMirror(tx, repositoryId);
  if (mirror === null) {
    return;
  }
  const { intervalSeconds: seconds } = patch;
  const since = mirror.syncedAt ?? mirror.createdAt;
  const nextAt =
    seconds === undefined ? mirror.nextAt : seconds === 0 ? null : new Date(since.getTime() + seconds * 1000);
  await updatePullMirror(tx, repositoryId, { ...patch, nextAt });
}

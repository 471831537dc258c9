import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { MissingObject } from "../../../git/odb/object-database.ts";
import { describePush, listUndescribedPushes } from "../comments/push-queries.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { findPullById, findStoredRepository } from "./queries.ts";

/** Commits that are told of one push, the newest of them. */
const mostCommits = 250;

/** Entries that are described by one job; pushes that come faster wait for the next one. */
const mostPushes = 100;

/**
 * Writes into the timeline of a pull request what its pushes brought, as JSON: `is_force_push`, and `commit_ids`, the oldest first, without those
 * that the base has. Of a push that gave up commits these are the old and the new head. One that brought no commit leaves no entry.
 */
export async function describePushes(forge: Forge, issueId: number, signal: AbortSignal): Promise<void> {
  const { db } = forge.database;
  const pushes = await listUndescribedPushes(db, issueId, mostPushes);
  const found = pushes.length === 0 ? null : await findPullById(db, issueId);
  const base = found === null ? null : await findStoredRepository(db, found.pull.baseRepositoryId);
  if (found === null || base === null) {
    return;
  }
  const view = await forge.git.views.current(base.repository);
  for (const push of pushes) {
    signal.throwIfAborted();
    const body = await describe(forge, view, push, found.pull.baseOid);
    await forge.change(serverDoer("describe push"), ({ tx }) => describePush(tx, push.id, body));
  }
}

async function describe(
  forge: Forge,
  view: RepositoryView,
  { oldHead, newHead }: { oldHead: string; newHead: string },
  baseOid: string,
): Promise<string | null> {
  const { engine } = forge.git;
  try {
    if (await engine.call(view, "isAncestor", { ancestor: oldHead, descendant: newHead })) {
      const { commits } = await engine.call(view, "log", {
        tips: [newHead],
        not: [oldHead, baseOid],
        paths: [],
        skip: 0,
        limit: mostCommits,
        count: false,
        files: false,
        stats: false,
      });
      const ids = commits.map(({ oid }) => oid).toReversed();
      return ids.length === 0 ? null : contentOf(false, ids);
    }
  } catch (error) {
    if (!(error instanceof MissingObject)) {
      throw error;
    }
    // Unreachable objects may be gone already.
  }
  return contentOf(true, [oldHead, newHead]);
}

const contentOf = (forced: boolean, ids: readonly string[]) =>
  JSON.stringify({ is_force_push: forced, commit_ids: ids });

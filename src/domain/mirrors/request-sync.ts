import { newJob } from "../../queue/enqueue.ts";
import { pullMirrorJob, pushMirrorJob } from "../../queue/kinds.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { serverDoer } from "../doer.ts";
import type { Event } from "../events.ts";
import type { Forge } from "../forge.ts";
import type { Work } from "../work.ts";
import { findDueMirrors, findPullMirror, idsOfPushMirrors, updatePullMirror, updatePushMirror } from "./queries.ts";

/** Mirrors that begin in one look. */
const mostAtOnce = 100;

const reason = "mirror";

/** Has a pull mirror synchronized soon. Asked for again before it begins, it happens once. Throws InvalidInput for what is no mirror. */
export async function requestPullSync(work: Work, { owner, repository }: RepositoryAccess): Promise<void> {
  if ((await findPullMirror(work.tx, repository.id)) === null) {
    throw new InvalidInput(`The repository "${owner.name}/${repository.name}" is not a mirror`);
  }
  await enqueuePull(work, repository.id);
}

/** Has all push mirrors of a repository synchronized soon. */
export async function requestPushSync(work: Work, repositoryId: number): Promise<void> {
  for (const id of await idsOfPushMirrors(work.tx, repositoryId, { onCommit: false })) {
    await enqueuePush(work, id);
  }
}

/** Push mirrors that follow each push hear of what moved. */
export async function followPushes(work: Work, event: Event): Promise<void> {
  if (event.kind === "refs.moved") {
    for (const id of await idsOfPushMirrors(work.tx, event.repository.id, { onCommit: true })) {
      await enqueuePush(work, id);
    }
  }
}

/** Has those mirrors synchronized that are due; answers how many. Until the job has run, they are not due again. */
export async function requestDueSyncs({ database, change }: Forge): Promise<number> {
  const due = await findDueMirrors(database.db, new Date(), mostAtOnce);
  if (due.pull.length + due.push.length > 0) {
    await change(serverDoer(reason), async (work) => {
      for (const id of due.pull) {
        await updatePullMirror(work.tx, id, { nextAt: null });
        await enqueuePull(work, id);
      }
      for (const id of due.push) {
        await updatePushMirror(work.tx, id, { nextAt: null });
        await enqueuePush(work, id);
      }
    });
  }
  return due.pull.length + due.push.length;
}

export async function enqueuePush(work: Work, mirrorId: number): Promise<void> {
  await work.enqueueForServer(reason, newJob(pushMirrorJob, { mirrorId }, { key: String(mirrorId) }));
}

async function enqueuePull(work: Work, repositoryId: number): Promise<void> {
  await work.enqueueForServer(reason, newJob(pullMirrorJob, { repositoryId }, { key: String(repositoryId) }));
}

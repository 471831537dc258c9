import { newJob } from "../../../queue/enqueue.ts";
import { countUnderWay } from "../../../queue/queries.ts";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Event } from "../../spine/events.ts";
import type { Forge } from "../../spine/forge.ts";
import type { Work } from "../../spine/work.ts";
import { findDuePullMirrors, findDuePushMirrors } from "./due-queries.ts";
import { findPullMirror, refsOfPushMirrors, updatePullMirror, updatePushMirror, type MirrorRef } from "./queries.ts";

/** Mirrors of a kind that come into the queue in one look: of all owners, by turns. */
const mostAtOnce = 500;
/** Mirrors of an owner that are in the queue because they are due: what two places can do until the next look. */
const mostOfOwner = 100;

const reason = "mirror";

/** Has a pull mirror synchronized soon. Asked for again before it begins, it happens once. Throws InvalidInput for what is no mirror. */
export async function requestPullSync(work: Work, { owner, repository }: RepositoryAccess): Promise<void> {
  if ((await findPullMirror(work.tx, repository.id)) === null) {
    throw new InvalidInput(`The repository "${owner.name}/${repository.name}" is not a mirror`);
  }
  await enqueuePull(work, { id: repository.id, ownerId: repository.ownerId });
}

/** Has all push mirrors of a repository synchronized soon. */
export async function requestPushSync(work: Work, repositoryId: number): Promise<void> {
  for (const mirror of await refsOfPushMirrors(work.tx, repositoryId, { onCommit: false })) {
    await enqueuePush(work, mirror);
  }
}

/** Push mirrors that follow each push hear of what moved. */
export async function followPushes(work: Work, event: Event): Promise<void> {
  if (event.kind === "refs.moved") {
    for (const mirror of await refsOfPushMirrors(work.tx, event.repository.id, { onCommit: true })) {
      await enqueuePush(work, mirror);
    }
  }
}

/** Has those mirrors synchronized that are due, of each owner some; answers how many. Until the job has run, they are not due again. */
export async function requestDueSyncs({ database: { db }, change }: Forge): Promise<number> {
  const now = new Date();
  const bounds = { mostAtOnce, mostOfOwner };
  const pull = await findDuePullMirrors(db, now, { ...bounds, underWay: await countUnderWay(db, "pull-mirror") });
  const push = await findDuePushMirrors(db, now, { ...bounds, underWay: await countUnderWay(db, "push-mirror") });
  if (pull.length + push.length > 0) {
    await change(serverDoer(reason), async (work) => {
      for (const mirror of pull) {
        await updatePullMirror(work.tx, mirror.id, { nextAt: null });
        await enqueuePull(work, mirror);
      }
      for (const mirror of push) {
        await updatePushMirror(work.tx, mirror.id, { nextAt: null });
        await enqueuePush(work, mirror);
      }
    });
  }
  return pull.length + push.length;
}

export async function enqueuePush(work: Work, { id, ownerId }: MirrorRef): Promise<void> {
  const job = newJob("push-mirror", { mirrorId: id }, { key: String(id), principal: ownerId });
  await work.enqueueForServer(reason, job);
}

async function enqueuePull(work: Work, { id, ownerId }: MirrorRef): Promise<void> {
  const job = newJob("pull-mirror", { repositoryId: id }, { key: String(id), principal: ownerId });
  await work.enqueueForServer(reason, job);
}

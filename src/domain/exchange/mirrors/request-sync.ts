import { newJob } from "../../../queue/enqueue.ts";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import type { Event } from "../../spine/events.ts";
import type { Work } from "../../spine/work.ts";
import { deleteJobsOfNoMirror, listMirrorsWithoutJob } from "./job-queries.ts";
import { nextTryOf } from "./next-try.ts";
import {
  findPullMirror,
  refsOfPushMirrors,
  type MirrorRef,
  type PullMirrorRow,
  type PushMirrorRow,
} from "./queries.ts";

/** Has a pull mirror synchronized soon. Asked for again before it begins, it happens once. Throws InvalidInput for what is no mirror. */
export async function requestPullSync(work: Work, { owner, repository }: RepositoryAccess): Promise<void> {
  if ((await findPullMirror(work.tx, repository.id)) === null) {
    throw new InvalidInput(`The repository "${owner.name}/${repository.name}" is not a mirror`);
  }
  await enqueueSync(work, { direction: "pull", id: repository.id, ownerId: repository.ownerId });
}

/** Has all push mirrors of a repository synchronized soon. */
export async function requestPushSync(work: Work, repositoryId: number): Promise<void> {
  for (const mirror of await refsOfPushMirrors(work.tx, repositoryId, { onCommit: false })) {
    await enqueueSync(work, mirror);
  }
}

/** Push mirrors that follow each push hear of what moved. */
export async function followPushes(work: Work, event: Event): Promise<void> {
  if (event.kind === "refs.moved") {
    for (const mirror of await refsOfPushMirrors(work.tx, event.repository.id, { onCommit: true })) {
      await enqueueSync(work, mirror);
    }
  }
}

/**
 * Each mirror with an interval has a job that waits for its time. Enqueues what lacks one, because its job failed for good, and removes
 * the jobs of mirrors that are gone. Answers how many mirrors lacked one.
 */
export async function keepMirrorJobs(work: Work): Promise<number> {
  await deleteJobsOfNoMirror(work.tx);
  const mirrors = await listMirrorsWithoutJob(work.tx);
  for (const mirror of mirrors) {
    await enqueueSync(work, mirror);
  }
  return mirrors.length;
}

/** Has a mirror synchronized when it is due next. `row`: as it is now; null: it is gone. */
export async function enqueueNextSync(
  work: Work,
  mirror: MirrorRef,
  row: PullMirrorRow | PushMirrorRow | null,
): Promise<void> {
  const runAt = row === null ? null : nextTryOf(row);
  if (runAt !== null) {
    await enqueueSync(work, mirror, { runAt });
  }
}

/** Has a mirror synchronized; soon, if no time is given. */
export async function enqueueSync(
  work: Work,
  { direction, id, ownerId }: MirrorRef,
  time: { runAt?: Date } = {},
): Promise<void> {
  const place = { key: String(id), principal: ownerId, ...time };
  const job =
    direction === "pull"
      ? newJob("pull-mirror", { repositoryId: id }, place)
      : newJob("push-mirror", { mirrorId: id }, place);
  await work.enqueueForServer("mirror", job);
}

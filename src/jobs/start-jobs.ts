import { serverDoer } from "../domain/spine/doer.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { requestAllRegularTasks } from "../domain/server/maintenance/regular-tasks.ts";
import { RepackNotices, type RepackTimes } from "../domain/server/maintenance/request-repacks.ts";
import { JobRunner } from "../queue/job-runner.ts";
import { performJob } from "./perform-job.ts";

export interface JobOptions {
  /** Does what a server does every hour, now and from now on, and keeps repositories in few packs. */
  readonly regular: boolean;
  readonly repackTimes?: RepackTimes;
}

/** Runs the jobs of the queue. Disposing aborts what is running and leaves it in the queue. */
export async function startJobs(forge: Forge, { regular, repackTimes }: JobOptions): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  stack.use(
    new JobRunner({
      // One server has a database (`ServerLock`).
      name: "server",
      db: forge.database.db,
      log: forge.log,
      scheduled: regular,
      pulse: forge.pulse,
      perform: (job, signal) => performJob(forge, job, signal),
    }),
  );
  if (regular) {
    const notices = stack.use(new RepackNotices(forge, repackTimes));
    forge.git.views.onSeveralPacks = (repositoryId) => notices.notice(repositoryId);
    await forge.change(serverDoer("start"), requestAllRegularTasks);
  }
  return stack.move();
}

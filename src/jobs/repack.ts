import { Type } from "typebox";
import { repackRepository } from "../domain/server/maintenance/repack-repository.ts";
import { administer, minuteMs, type Job } from "./job.ts";

const payload = Type.Object({ repositoryId: Type.Integer() });

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    repack: typeof payload;
  }
}

/** Puts packs of a repository together, if that is due. */
export const repackJob: Job<"repack"> = {
  payload,
  // The next reader of the repository, or the hourly look over all, asks again.
  attempts: 2,
  timeLimitMs: 60 * minuteMs,
  concurrency: 1,
  may: () => administer,
  async run({ change, config, database, files, git, log }, _doer, { repositoryId }, signal) {
    if (!files.room.hasRoom()) {
      // A repack needs as much room again; the hourly look asks for it again.
      return;
    }
    const started = performance.now();
    const maintenance = { db: database.db, change, config, git: git.engine, ...files };
    const done = await repackRepository(maintenance, { repositoryId, kind: "due", signal });
    if (done !== null) {
      const { before, after, dropped } = done;
      const ms = Math.round(performance.now() - started);
      log.info(
        { repository: repositoryId, packsBefore: before.length, packsMade: after.length, dropped, ms },
        "Repacked",
      );
    }
  },
};

import { Type } from "typebox";
import { runMigration } from "../domain/exchange/migrations/run-migration.ts";
import { administer, elsewhere, minuteMs, type Job } from "./job.ts";

const payload = Type.Object({ migrationId: Type.Integer() });

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    migration: typeof payload;
  }
}

/** Brings a repository from elsewhere. */
export const migrationJob: Job<"migration"> = {
  payload,
  // A second try goes on where a killed process has left it.
  attempts: 25,
  timeLimitMs: 360 * minuteMs,
  ...elsewhere,
  may: () => administer,
  run: (forge, _doer, { migrationId }, signal) => runMigration(forge, migrationId, signal),
};

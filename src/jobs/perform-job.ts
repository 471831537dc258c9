import { doerOfJob } from "../domain/spine/job-doer.ts";
import type { Doer } from "../domain/spine/doer.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { StithyError, type ErrorKind } from "../lib/errors.ts";
import type { JobName } from "../queue/job-kind.ts";
import type { StartedJob } from "../queue/job-runner.ts";
import type { Job } from "./job.ts";
import { jobs } from "./jobs.ts";

/** The kinds of errors of a doer who has lost the account, the credential or the right. */
const refusals: ReadonlySet<ErrorKind> = new Set(["unauthenticated", "forbidden", "absent"]);

/**
 * Does a job, if whoever it is done for may still have it done: the account, password, token or key that they came with
 * is looked up again, and their rights are decided about as they are now. A job that is refused is done with: nobody is
 * to get with a second try what they have lost.
 */
export async function performJob(
  forge: Forge,
  { kind, payload, doer: stored }: StartedJob,
  signal: AbortSignal,
): Promise<void> {
  // The runner has none of another kind, and its payload fits.
  const { may, run } = jobs[kind as JobName] as unknown as Job<never>;
  const doer = await doerOfJob(forge, stored, may(payload as never));
  const refusal = doer === null ? "The account is gone" : await findRefusal(forge, doer);
  if (doer === null || refusal !== null) {
    forge.log.info(
      { kind, doer: stored, reason: refusal },
      "A job was refused: who asked for it may not do this any more",
    );
    return;
  }
  await run(forge, doer, payload as never, signal);
}

/** Why the doer may not do it any more; null when they may. To open a unit of work is to look again at its doer. */
async function findRefusal(forge: Forge, doer: Doer): Promise<string | null> {
  if (doer.kind === "server") {
    return null;
  }
  try {
    await forge.change(doer, async () => {});
    return null;
  } catch (error) {
    if (error instanceof StithyError && refusals.has(error.kind)) {
      return error.message;
    }
    throw error;
  }
}

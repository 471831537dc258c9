import type { Static, TSchema } from "@sinclair/typebox";
import type { Permit } from "../domain/access/permit.ts";
import { doerOfJob } from "../domain/job-doer.ts";
import type { Doer } from "../domain/doer.ts";
import type { Forge } from "../domain/forge.ts";
import { StithyError, type ErrorKind } from "../lib/errors.ts";
import type { JobKind } from "../queue/job-kind.ts";
import type { StartedJob } from "../queue/job-runner.ts";

/** How the jobs of a kind are done. */
export interface JobHandler<Payload extends TSchema = TSchema> {
  readonly kind: JobKind<Payload>;
  /** What a user must be permitted for their job to be done. What the server does of its own accord needs no permission. */
  readonly may: (payload: Static<Payload>) => Permit;
  /** Changes go through `forge.change` with this doer. Errors make it a try that failed; see JobRunnerOptions.perform. */
  readonly run: (forge: Forge, doer: Doer, payload: Static<Payload>, signal: AbortSignal) => Promise<void>;
}

/** Makes a handler whose payload is read as its kind declares it. */
export function jobHandler<Payload extends TSchema>(handler: JobHandler<Payload>): JobHandler {
  return handler as unknown as JobHandler;
}

/** What it means when somebody has lost the account, the credential or the right that they had. */
const refusals: ReadonlySet<ErrorKind> = new Set(["unauthenticated", "forbidden", "absent"]);

/**
 * Does a job, if whoever it is done for may still have it done: the account, password, token or key that they came with
 * is looked up again, and their rights are decided about as they are now. A job that is refused is done with: nobody is
 * to get with a second try what they have lost.
 */
export async function performJob(
  forge: Forge,
  handlers: readonly JobHandler[],
  { kind, payload, doer: stored }: StartedJob,
  signal: AbortSignal,
): Promise<void> {
  const handler = handlers.find((one) => one.kind === kind);
  if (handler === undefined) {
    throw new Error(`Nobody does jobs of the kind "${kind.name}"`);
  }
  const doer = await doerOfJob(forge, stored, handler.may(payload));
  const refusal = doer === null ? "The account is gone" : await findRefusal(forge, doer);
  if (doer === null || refusal !== null) {
    forge.log.info(
      { kind: kind.name, doer: stored, reason: refusal },
      "A job was refused: who asked for it may not do this any more",
    );
    return;
  }
  await handler.run(forge, doer, payload, signal);
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

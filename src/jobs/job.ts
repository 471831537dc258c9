import type { Action } from "../auth/authorize.ts";
import type { ScopeCategory } from "../auth/scopes.ts";
import { demandTo, type Demand } from "../domain/spine/guard.ts";
import { permitOnId, type Permit } from "../domain/spine/permit.ts";
import type { Doer } from "../domain/spine/doer.ts";
import type { Forge } from "../domain/spine/forge.ts";
import type { JobKind, JobName, JobPayload, JobSchemas } from "../queue/job-kind.ts";

/** A kind of job: its payload and limits, what its doer must be permitted, and what it does. */
export interface Job<Kind extends JobName> extends JobKind {
  readonly payload: JobSchemas[Kind];
  /** The permission that the user needs when the job runs. Jobs of the server itself need none. */
  readonly may: (payload: JobPayload<Kind>) => Permit;
  /** Changes go through `forge.change` with this doer. Errors make it a try that failed; see JobRunnerOptions.perform. */
  readonly run: (forge: Forge, doer: Doer, payload: JobPayload<Kind>, signal: AbortSignal) => Promise<void>;
}

export const minuteMs = 60_000;

/**
 * Bounds of kinds that may wait for hours for a server elsewhere: all of them together leave workers for the others, and two principals
 * leave a place for a third one.
 */
export const elsewhere = { concurrency: 4, each: 2 };

/** A job may run on a repository that was archived after it was enqueued. */
const ofJob = (may: Action, categories: readonly ScopeCategory[]): Demand =>
  demandTo(may, "write", categories, { signedIn: true, onArchived: "allowed" });

/** The permit of jobs that only the server and its administrators enqueue. */
export const administer: Permit = {
  demand: ofJob({ on: "instance", do: "administer" }, ["admin"]),
  named: { what: "server", name: "" },
  target: {},
};

/** The permit of jobs of everybody who pushes or merges. Their handlers check the permission for each issue. */
export const readRepository = (repositoryId: number): Permit =>
  permitOnId(ofJob({ on: "repository", do: "read", unit: "any" }, []), repositoryId, String(repositoryId));

export const actAsSelf: Permit = {
  ...administer,
  demand: ofJob({ on: "account", do: "act-as-self" }, ["user"]),
};

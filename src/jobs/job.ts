import type { TSchema } from "@sinclair/typebox";
import type { Permit } from "../domain/spine/permit.ts";
import type { Doer } from "../domain/spine/doer.ts";
import type { Forge } from "../domain/spine/forge.ts";
import type { JobKind, JobName, JobPayloads } from "../queue/job-kind.ts";

/** A kind of job: its payload and limits, what its doer must be permitted, and what it does. */
export interface Job<Kind extends JobName> extends JobKind {
  readonly payload: TSchema & { readonly static: JobPayloads[Kind] };
  /** What a user must be permitted when the job runs. What the server does of its own accord needs no permission. */
  readonly may: (payload: JobPayloads[Kind]) => Permit;
  /** Changes go through `forge.change` with this doer. Errors make it a try that failed; see JobRunnerOptions.perform. */
  readonly run: (forge: Forge, doer: Doer, payload: JobPayloads[Kind], signal: AbortSignal) => Promise<void>;
}

export const minuteMs = 60_000;

/**
 * Bounds of kinds that may wait for hours for a server elsewhere: all of them together leave workers for the others, and two principals
 * leave a place for a third one.
 */
export const elsewhere = { concurrency: 4, each: 2 };

/** What only the server and its administrators have done. */
export const administer: Permit = {
  demand: {
    may: { on: "instance", do: "administer" },
    scopes: { categories: ["admin"], level: "write" },
    signedIn: true,
    changes: false,
  },
  named: { what: "server", name: "" },
  target: {},
};

/** What everybody who pushes or merges may do already: what they may do to each issue is decided when that is done. */
export const readRepository = (repositoryId: number): Permit => ({
  demand: {
    may: { on: "repository", do: "read", unit: "any" },
    scopes: { categories: [], level: "write" },
    signedIn: true,
    changes: false,
  },
  named: { what: "repository", name: String(repositoryId) },
  target: { repositoryId },
});

export const actAsSelf: Permit = {
  ...administer,
  demand: {
    ...administer.demand,
    may: { on: "account", do: "act-as-self" },
    scopes: { categories: ["user"], level: "write" },
  },
};

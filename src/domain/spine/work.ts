import type { Action } from "../../auth/authorize.ts";
import type { Config } from "../../config/config.ts";
import type { StagedBlob } from "../../blobs/blob-store.ts";
import type { Transaction } from "../../db/client.ts";
import type { StagedPack } from "../../git/pack/staged-pack.ts";
import type { NewJob } from "../../queue/enqueue.ts";
import type { Doer } from "./doer.ts";
import type { Event } from "./events.ts";
import type { LiveSubject } from "./live-subject.ts";
import type { Facts } from "../git/protections/facts.ts";

/**
 * A unit of work: one transaction in which somebody changes something. Every use case that writes takes it as its first
 * argument; `forge.change` alone makes one.
 */
export interface Work {
  readonly tx: Transaction;
  /** The doer, with their rows as they were when the transaction began. */
  readonly doer: Doer;
  /** The user to record for the change. null for a deploy key, an application and the server. */
  readonly actorId: number | null;
  readonly config: Config;
  /** The public address of the server; null in a command, which does not know at which port the server listens. */
  readonly serverUrl: string | null;
  /** The known facts about this unit's moves of branches, for the rules that decide about them. */
  readonly facts: Facts;
  /** Has a job done on the doer's authority, once the transaction has committed. */
  enqueue(job: NewJob): Promise<void>;
  /** Has a job done by the server: what must follow from the change whatever becomes of the doer. `reason` names the task. */
  enqueueForServer(reason: string, job: NewJob): Promise<void>;
  /** Tells an event. The subscribers run before the transaction commits. */
  tell(event: Event): void;
  /** Has open pages that show this look again, once the transaction has committed. `tell` does it for what an event is about. */
  refresh(subject: LiveSubject): void;
  /** Looks again whether the doer may do this, too, besides what they were let to. Throws what `lookAgain` throws. */
  demand(may: Action): Promise<void>;
  /**
   * Makes sure that the doer was looked at with this repository's row locked, which the caller has done: they may have
   * waited for it. Costs nothing where the unit locked it before it looked. Throws what `lookAgain` throws.
   */
  lookAgainLocked(repositoryId: number): Promise<void>;
}

/** Staged files that the work publishes: packs with linkPacks, blobs with publishBlob. */
export interface StagedFiles {
  readonly packs?: readonly StagedPack[];
  readonly blobs?: readonly StagedBlob[];
}

type Run<Result> = (work: Work) => Promise<Result>;

/**
 * Opens a unit of work: the one way to a transaction that writes.
 *
 * Inside the transaction it first looks again at what the doer was allowed by (`look-again.ts`), with the repository's row
 * locked where that was to write to its code or wiki. Then it runs the work, then
 * the subscribers of what the work told, and writes the outbox. When anything throws, nothing has happened: staged files
 * that the work had published go at once, unless somebody else named them. When the database ended it because it and
 * another waited for each other (a deadlock), or rules have to know more of a move of a branch (`domain/git/protections/facts.ts`), it runs
 * again from the beginning, so the work must have no effect outside of its transaction. Throws what the work throws, and what `lookAgain` throws.
 */
export interface Change {
  <Result>(doer: Doer, run: Run<Result>): Promise<Result>;
  <Result>(doer: Doer, files: StagedFiles, run: Run<Result>): Promise<Result>;
}

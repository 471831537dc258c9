import type { FairShare } from "../../lib/fair-share.ts";
import { EngineTimeout } from "../job/errors.ts";

/** Work that waits for its turn. */
export interface Turn {
  /** the operation's name, for messages */
  readonly name: string;
  /** whose share of the places it takes */
  readonly principal: string;
  /** for waiting and working together, ms */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Does work when there is a place for it, with what is left of its time. Throws Busy when there is no room to wait,
 * EngineTimeout when the time is up before there is a place, the signal's reason when it is aborted, and what the work throws.
 */
export async function inTurn<Result>(
  share: FairShare,
  turn: Turn,
  work: (timeoutMs: number) => Promise<Result>,
): Promise<Result> {
  turn.signal?.throwIfAborted();
  const place = share.tryTake(turn.principal);
  if (place !== null) {
    using _place = place;
    return await work(turn.timeoutMs);
  }
  const began = performance.now();
  using _place = await waitForPlace(share, turn);
  return await work(Math.max(1, turn.timeoutMs - (performance.now() - began)));
}

async function waitForPlace(share: FairShare, { name, principal, timeoutMs, signal }: Turn): Promise<Disposable> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(new EngineTimeout(name, timeoutMs)), timeoutMs);
  try {
    return await share.take(
      principal,
      signal === undefined ? patience.signal : AbortSignal.any([signal, patience.signal]),
    );
  } finally {
    clearTimeout(timer);
  }
}

import { StithyError } from "../../lib/errors.ts";

/**
 * Which thread work runs in. Most work is short, or lets others have their turn every few milliseconds. Comparing large
 * texts does neither: it runs in a thread of its own, the heavy lane, where it delays nobody but others of its kind. It
 * finds out what it is while it runs, so it begins in the light lane, ends there with NeedsHeavyLane, and the engine does
 * it again.
 */
export type Lane = "light" | "heavy";

/** Thrown in the light lane by work that belongs into the heavy one (code "needs-heavy-lane"). No caller of the engine sees it. */
export class NeedsHeavyLane extends StithyError {
  constructor() {
    super("fault", "needs-heavy-lane", "The work is too heavy for a thread that others wait for");
  }
}

/** Threads that do one piece of work at a time have no lanes: all of it is allowed. */
let lane: Lane = "heavy";

/** Says which lane this thread is. */
export function setLane(of: Lane): void {
  lane = of;
}

export function isLightLane(): boolean {
  return lane === "light";
}

/** Throws NeedsHeavyLane in the light lane. */
export function demandHeavyLane(): void {
  if (lane === "light") {
    throw new NeedsHeavyLane();
  }
}

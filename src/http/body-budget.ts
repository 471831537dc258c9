import { Busy } from "../lib/fair-share.ts";
import { currentPrincipal } from "../lib/request-context.ts";

/** The bytes of a budget that one request holds. Disposing gives them back. */
export interface HeldBytes extends Disposable {
  /** Throws Busy when that is more than there is for the principal, or for all. */
  add(bytes: number): void;
}

/**
 * Bounds the bytes that the server holds of incomplete bodies. Otherwise thousands of clients that stop in the middle
 * of a body would fill the memory. A principal may hold as many bytes as it leaves free, like the places of a
 * FairShare, and always `leastEach`, because a dozen principals that each take half of the rest leave nothing to the
 * next.
 */
export class BodyBudget {
  #held = 0;
  readonly #own = new Map<string, number>();

  constructor(
    private readonly bytes: number,
    private readonly leastEach = 0,
  ) {}

  /** Bytes that are held. */
  get held(): number {
    return this.#held;
  }

  /** Begins to hold bytes for the current principal; none yet. `least`: the budget counts as at least so many bytes. */
  open(least = 0): HeldBytes {
    const name = currentPrincipal();
    const most = Math.max(this.bytes, least);
    let mine = 0;
    const change = (bytes: number): void => {
      mine += bytes;
      this.#held += bytes;
      const own = (this.#own.get(name) ?? 0) + bytes;
      if (own > 0) {
        this.#own.set(name, own);
      } else {
        this.#own.delete(name);
      }
    };
    return {
      add: (bytes) => {
        const own = (this.#own.get(name) ?? 0) + bytes;
        const free = most - this.#held - bytes;
        if (own > this.leastEach && (free < 0 || own > free)) {
          throw new Busy(own > bytes ? "own" : "server", "bytes of unfinished bodies", this.#held);
        }
        change(bytes);
      },
      [Symbol.dispose]: () => change(-mine),
    };
  }
}

import { StithyError } from "./errors.ts";

/** How much of something there is, and how much of it one principal may have. */
export interface ShareLimits {
  /** what the places are for, in the plural, for messages: "archives" */
  readonly what: string;
  /** pieces of work that run at the same time */
  readonly places: number;
  /** of these, for one principal; a principal also never holds more places than it leaves free */
  readonly placesEach: number;
  /** pieces of work that may wait for a place */
  readonly waiting: number;
  /** of these, of one principal */
  readonly waitingEach: number;
  /** the longest wait for a place, milliseconds; without it, until the caller gives up */
  readonly waitingMs?: number;
}

/**
 * There is no place, and no room to wait for one. `whose` tells the two cases apart: "own" (code "share-full") when the
 * principal has used up what one may have, "server" (code "server-busy") when all principals together have. Trying again
 * later may work.
 */
export class Busy extends StithyError {
  constructor(
    readonly whose: "own" | "server",
    what: string,
    count: number,
  ) {
    super(
      whose === "own" ? "too-many" : "busy",
      whose === "own" ? "share-full" : "server-busy",
      whose === "own"
        ? `You have too many ${what} under way at the same time (${count}): try again when one of them has ended`
        : `The server has too many ${what} under way (${count}) and takes no more: try again in a moment`,
      { what, count },
    );
  }
}

/** The work of one principal. It is forgotten when nothing of it runs or waits. */
interface Principal {
  readonly name: string;
  held: number;
  readonly queue: (() => void)[];
}

/**
 * Shares a number of places between principals: users, or addresses of nobody we know, under opaque names. Waiting work
 * is served by principal in turn, and for each principal in the order of arrival, so that a principal with much work
 * delays another one by one piece at most. A principal may hold as many places as it leaves free, so that the next
 * principal finds one; the last place goes to a principal that holds none.
 */
export class FairShare {
  readonly #limits: ShareLimits;
  #free: number;
  #waiting = 0;
  readonly #principals = new Map<string, Principal>();
  /** Principals that wait, in the order of their turns. */
  #turns: Principal[] = [];

  constructor(limits: ShareLimits) {
    this.#limits = limits;
    this.#free = limits.places;
  }

  /** Places that are taken. */
  get held(): number {
    return this.#limits.places - this.#free;
  }

  /** Pieces of work that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** A place for this principal now; disposing of it gives it back. null when it would have to wait. */
  tryTake(name: string): Disposable | null {
    const principal = this.#principals.get(name) ?? { name, held: 0, queue: [] };
    return principal.queue.length === 0 && this.#mayHold(principal) ? this.#hold(principal) : null;
  }

  /**
   * Waits for a place for this principal; disposing of it gives it back. Throws Busy when there is no room to wait or the longest wait is
   * over, and the signal's reason when it is aborted before the place is there.
   */
  async take(name: string, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
    return this.tryTake(name) ?? this.#wait(name, signal);
  }

  /** Throws Busy when `take` would. */
  check(name: string): void {
    const principal = this.#principals.get(name);
    if (principal === undefined ? this.#free > 0 : principal.queue.length === 0 && this.#mayHold(principal)) {
      return;
    }
    const { what, waiting, waitingEach } = this.#limits;
    if (principal !== undefined && principal.queue.length >= waitingEach) {
      throw new Busy("own", what, principal.held + principal.queue.length);
    }
    if (this.#waiting >= waiting) {
      throw new Busy("server", what, this.held + this.#waiting);
    }
  }

  #mayHold({ held }: Principal): boolean {
    return held < this.#free && held < this.#limits.placesEach;
  }

  #hold(principal: Principal): Disposable {
    this.#free--;
    principal.held++;
    this.#principals.set(principal.name, principal);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) {
          isHeld = false;
          this.#giveBack(principal);
        }
      },
    };
  }

  #giveBack(principal: Principal): void {
    this.#free++;
    principal.held--;
    this.#removeIfDone(principal);
    this.#serve();
  }

  /** Gives what is free to those who wait, each in its turn. */
  #serve(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const begin = next.queue.shift()!;
      if (next.queue.length > 0) {
        this.#turns.push(next);
      }
      begin();
    }
  }

  /** Takes the principal whose turn it is out of those that wait; null when there is no place for any of them. */
  #next(): Principal | null {
    const index = this.#free === 0 ? -1 : this.#turns.findIndex((principal) => this.#mayHold(principal));
    return index < 0 ? null : this.#turns.splice(index, 1)[0]!;
  }

  #wait(name: string, signal: AbortSignal | undefined): Promise<Disposable> {
    this.check(name);
    const principal = this.#principals.get(name) ?? { name, held: 0, queue: [] };
    this.#principals.set(name, principal);
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>();
    const { what, waitingMs } = this.#limits;
    const begin = () => {
      this.#waiting--;
      stopListening();
      // Before the waiter continues, so that the place is not free in between.
      resolve(this.#hold(principal));
    };
    const giveUp = (reason: unknown) => {
      this.#waiting--;
      stopListening();
      principal.queue.splice(principal.queue.indexOf(begin), 1);
      if (principal.queue.length === 0) {
        this.#turns = this.#turns.filter((other) => other !== principal);
        this.#removeIfDone(principal);
      }
      reject(reason);
    };
    const abort = () => giveUp(signal?.reason);
    const late = () =>
      giveUp(
        principal.held > 0
          ? new Busy("own", what, principal.held + principal.queue.length)
          : new Busy("server", what, this.held + this.#waiting),
      );
    const timer = waitingMs === undefined ? undefined : setTimeout(late, waitingMs);
    const stopListening = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    this.#waiting++;
    principal.queue.push(begin);
    if (principal.queue.length === 1) {
      this.#turns.push(principal);
    }
    signal?.addEventListener("abort", abort, { once: true });
    return promise;
  }

  #removeIfDone({ name, held, queue }: Principal): void {
    if (held === 0 && queue.length === 0) {
      this.#principals.delete(name);
    }
  }
}

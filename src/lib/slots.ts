/** A number of places for work that runs at the same time; who comes later waits, in order, up to a number. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(
    places: number,
    private readonly maxWaiting: number,
  ) {
    this.#free = places;
  }

  /** How many wait, when no more may; else null. */
  get full(): number | null {
    return this.#free === 0 && this.#waiting.length >= this.maxWaiting ? this.#waiting.length : null;
  }

  /** Waits for a place; disposing what it answers gives it back. Throws the signal's reason when that is aborted first. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
    } else {
      await this.#wait(signal);
    }
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (held) {
          held = false;
          this.#release();
        }
      },
    };
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#free++;
    } else {
      next();
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const mine = () => {
      signal.removeEventListener("abort", abort);
      resolve();
    };
    const abort = () => {
      this.#waiting.splice(this.#waiting.indexOf(mine), 1);
      reject(signal.reason);
    };
    this.#waiting.push(mine);
    signal.addEventListener("abort", abort, { once: true });
    return promise;
  }
}

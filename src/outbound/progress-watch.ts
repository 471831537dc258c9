import { OutboundFailed } from "./errors.ts";

/** The least bytes that have to come or go in each stretch of time. */
export interface Progress {
  readonly bytes: number;
  readonly ms: number;
}

/**
 * The least speed of transfers of repositories and files: a kilobyte a second, on average of three minutes, in which a
 * server may count its objects. Without it, a server that sends a byte a minute would hold a place of the queue for
 * hours.
 */
export const leastProgress: Progress = { bytes: 180 * 1024, ms: 180_000 };

/** Tells once when fewer bytes than `least` were noted in a stretch of time. Disposing ends it: what is complete may have been short. */
export class ProgressWatch implements Disposable {
  #bytes = 0;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(least: Progress, fail: (failure: OutboundFailed) => void) {
    this.#timer = setInterval(() => {
      if (this.#bytes < least.bytes) {
        clearInterval(this.#timer);
        const text = `Only ${this.#bytes} bytes came or went in ${least.ms / 1000} seconds; ${least.bytes} are the least`;
        fail(new OutboundFailed("too-slow", text));
      }
      this.#bytes = 0;
    }, least.ms);
    this.#timer.unref();
  }

  note(bytes: number): void {
    this.#bytes += bytes;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

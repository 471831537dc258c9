import { OutboundFailed } from "./errors.ts";
import { ProgressWatch, type Progress } from "./progress-watch.ts";

interface Limits {
  readonly totalMs: number;
  readonly idleMs?: number;
  readonly progress?: Progress;
  readonly signal?: AbortSignal;
}

/** The limits in time of one call: aborts its signal when one is reached, or when the caller's own signal is aborted. */
export class OutboundTimers {
  readonly #ending = new AbortController();
  readonly #total: ReturnType<typeof setTimeout>;
  #idle: ReturnType<typeof setTimeout> | null = null;
  readonly #progress: ProgressWatch | null;
  #failure: OutboundFailed | null = null;
  readonly #onCancel = () => this.#abort(new OutboundFailed("cancelled", "The call was cancelled"));

  constructor(private readonly limits: Limits) {
    this.#total = setTimeout(
      () => this.#abort(new OutboundFailed("too-slow", `The answer took longer than ${limits.totalMs / 1000} seconds`)),
      limits.totalMs,
    );
    this.#progress =
      limits.progress === undefined ? null : new ProgressWatch(limits.progress, (failure) => this.#abort(failure));
    this.touch();
    if (limits.signal?.aborted === true) {
      this.#onCancel();
    }
    limits.signal?.addEventListener("abort", this.#onCancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** So many bytes came or went. */
  touch(bytes = 0): void {
    this.#progress?.note(bytes);
    const { idleMs } = this.limits;
    if (idleMs === undefined || this.#failure !== null) {
      return;
    }
    if (this.#idle !== null) {
      clearTimeout(this.#idle);
    }
    this.#idle = setTimeout(
      () => this.#abort(new OutboundFailed("too-slow", `Nothing came for ${idleMs / 1000} seconds`)),
      idleMs,
    );
  }

  /** The call is over. */
  end(): void {
    clearTimeout(this.#total);
    this.#progress?.[Symbol.dispose]();
    if (this.#idle !== null) {
      clearTimeout(this.#idle);
    }
    this.limits.signal?.removeEventListener("abort", this.#onCancel);
  }

  /** The error if a limit or the caller ended the call. */
  get failure(): OutboundFailed | null {
    return this.#failure;
  }

  /** Waits no longer than the limits for what cannot be aborted. Throws OutboundFailed. */
  async race<Result>(promise: Promise<Result>): Promise<Result> {
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(this.#failure);
    aborted.catch(() => {});
    this.signal.addEventListener("abort", onAbort, { once: true });
    try {
      this.signal.throwIfAborted();
      return await Promise.race([promise, aborted]);
    } finally {
      this.signal.removeEventListener("abort", onAbort);
      promise.catch(() => {});
    }
  }

  /** The stream, with each chunk noted. */
  watch(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    return stream.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          this.touch(chunk.length);
          controller.enqueue(chunk);
        },
      }),
    );
  }

  #abort(failure: OutboundFailed): void {
    this.#failure ??= failure;
    this.#ending.abort(this.#failure);
  }
}

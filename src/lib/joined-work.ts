interface Running<Value> {
  readonly answer: Promise<Value>;
  /** Aborted when nobody waits any more. */
  readonly left: AbortController;
  waiting: number;
}

/**
 * Does the same work once for all callers that ask for it at the same time: a later caller gets the answer or the failure of
 * the running work. Nothing is kept afterwards. A key must say all that the answer depends on, so that work that began earlier
 * is good enough for a later caller.
 */
export class JoinedWork<Value> {
  readonly #running = new Map<string, Running<Value>>();

  /**
   * Returns what the running work of this key returns, or begins it. A caller with a signal may give up and gets the signal's reason;
   * the signal of `work` is aborted when all callers have given up.
   */
  async do(key: string, work: (left: AbortSignal) => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    signal?.throwIfAborted();
    const running = this.#running.get(key) ?? this.#begin(key, work);
    running.waiting++;
    const over = new AbortController();
    try {
      return await new Promise<Value>((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason), { signal: over.signal });
        running.answer.then(resolve, reject);
      });
    } finally {
      over.abort();
      if (--running.waiting === 0) {
        this.#forget(key, running);
        running.left.abort();
      }
    }
  }

  #begin(key: string, work: (left: AbortSignal) => Promise<Value>): Running<Value> {
    const left = new AbortController();
    const running = { answer: work(left.signal), left, waiting: 0 };
    this.#running.set(key, running);
    // Every waiting caller gets a failure. If all have given up, nobody needs it.
    const forget = (): void => this.#forget(key, running);
    void running.answer.then(forget, forget);
    return running;
  }

  #forget(key: string, running: Running<Value>): void {
    if (this.#running.get(key) === running) {
      this.#running.delete(key);
    }
  }
}

import { currentPrincipal } from "./principal.ts";

interface Call<Value> {
  readonly answer: Promise<Value>;
  /** aborted when nobody waits any more */
  readonly left: AbortController;
  waiting: number;
}

/**
 * Does work once for all requests of one principal that want the same at the same time, like JoinedWork, where a request
 * may give up: the others still get their answer, and the work ends when none is left. For answers that are large: six
 * equal requests for a list of 20 MB would hold it eighteen times, with the messages between threads.
 */
export class JoinedCalls<Value> {
  readonly #running = new Map<string, Call<Value>>();

  /** Answers what the running work of this key answers, or begins it. Throws the signal's reason. */
  async do(
    key: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    signal?.throwIfAborted();
    // Everybody waits in their own turn: a queue that is full for one is not full for others.
    const own = `${currentPrincipal()} ${key}`;
    const call = this.#running.get(own) ?? this.#begin(own, work);
    call.waiting++;
    const over = new AbortController();
    try {
      return await new Promise<Value>((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason), { signal: over.signal });
        call.answer.then(resolve, reject);
      });
    } finally {
      over.abort();
      if (--call.waiting === 0) {
        this.#forget(own, call);
        call.left.abort();
      }
    }
  }

  #begin(own: string, work: (signal: AbortSignal) => Promise<Value>): Call<Value> {
    const left = new AbortController();
    const call = { answer: work(left.signal), left, waiting: 0 };
    this.#running.set(own, call);
    // All who wait hear of a failure; where all have left, nobody wants to.
    const forget = (): void => this.#forget(own, call);
    void call.answer.then(forget, forget);
    return call;
  }

  #forget(own: string, call: Call<Value>): void {
    if (this.#running.get(own) === call) {
      this.#running.delete(own);
    }
  }
}

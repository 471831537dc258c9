interface Runs {
  /** The present run. */
  current: Promise<void>;
  /** The run after it; all callers that come meanwhile wait for this one. */
  next: Promise<void> | null;
}

/** Has one run at a time for each key, and one more for all who come while it runs: they want what has changed since it began. */
export class SharedRuns {
  readonly #runs = new Map<string, Runs>();

  /** Resolves after a run that began after the call; rejects with what that threw. */
  run(key: string, act: () => Promise<void>): Promise<void> {
    const runs = this.#runs.get(key);
    if (runs === undefined) {
      return this.#start(key, act);
    }
    runs.next ??= runs.current.then(
      () => this.#start(key, act),
      () => this.#start(key, act),
    );
    return runs.next;
  }

  #start(key: string, act: () => Promise<void>): Promise<void> {
    const runs: Runs = { current: act(), next: null };
    this.#runs.set(key, runs);
    const end = () => {
      // A waiting caller starts the next run, which replaces this one.
      if (runs.next === null) {
        this.#runs.delete(key);
      }
    };
    void runs.current.then(end, end);
    return runs.current;
  }
}

interface Entry {
  count: number;
  since: number;
  /** The failed values, if the caller names them. */
  seen: Set<string>;
}

/** Counts failures by key over a window of time. It is bounded and in memory; the oldest keys are dropped first. */
export class FailureWindow {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
    private readonly now: () => number,
    private readonly keyLimit = 20_000,
  ) {}

  /** Returns how many seconds the key has to wait, or 0 if it has attempts left. */
  secondsToWait(key: string): number {
    const entry = this.current(key);
    return entry === null || entry.count < this.limit
      ? 0
      : Math.ceil((entry.since + this.windowMs - this.now()) / 1000);
  }

  /**
   * Counts a failure. `what` names the failed value: the same value counts once in a window, because it reveals nothing
   * new.
   */
  record(key: string, what?: string): void {
    const entry = this.current(key);
    if (entry !== null) {
      if (what === undefined || (!entry.seen.has(what) && entry.count < this.limit)) {
        entry.count++;
      }
      if (what !== undefined && entry.seen.size < this.limit) {
        entry.seen.add(what);
      }
      return;
    }
    if (this.entries.size >= this.keyLimit) {
      this.entries.delete(this.entries.keys().next().value ?? "");
    }
    this.entries.set(key, { count: 1, since: this.now(), seen: new Set(what === undefined ? [] : [what]) });
  }

  /** Uncounts one failure. */
  takeBack(key: string): void {
    const entry = this.current(key);
    if (entry !== null && --entry.count <= 0) {
      this.entries.delete(key);
    }
  }

  private current(key: string): Entry | null {
    const entry = this.entries.get(key);
    if (entry !== undefined && this.now() - entry.since >= this.windowMs) {
      this.entries.delete(key);
      return null;
    }
    return entry ?? null;
  }
}

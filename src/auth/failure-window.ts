interface Entry {
  count: number;
  since: number;
  /** What failed, where that is told. */
  seen: Set<string>;
}

/** Counts failures by key over a window of time. In memory and bounded: the oldest keys are forgotten first. */
export class FailureWindow {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
    private readonly now: () => number,
    private readonly keyLimit = 20_000,
  ) {}

  /** How many seconds the key has to wait; 0 while it has failures left. */
  secondsToWait(key: string): number {
    const entry = this.current(key);
    return entry === null || entry.count < this.limit ? 0 : Math.ceil((entry.since + this.windowMs - this.now()) / 1000);
  }

  /** `what` says what failed: the same once more in a window tells nobody anything new and is not counted. */
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

  /** Takes one failure back that turned out to be none. */
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

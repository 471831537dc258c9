interface Batch<Key> {
  readonly counts: Map<Key, number>;
  readonly written: Promise<void>;
}

/**
 * Counts things that happen often. While one batch is written, the next one is gathered, so that what everybody does at once
 * costs one write at a time. `write` must not throw.
 */
export class GatheredCounts<Key extends string | number> {
  #open: Batch<Key> | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly write: (counts: ReadonlyMap<Key, number>) => Promise<void>) {}

  /** Resolves when this one is written. */
  count(key: Key): Promise<void> {
    this.#open ??= this.#begin();
    const { counts, written } = this.#open;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return written;
  }

  #begin(): Batch<Key> {
    const counts = new Map<Key, number>();
    this.#last = this.#last.then(() => {
      this.#open = null;
      return this.write(counts);
    });
    return { counts, written: this.#last };
  }
}

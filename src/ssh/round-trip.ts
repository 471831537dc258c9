/**
 * How far away a client is: the shortest time that an answer of it took. Some of its answers need work, or a person, so that
 * it takes several to know.
 */
export class RoundTrip {
  #askedAt: number | null = null;
  #shortestMs = Number.POSITIVE_INFINITY;

  /** Infinity before the first answer. */
  get ms(): number {
    return this.#shortestMs;
  }

  /** The client has been sent something that it answers. */
  asked(): void {
    this.#askedAt = performance.now();
  }

  /** Its answer is here. */
  answered(): void {
    if (this.#askedAt !== null) {
      this.#shortestMs = Math.min(this.#shortestMs, performance.now() - this.#askedAt);
      this.#askedAt = null;
    }
  }
}

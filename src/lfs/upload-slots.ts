/**
 * How many uploads run at once in this process. One who uploads has at most as many places as stay free, which is half of
 * them for whoever is alone: so nobody keeps the next one out.
 */
export class UploadSlots {
  #free: number;
  readonly #held = new Map<string, number>();

  constructor(limit: number) {
    this.#free = limit;
  }

  /** A place for this one, given back when it is disposed of; null when all are taken, or too many by the same. */
  tryTake(holder: string): Disposable | null {
    const held = this.#held.get(holder) ?? 0;
    if (held >= this.#free) {
      return null;
    }
    this.#free--;
    this.#held.set(holder, held + 1);
    return { [Symbol.dispose]: () => this.#giveBack(holder) };
  }

  #giveBack(holder: string): void {
    this.#free++;
    const held = (this.#held.get(holder) ?? 0) - 1;
    if (held > 0) {
      this.#held.set(holder, held);
    } else {
      this.#held.delete(holder);
    }
  }
}

/**
 * Does the same work once for all who ask for it at the same time: who comes while it runs gets what the first one gets,
 * its failure included. Nothing is kept afterwards. A key must say all that the answer depends on, so that work that began
 * earlier is good enough for who comes later.
 */
export class JoinedWork<Value> {
  readonly #running = new Map<string, Promise<Value>>();

  /** Answers what the running work of this key answers, or begins it. */
  do(key: string, work: () => Promise<Value>): Promise<Value> {
    const running = this.#running.get(key);
    if (running !== undefined) {
      return running;
    }
    const begun = work().finally(() => this.#running.delete(key));
    this.#running.set(key, begun);
    return begun;
  }
}

interface Work<Item, Result> {
  readonly steps: Generator<Item, Result>;
  ended: { readonly result: Result } | { readonly error: unknown } | null;
}

/**
 * Work in steps that several callers share: the caller that has its turn does the next step, and all get the result.
 * Nothing is kept after the end of the work. A caller that leaves early does not stop the others.
 */
export class SharedSteps<Item, Result> {
  readonly #works = new Map<string, Work<Item, Result>>();

  /** The work under this key, begun with `make` unless it is under way. Yields what the steps done in its own turns yield. */
  *join(key: string, make: () => Generator<Item, Result>): Generator<Item, Result> {
    const work = this.#works.get(key) ?? { steps: make(), ended: null };
    this.#works.set(key, work);
    while (work.ended === null) {
      const item = this.#step(key, work);
      if (item !== null) {
        yield item.value;
      }
    }
    if ("error" in work.ended) {
      throw work.ended.error;
    }
    return work.ended.result;
  }

  /** Runs the next step and returns its value; null after the last step. */
  #step(key: string, work: Work<Item, Result>): { readonly value: Item } | null {
    try {
      const step = work.steps.next();
      if (step.done !== true) {
        return { value: step.value };
      }
      work.ended = { result: step.value };
    } catch (error) {
      work.ended = { error };
    }
    this.#works.delete(key);
    return null;
  }
}

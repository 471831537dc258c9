/** Runs what has the same key one after another, in the order of arrival; different keys do not wait for each other. */
export class KeyedLock {
  private readonly last = new Map<string, Promise<unknown>>();

  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.last.get(key);
    const mine = (async () => {
      await before?.catch(() => {});
      return work();
    })();
    this.last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === mine) {
        this.last.delete(key);
      }
    }
  }
}

/** How long work on a thread that answers others goes on at once, ms. */
const turnMs = 4;

/** Lets everybody else on this thread have a turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Work in small steps on a thread that has others to answer: they have a turn whenever it has gone on for long enough. */
export class Turns {
  #began = performance.now();

  /** Whether it is time to pass. */
  get over(): boolean {
    return performance.now() - this.#began >= turnMs;
  }

  async pass(): Promise<void> {
    await nextTurn();
    this.#began = performance.now();
  }
}

/** The same values; others have their turns while they are made. */
export async function* inTurns<Value>(values: Iterable<Value>): AsyncGenerator<Value, void> {
  const turns = new Turns();
  for (const value of values) {
    yield value;
    if (turns.over) {
      await turns.pass();
    }
  }
}

/** How long work on a thread that answers others goes on at once, ms. */
const turnMs = 4;

/** The tasks that wait for a turn, in the order of arrival. */
const waiting: (() => void)[] = [];

function resumeFirst(): void {
  const first = waiting.shift();
  if (waiting.length > 0) {
    setImmediate(resumeFirst);
  }
  first?.();
}

/**
 * Lets everybody else on this thread have a turn. One of those who wait goes on in each round of the event loop:
 * however much work takes turns, a task that waits for the network or the database is delayed by one turn, not by all.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) {
      setImmediate(resumeFirst);
    }
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

/** Yields the values, with turns for others in between. */
export async function* inTurns<Value>(values: Iterable<Value>): AsyncGenerator<Value, void> {
  const turns = new Turns();
  for (const value of values) {
    yield value;
    if (turns.over) {
      await turns.pass();
    }
  }
}

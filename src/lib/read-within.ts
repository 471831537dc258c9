/** Yields the chunks. Throws the error of `late` if their end has not come in so many milliseconds. */
export async function* readWithin(
  source: AsyncIterable<Uint8Array>,
  milliseconds: number,
  late: () => Error,
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  let error: Error | null = null;
  let giveUp: ((error: Error) => void) | null = null;
  const timer = setTimeout(() => {
    error = late();
    giveUp?.(error);
  }, milliseconds);
  try {
    for (;;) {
      // Not a race with one promise for the whole: that would hold on to every chunk it has ever raced with.
      const { value, done } = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        giveUp = reject;
        if (error === null) {
          chunks.next().then(resolve, reject);
        } else {
          reject(error);
        }
      });
      if (done === true) {
        return;
      }
      yield value;
    }
  } finally {
    clearTimeout(timer);
    // Not waited for: a read that is under way ends only with the connection.
    chunks.return?.().catch(() => {});
  }
}

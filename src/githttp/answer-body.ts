import { pullStream } from "./streams.ts";

/** An answer of no more than so many bytes may be sent as a whole. */
const wholeBytes = 64 * 1024;

/**
 * The body of an answer whose chunks are made one at a time: the bytes themselves, sent with their length and at once, if
 * all of it is there when the first chunk is; else a stream. Most answers to clients with little to ask for are small, and
 * a stream costs as much as all else that happens to them here. Throws what the first chunk throws: what goes wrong
 * before it is told by the status, later by the end of the stream.
 */
export async function answerBody(
  chunks: AsyncGenerator<Uint8Array, void>,
): Promise<ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>> {
  const first = await chunks.next();
  if (first.done === true) {
    return new Uint8Array(0);
  }
  if (first.value.length > wholeBytes) {
    return pullStream(following([first], chunks));
  }
  // The next one is asked for before this one is written, and it may be lent only so long.
  const bytes = new Uint8Array(first.value);
  const second = chunks.next();
  const isWhole = await Promise.race([
    second.then(
      ({ done }) => done === true,
      () => false,
    ),
    turnsEnd(),
  ]);
  return isWhole ? bytes : pullStream(following([{ value: bytes }, second], chunks));
}

/** These chunks, then the rest of them. No generator: one that was not begun would not end what it goes on with. */
function following(
  given: (Promise<IteratorResult<Uint8Array, void>> | IteratorResult<Uint8Array, void>)[],
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncIterator<Uint8Array, void> {
  return { next: async () => given.shift() ?? rest.next(), return: () => rest.return() };
}

/** False as soon as all that can go on has done so: what is not there by then has to be waited for. */
function turnsEnd(): Promise<false> {
  return new Promise((resolve) => {
    setImmediate(resolve, false);
  });
}

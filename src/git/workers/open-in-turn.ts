/**
 * A stream that is opened when its first chunk is asked for and there is a place for it. Chunks are handed on one at a
 * time, so that lent ones stay what they are (see StreamSource). Cancelling it ends the waiting, too.
 */
export function openInTurn(
  open: (signal: AbortSignal) => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>,
): ReadableStream<Uint8Array> {
  const left = new AbortController();
  let chunks: AsyncIterator<Uint8Array> | null = null;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        chunks ??= (await open(left.signal))[Symbol.asyncIterator]();
        const { value, done } = await chunks.next();
        if (done === true) {
          controller.close();
        } else {
          controller.enqueue(value);
        }
      },
      async cancel(reason) {
        left.abort(reason ?? new Error("The stream was cancelled"));
        await chunks?.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * A response body from chunks that are made one at a time, when the one before was written: it may be gone then, so none
 * is asked for in advance.
 */
export function pullStream(chunks: Iterator<Uint8Array> | AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
  let left = false;
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      try {
        const { value, done } = await chunks.next();
        if (left) {
          return;
        }
        if (done === true) {
          controller.close();
        } else {
          controller.enqueue(value);
        }
      } catch (error) {
        // Whatever went wrong was told in git's own way and noted where it happened.
        if (!left) {
          controller.error(error);
        }
      }
    },
    cancel() {
      left = true;
      // Not waited for: what is being made ends first.
      void Promise.resolve(chunks.return?.()).catch(() => {});
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

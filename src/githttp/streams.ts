/**
 * A response body from chunks that are made one at a time, when the one before was written: it may be gone then, so none
 * is asked for in advance. What goes wrong was told in git's own way, in the chunk before, and noted where it happened: so
 * the body ends there. Git finds that the rest is missing; a connection that is reset would lose the words.
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
      } catch {
        if (!left) {
          controller.close();
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

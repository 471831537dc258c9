/** A response body from chunks that are made one at a time, when the client has taken the one before. */
export function pullStream(chunks: Iterator<Uint8Array> | AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
  let left = false;
  return new ReadableStream({
    async pull(controller) {
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
  });
}

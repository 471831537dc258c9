/** A response body from chunks that are made one at a time, when the client has taken the one before. */
export function pullStream(chunks: Iterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const { value, done } = chunks.next();
      if (done === true) {
        controller.close();
      } else {
        controller.enqueue(value);
      }
    },
    cancel() {
      chunks.return?.();
    },
  });
}

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

/** The same stream; `report` hears why it broke, unless its reader left. The client has been told by then, in git's own way. */
export function reportingFailures(source: ReadableStream<Uint8Array>, report: (error: unknown) => void): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let left = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (left) {
          return;
        }
        if (done) {
          controller.close();
        } else {
          controller.enqueue(value);
        }
      } catch (error) {
        if (!left) {
          report(error);
          controller.error(error);
        }
      }
    },
    cancel(reason) {
      left = true;
      return reader.cancel(reason);
    },
  });
}

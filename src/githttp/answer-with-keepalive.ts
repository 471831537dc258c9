/**
 * A response body that is `answer` and, until that is there, `keepalive` every so many milliseconds, so that nobody in
 * between takes the silence for an end. A client that leaves ends the keepalives; what makes the answer goes on.
 */
export function answerWithKeepalive(answer: Promise<Uint8Array>, keepalive: Uint8Array, everyMs: number): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setInterval> | undefined;
  let left = false;
  return new ReadableStream({
    async start(controller) {
      if (keepalive.length > 0) {
        // A controller whose reader left throws when something is put into it, and from a timer that would end the process.
        timer = setInterval(() => controller.enqueue(keepalive), everyMs);
      }
      try {
        const bytes = await answer;
        clearInterval(timer);
        if (!left) {
          if (bytes.length > 0) {
            controller.enqueue(bytes);
          }
          controller.close();
        }
      } catch (error) {
        clearInterval(timer);
        if (!left) {
          controller.error(error);
        }
      }
    },
    cancel() {
      left = true;
      clearInterval(timer);
    },
  });
}

/** Chunks that go out before an answer is there. What nobody takes is not kept without end: the newest are dropped. */
export class Notices {
  readonly #chunks: Uint8Array[] = [];
  #wake: (() => void) | null = null;

  add(chunk: Uint8Array): void {
    if (chunk.length > 0 && this.#chunks.length < 64) {
      this.#chunks.push(chunk);
      this.#wake?.();
    }
  }

  take(): Uint8Array[] {
    return this.#chunks.splice(0);
  }

  /** Settled as soon as there is something to take. */
  next(): Promise<null> {
    return new Promise((resolve) => {
      this.#wake = () => resolve(null);
      if (this.#chunks.length > 0) {
        resolve(null);
      }
    });
  }
}

/**
 * Yields notices as they come, then the awaited bytes. After so many milliseconds of silence it yields `keepalive`, so
 * that no proxy ends the connection. If the reader leaves, this ends and the work goes on.
 */
export async function* withKeepalive(
  answer: Promise<Uint8Array>,
  keepalive: Uint8Array,
  everyMs: number,
  notices: Notices = new Notices(),
): AsyncGenerator<Uint8Array, void> {
  // Heard at once: nobody may be reading when it fails.
  answer.catch(() => {});
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      const pause = new Promise<"silence">((resolve) => {
        timer = setTimeout(resolve, everyMs, "silence");
      });
      const event = await Promise.race([answer, notices.next(), pause]);
      clearTimeout(timer);
      yield* notices.take();
      if (event instanceof Uint8Array) {
        if (event.length > 0) {
          yield event;
        }
        return;
      }
      if (event === "silence" && keepalive.length > 0) {
        yield keepalive;
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What is awaited and, until it is there, `keepalive` every so many milliseconds, so that nobody in between takes the
 * silence for an end. One who leaves ends the keepalives; what makes the answer goes on.
 */
export async function* withKeepalive(answer: Promise<Uint8Array>, keepalive: Uint8Array, everyMs: number): AsyncGenerator<Uint8Array, void> {
  // Heard at once: nobody may be reading when it fails.
  answer.catch(() => {});
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      const pause = new Promise<null>((resolve) => {
        timer = setTimeout(resolve, everyMs, null);
      });
      const bytes = await Promise.race([answer, pause]);
      clearTimeout(timer);
      if (bytes !== null) {
        if (bytes.length > 0) {
          yield bytes;
        }
        return;
      }
      if (keepalive.length > 0) {
        yield keepalive;
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Shorter bodies are sent in one write with their headers. */
const shortBytes = 8 * 1024;
/** Longer bodies are not copied again: compared with so many bytes, the writes of headers cost nothing. */
const longBytes = 1024 * 1024;

/**
 * The body of an answer that is in memory as a whole. Bun writes the name, the value and the line end of each header by
 * a system call of its own, and so as a packet, before a body that does not fit into its buffer of 16 kB: forty of them,
 * which take longer than to read thirty issues. A stream that ends before anything was sent goes out in one write, with
 * its length.
 */
export function wholeBody(content: string | Uint8Array): Bun.BodyInit {
  const { length } = content;
  if (length < shortBytes || length > longBytes) {
    return content as string | Uint8Array<ArrayBuffer>;
  }
  const source: Bun.DirectUnderlyingSource<string | Uint8Array> = {
    type: "direct",
    pull(controller) {
      controller.write(content as string | Uint8Array<ArrayBuffer>);
      void controller.end();
    },
  };
  // In UTF-8 a UTF-16 code unit has three bytes at most.
  return new ReadableStream(source, { highWaterMark: 3 * length + 1 });
}

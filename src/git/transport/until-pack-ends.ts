import type { ObjectFormat } from "../objects/object-format.ts";

/**
 * The chunks of a pack, up to the one that ends with its checksum: over a connection that stays open, many clients wait
 * for the report without saying that the pack is over. Nothing follows a pack, so its last byte is the last of a chunk.
 */
export async function* untilPackEnds(
  chunks: AsyncIterable<Uint8Array>,
  format: ObjectFormat,
): AsyncGenerator<Uint8Array, void> {
  const hasher = format.hasher();
  /** the last bytes, which may be the checksum and are not hashed yet */
  let tail: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks) {
    const isShort = chunk.length < format.oidBytes;
    // Pieces of a large pack are not copied for this: that would be as much garbage again.
    const bytes = isShort ? Buffer.concat([tail, chunk]) : chunk;
    if (!isShort) {
      hasher.update(tail);
    }
    const hashed = Math.max(0, bytes.length - format.oidBytes);
    hasher.update(bytes.subarray(0, hashed));
    tail = new Uint8Array(bytes.subarray(hashed));
    // Before the chunk is yielded, because the consumer may release its memory.
    const isLast = bytes.length >= format.oidBytes && Buffer.compare(hasher.copy().digest(), tail) === 0;
    yield chunk;
    if (isLast) {
      return;
    }
  }
}

/** How hard to try: 1 for what is sent once, 6 for what is stored. */
export type DeflateLevel = 1 | 6;

/**
 * Bytes as a zlib stream (RFC 1950), as entries of packs hold it. The library is several times faster than node:zlib,
 * which makes a stream object each time: at level 6 it takes two thirds of the time for a little less, at level 1 a third
 * for three hundredths more.
 */
export function deflate(bytes: Uint8Array, level: DeflateLevel): Uint8Array {
  const raw = Bun.deflateSync(bytes as Uint8Array<ArrayBuffer>, { library: "libdeflate", level });
  const stream = new Uint8Array(raw.length + 6);
  // Method and window, then the level of effort with the check bits of both.
  stream[0] = 0x78;
  stream[1] = level === 1 ? 0x01 : 0x9c;
  stream.set(raw, 2);
  new DataView(stream.buffer).setUint32(raw.length + 2, Bun.hash.adler32(bytes));
  return stream;
}

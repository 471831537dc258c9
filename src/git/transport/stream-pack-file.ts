import type { Hasher } from "../objects/object-format.ts";
import { readExactly } from "../pack/window-cache.ts";
import type { PackFile } from "../pack/pack-file.ts";
import { putPacketLength } from "../wire/pkt-line.ts";
import { Sideband, type SidebandSize } from "../wire/sideband.ts";

/** One for all streams of the thread: each has what it reads copied from it before any reads on. */
let buffer = new Uint8Array(0);

/**
 * A whole pack as it lies on disk, in sideband packets or plain: for when it is exactly the answer. `pieceBytes` is asked
 * before each chunk how large it may be.
 * Reads past the window cache, which such a pass would only flush. Each chunk is gone when the next one is asked for, of this pack or of any other.
 *
 * What is sent is compared with the pack's checksum, and from the second time on, as long as the pack is open, with the
 * CRC-32 of what had that checksum: it takes a tenth of the time. Throws CorruptPack before the last chunk, without which
 * nobody takes the rest for a pack.
 */
export function* streamPackFile(
  pack: PackFile,
  sideband: SidebandSize,
  pieceBytes: () => number,
): Generator<Uint8Array> {
  const header = sideband === 0 ? 0 : 5;
  const { entriesEnd } = pack;
  const hasher = pack.sentCrc === null ? pack.format.hasher() : null;
  let crc = 0;
  for (let at = 0; at < pack.packBytes;) {
    const piece = pieceBytes();
    const packet = sideband === 0 ? piece : Math.min(sideband, piece);
    const perChunk = Math.floor(piece / packet);
    if (buffer.length < perChunk * packet) {
      buffer = new Uint8Array(perChunk * packet);
    }
    const left = pack.packBytes - at;
    const packets = Math.min(perChunk, Math.ceil(left / (packet - header)));
    const payload = Math.min(left, packets * (packet - header));
    const chunk = buffer.subarray(0, payload + packets * header);
    // Read in one call to the end of the chunk, then move each packet's part to its place.
    const read = chunk.subarray(packets * header);
    readExactly(pack.descriptor, pack.path, read, at);
    crc = Bun.hash.crc32(read, crc);
    if (hasher !== null && at < entriesEnd) {
      hasher.update(read.subarray(0, Math.min(payload, entriesEnd - at)));
    }
    if (at + payload === pack.packBytes) {
      compare(pack, crc, hasher);
    }
    const framed = header === 0 ? 0 : packets;
    for (let index = 0, from = packets * header; index < framed; index++) {
      const start = index * packet;
      const length = Math.min(packet - header, chunk.length - from);
      chunk.copyWithin(start + header, from, from + length);
      putPacketLength(chunk, start, length + header);
      chunk[start + 4] = Sideband.data;
      from += length;
    }
    at += payload;
    yield chunk;
  }
}

/** Throws CorruptPack unless what was read is the pack as it was received. */
function compare(pack: PackFile, crc: number, hasher: Hasher | null): void {
  const isWhole =
    hasher === null ? crc === pack.sentCrc : Buffer.compare(hasher.digest(), pack.index.packChecksum()) === 0;
  if (!isWhole) {
    throw pack.corrupt("it does not have its checksum any more");
  }
  pack.sentCrc = crc;
}

import type { SeededRandom } from "../../support/random.ts";

/** Numbers at which lengths, counts and offsets tend to be handled wrongly. */
const edges = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

/** A copy of `bytes` with one to a dozen changes: bits, edge values, parts removed, doubled, moved, or taken from `words`. */
export function mutate(random: SeededRandom, bytes: Uint8Array, words: readonly Uint8Array[] = []): Uint8Array {
  let changed = Buffer.from(bytes);
  const changes = 1 + random.below(random.below(4) === 0 ? 12 : 3);
  for (let change = 0; change < changes; change++) {
    changed = mutateOnce(random, changed, words);
  }
  return changed;
}

function mutateOnce(
  random: SeededRandom,
  bytes: Buffer<ArrayBuffer>,
  words: readonly Uint8Array[],
): Buffer<ArrayBuffer> {
  if (bytes.length === 0) {
    return Buffer.from(random.bytes(1 + random.below(20)));
  }
  // Beginnings are where formats have their headers.
  const at = random.below(random.below(3) === 0 ? Math.min(bytes.length, 40) : bytes.length);
  const length = 1 + random.below(Math.min(bytes.length - at, random.below(4) === 0 ? 4096 : 24));
  switch (random.below(words.length > 0 ? 10 : 8)) {
    case 0:
      bytes[at]! ^= 1 << random.below(8);
      return bytes;
    case 1:
      bytes[at] = random.below(256);
      return bytes;
    case 2:
      return splice(bytes, at, length, new Uint8Array(0));
    case 3:
      return splice(bytes, at, 0, bytes.subarray(at, at + length));
    case 4: {
      const from = random.below(bytes.length);
      return splice(bytes, at, length, bytes.subarray(from, from + length));
    }
    case 5:
      return splice(bytes, at, 0, random.bytes(1 + random.below(8)));
    case 6: {
      const edge = edges[random.below(edges.length)]!;
      if (at + 4 <= bytes.length) {
        bytes.writeUInt32BE(edge, at);
      } else {
        bytes[at] = edge & 255;
      }
      return bytes;
    }
    case 7:
      return random.below(4) === 0
        ? Buffer.from(bytes.subarray(0, at))
        : bytes.fill(random.below(256), at, at + length);
    case 8:
      return splice(bytes, at, 0, words[random.below(words.length)]!);
    default:
      return splice(bytes, at, length, words[random.below(words.length)]!);
  }
}

function splice(bytes: Uint8Array, at: number, removed: number, inserted: Uint8Array): Buffer<ArrayBuffer> {
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]);
}

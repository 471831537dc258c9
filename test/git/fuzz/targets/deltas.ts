import { StithyError } from "../../../../src/lib/errors.ts";
import { applyDelta, deltaResultSize } from "../../../../src/git/pack/delta.ts";
import { encodeDelta } from "../../../../src/git/pack/delta-encode.ts";
import {
  EntryHeader,
  EntryKind,
  parseEntryHeader,
  writeBaseDistance,
  writeEntryHeader,
} from "../../../../src/git/pack/pack-entry.ts";
import { randomFrom, type SeededRandom } from "../../../support/random.ts";
import { expectSame, WrongAnswer, type FuzzTarget, type Verdict } from "../fuzz-target.ts";
import { mutate } from "../mutate.ts";

/** Reads numbers of seven bits a byte, low ones first. */
function readNumber(bytes: Uint8Array, from: number, bounded = true): { value: bigint; next: number } | null {
  let value = 0n;
  for (let at = from, shift = 0n; at < bytes.length; at++, shift += 7n) {
    value |= BigInt(bytes[at]! & 0x7f) << shift;
    if ((bytes[at]! & 0x80) === 0) {
      // Zeros may be written behind a number without end: more than ten bytes are refused.
      return at - from < 10 || !bounded ? { value, next: at + 1 } : null;
    }
  }
  return null;
}

/** What a delta makes of a base, by the book; null where it makes nothing. */
function expected(base: Uint8Array, delta: Uint8Array): Buffer | null {
  const source = readNumber(delta, 0);
  const target = source === null ? null : readNumber(delta, source.next);
  if (source === null || target === null || source.value !== BigInt(base.length)) {
    return null;
  }
  const parts: Uint8Array[] = [];
  let at = target.next;
  let made = 0;
  while (at < delta.length) {
    const code = delta[at++]!;
    if (code === 0) {
      return null;
    }
    if (code < 0x80) {
      parts.push(delta.subarray(at, at + code));
      at += code;
      made += code;
    } else {
      const numbers = [0, 1, 2, 3, 4, 5, 6].map((bit) => (code & (1 << bit) ? (delta[at++] ?? Number.NaN) : 0));
      const offset = numbers[0]! + numbers[1]! * 256 + numbers[2]! * 65_536 + numbers[3]! * 16_777_216;
      const length =
        numbers[4]! + numbers[5]! * 256 + numbers[6]! * 65_536 || (at > delta.length ? Number.NaN : 65_536);
      if (!(offset + length <= base.length)) {
        return null;
      }
      parts.push(base.subarray(offset, offset + length));
      made += length;
    }
    if (at > delta.length || BigInt(made) > target.value) {
      return null;
    }
  }
  return BigInt(made) === target.value ? Buffer.concat(parts) : null;
}

const base = Buffer.from(Array.from({ length: 400 }, (_, line) => `line ${line} of the base\n`).join(""));
const long = Buffer.alloc(200_000, "a long base ");

function seedDeltas(): { base: Buffer; delta: Uint8Array }[] {
  const random = randomFrom(1);
  const edits = Array.from({ length: 8 }, () => Buffer.from(mutate(random, mutate(random, base))));
  return [
    ...edits.map((edited) => ({ base, delta: encodeDelta(base, edited, 1e6) ?? Buffer.alloc(0) })),
    { base: long, delta: encodeDelta(long, Buffer.concat([long, long.subarray(5)]), 1e6)! },
    { base: Buffer.alloc(0), delta: Buffer.from([0, 3, 3, 1, 2, 3]) },
  ];
}

/** The input is one byte that says which base, then the delta. */
export function delta(): FuzzTarget {
  const seeds = seedDeltas();
  const words = [
    [0x80],
    [0xff],
    [0xff, 0xff, 0xff, 0xff, 0x7f],
    [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
    [0x80, 0x80, 0x80, 0x80, 0],
    [0xf0],
    [0xb0, 0x10],
    [0x90, 1],
  ].map((bytes) => Buffer.from(bytes));
  const bigWord = Buffer.alloc(300, 0x80);
  return {
    name: "delta",
    make(random: SeededRandom) {
      const which = random.below(seeds.length);
      return Buffer.concat([Buffer.from([which]), mutate(random, seeds[which]!.delta, [...words, bigWord])]);
    },
    run(input): Verdict {
      const own = seeds[(input[0] ?? 0) % seeds.length]!.base;
      const bytes = input.subarray(1);
      const wanted = expected(own, bytes);
      let result: Buffer | null = null;
      try {
        const size = deltaResultSize(bytes, 0, bytes.length);
        // What an indexer does with its limits, before it makes room.
        if (!(size <= 4_000_000)) {
          return "refused";
        }
        const room = Buffer.alloc(size + 16, 0xee);
        applyDelta(own, 0, own.length, bytes, 0, bytes.length, room, 8, size);
        if (
          room.subarray(0, 8).some((byte) => byte !== 0xee) ||
          room.subarray(size + 8).some((byte) => byte !== 0xee)
        ) {
          throw new WrongAnswer("It wrote outside its target");
        }
        result = room.subarray(8, size + 8);
      } catch (error) {
        if (!(error instanceof StithyError)) {
          throw error;
        }
      }
      expectSame("Result", result, wanted);
      return result === null ? "refused" : "taken";
    },
    [Symbol.dispose]: () => {},
  };
}

/** What is encoded as a delta comes out of it. The input is one byte that says which base, then the result. */
export function deltaEncode(): FuzzTarget {
  const bases = [base, long.subarray(0, 20_000), Buffer.alloc(0), Buffer.from("short"), Buffer.alloc(5000)];
  return {
    name: "delta-encode",
    make(random) {
      const which = random.below(bases.length);
      return Buffer.concat([
        Buffer.from([which]),
        mutate(random, mutate(random, bases[random.below(3) === 0 ? 0 : which]!)),
      ]);
    },
    run(input): Verdict {
      const own = bases[(input[0] ?? 0) % bases.length]!;
      const target = Buffer.from(input.subarray(1));
      const encoded = encodeDelta(own, target, 1e6);
      if (encoded === null) {
        return "refused";
      }
      expectSame("Result by the book", expected(own, encoded), target);
      return "taken";
    },
    [Symbol.dispose]: () => {},
  };
}

interface Header {
  kind: number;
  size: bigint;
  distance: bigint;
  bytes: number;
}

function expectedHeader(bytes: Uint8Array): Header | null {
  const first = bytes[0];
  if (first === undefined) {
    return null;
  }
  const kind = (first >> 4) & 7;
  const more = first & 0x80 ? readNumber(bytes, 1, false) : { value: 0n, next: 1 };
  if (more === null || kind === 0 || kind === 5) {
    return null;
  }
  const size = BigInt(first & 15) | (more.value << 4n);
  let at = more.next;
  let distance = 0n;
  if (kind === EntryKind.ofsDelta) {
    let byte = bytes[at++] ?? -1;
    distance = BigInt(byte & 0x7f);
    while (byte & 0x80) {
      byte = bytes[at++] ?? -1;
      if (byte < 0) {
        return null;
      }
      distance = ((distance + 1n) << 7n) | BigInt(byte & 0x7f);
    }
    if (byte < 0 || distance === 0n) {
      return null;
    }
  } else if (kind === EntryKind.refDelta) {
    at += 20;
  }
  return at > bytes.length ? null : { kind, size, distance, bytes: at };
}

/** Headers of entries; those with numbers beyond all limits may be refused, but never be taken for another number. */
export function packEntry(): FuzzTarget {
  const header = new EntryHeader();
  const words = [Buffer.alloc(9, 0x80), Buffer.alloc(40, 0x80), Buffer.alloc(200, 0x80), Buffer.alloc(200, 0xff)];
  const beyond = BigInt(Number.MAX_SAFE_INTEGER);
  return {
    name: "pack-entry",
    make(random) {
      const bytes = Buffer.alloc(80);
      const kind = ([1, 2, 3, 4, 6, 7] as const)[random.below(6)]!;
      let end = writeEntryHeader(bytes, 0, kind, random.below(2 ** random.below(31)) * 2 ** random.below(20));
      end =
        kind === EntryKind.ofsDelta
          ? writeBaseDistance(bytes, end, 1 + random.below(2 ** random.below(31)))
          : kind === EntryKind.refDelta
            ? end + 20
            : end;
      const whole = bytes.subarray(0, end);
      return random.below(4) === 0 ? whole : mutate(random, whole, words);
    },
    run(input): Verdict {
      const wanted = expectedHeader(input);
      try {
        parseEntryHeader(input, 0, input.length, 20, header);
      } catch (error) {
        if (!(error instanceof StithyError)) {
          throw error;
        }
        const excusable =
          wanted === null ||
          wanted.size > beyond ||
          wanted.distance > beyond ||
          wanted.bytes > (wanted.kind === EntryKind.refDelta ? 30 : 10);
        if (!excusable) {
          throw new WrongAnswer(`A good header was refused: ${error.message}`);
        }
        return "refused";
      }
      const { kind, size, baseDistance, headerBytes } = header;
      if (!Number.isSafeInteger(size) || !Number.isSafeInteger(baseDistance)) {
        throw new WrongAnswer(`The size is ${size}, the distance ${baseDistance}`);
      }
      expectSame("Header", { kind, size: BigInt(size), distance: BigInt(baseDistance), bytes: headerBytes }, wanted);
      return "taken";
    },
    [Symbol.dispose]: () => {},
  };
}

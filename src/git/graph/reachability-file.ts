import { readFileSync } from "node:fs";
import type { PackFile } from "../pack/pack-file.ts";
import { reachabilityPathOf } from "../pack/pack-paths.ts";
import { Bitset } from "./bitset.ts";
import type { Closure } from "./closures.ts";
import type { CommitTable } from "./commit-graph.ts";

/**
 * Data derived from a pack that refers to nothing outside it: all its commits, and the closures of some tips. The file
 * lies beside the pack as `<checksum>.reach`. If it is missing, damaged or of another version, the data is computed
 * again. Numbers are little-endian, positions are those of the pack's index. A header of eight 32-bit numbers (magic,
 * version, bytes of an oid, entries of the pack, commits, parents, closures, tips), then dates as 64-bit floats, then
 * 32-bit numbers: positions, trees, starts of parents (one more), parents, for each closure how many tips, the tips,
 * and for each closure a bit for each entry. At the end the pack's checksum and the XXH64 of all before it, 8 bytes.
 */
export interface Reachability {
  readonly commits: CommitTable;
  readonly closures: readonly Closure[];
}

const magic = 0x48434552;
const version = 1;
const headerNumbers = 8;
const hashBytes = 8;

/** The file's content. */
export function writeReachability(pack: PackFile, { commits, closures }: Reachability): Uint8Array {
  const tips = closures.flatMap((closure) => [...closure.tips]);
  const { positions, trees, dates, parentStarts, parents } = commits;
  const columns: readonly (Int32Array | Uint32Array | Float64Array)[] = [
    Uint32Array.of(
      magic,
      version,
      pack.format.oidBytes,
      pack.entryCount,
      positions.length,
      parents.length,
      closures.length,
      tips.length,
    ),
    dates,
    positions,
    trees,
    parentStarts,
    parents,
    Uint32Array.from(closures, ({ tips: own }) => own.size),
    Uint32Array.from(tips),
    ...closures.map(({ objects }) => objects.words),
  ];
  const parts: Uint8Array[] = columns.map(
    (column) => new Uint8Array(column.buffer, column.byteOffset, column.byteLength),
  );
  const content = Buffer.concat([...parts, pack.index.packChecksum()]);
  return Buffer.concat([content, contentHash(content)]);
}

/** Reads the file beside a pack; null if there is no usable one. */
export function readReachability(pack: PackFile): Reachability | null {
  let file: Buffer;
  try {
    file = readFileSync(reachabilityPathOf(pack.path));
  } catch {
    return null;
  }
  const { oidBytes } = pack.format;
  const contentBytes = file.length - hashBytes;
  if (
    contentBytes < headerNumbers * 4 + oidBytes ||
    !contentHash(file.subarray(0, contentBytes)).equals(file.subarray(contentBytes))
  ) {
    return null;
  }
  // Copied to a buffer of its own where it is not at a place that the columns can start at.
  const bytes = file.byteOffset % 8 === 0 ? file : new Uint8Array(file);
  let at = bytes.byteOffset;
  const numbers = (count: number): Int32Array<ArrayBuffer> => new Int32Array(bytes.buffer as ArrayBuffer, at, count);
  const header = numbers(headerNumbers);
  const [foundMagic, foundVersion, foundOidBytes, entries, commitCount, parentCount, closureCount, tipCount] =
    header as unknown as Header;
  const words = Math.ceil(entries / 32);
  const expected =
    4 * (headerNumbers + 5 * commitCount + 1 + parentCount + closureCount + tipCount + closureCount * words) + oidBytes;
  if (
    foundMagic !== magic ||
    foundVersion !== version ||
    foundOidBytes !== oidBytes ||
    entries !== pack.entryCount ||
    expected !== contentBytes ||
    Buffer.compare(file.subarray(contentBytes - oidBytes, contentBytes), pack.index.packChecksum()) !== 0
  ) {
    return null;
  }
  at += header.byteLength;
  const dates = new Float64Array(bytes.buffer as ArrayBuffer, at, commitCount);
  at += dates.byteLength;
  const column = (count: number): Int32Array<ArrayBuffer> => {
    const values = numbers(count);
    at += values.byteLength;
    return values;
  };
  const commits: CommitTable = {
    dates,
    positions: column(commitCount),
    trees: column(commitCount),
    parentStarts: column(commitCount + 1),
    parents: column(parentCount),
  };
  const sizes = column(closureCount);
  if (sizes.some((size) => size < 0) || sizes.reduce((sum, size) => sum + size, 0) !== tipCount) {
    return null;
  }
  const tipSets = Array.from(sizes, (size) => new Set(column(size)));
  const closures = tipSets.map((tips) => {
    const objects = new Bitset(entries);
    objects.words.set(column(words));
    return { tips, objects };
  });
  return { commits, closures };
}

type Header = readonly [number, number, number, number, number, number, number, number];

function contentHash(content: Uint8Array): Buffer {
  const hash = Buffer.alloc(hashBytes);
  hash.writeBigUInt64LE(BigInt(Bun.hash.xxHash64(content)));
  return hash;
}

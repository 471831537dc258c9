import { CorruptObject } from "./errors.ts";
import type { ObjectFormat } from "./object-format.ts";
import { bytesToHex, hexToBytes } from "./oid.ts";

/** The modes that git writes. Old histories also hold 0o100664. */
export const FileMode = {
  tree: 0o40000,
  file: 0o100644,
  executable: 0o100755,
  symlink: 0o120000,
  submodule: 0o160000,
} as const;

export interface TreeEntry {
  readonly mode: number;
  readonly name: string;
  /** The bytes of a name that is not UTF-8; writeTree takes them instead of `name`, so that they survive an edit. */
  readonly rawName?: Uint8Array;
  readonly oid: string;
}

/**
 * Calls `visit` for each entry of a tree, which is a sequence of `<mode in octal> SP <name> NUL <oid bytes>`.
 * All arguments are numbers, so that a walk over a history makes no garbage: the name is `bytes[nameAt..nameEnd)`,
 * the oid starts at `oidAt`. Returning false ends the walk. Throws CorruptObject if the bytes are no tree.
 */
export function forEachTreeEntry(
  bytes: Uint8Array,
  format: ObjectFormat,
  visit: (mode: number, nameAt: number, nameEnd: number, oidAt: number) => boolean | void,
): void {
  const { oidBytes } = format;
  let at = 0;
  while (at < bytes.length) {
    let mode = 0;
    let digit = bytes[at++]!;
    do {
      if (digit < 0x30 || digit > 0x37 || mode > 0o777777) {
        throw new CorruptObject(`Cannot read the mode of a tree entry at byte ${at - 1}`);
      }
      mode = (mode << 3) | (digit - 0x30);
      digit = at < bytes.length ? bytes[at++]! : 0;
    } while (digit !== 0x20);
    const nameEnd = bytes.indexOf(0, at);
    if (nameEnd < 0 || nameEnd + 1 + oidBytes > bytes.length) {
      throw new CorruptObject(`Cannot read the tree entry at byte ${at}: it is cut off`);
    }
    if (visit(mode, at, nameEnd, nameEnd + 1) === false) {
      return;
    }
    at = nameEnd + 1 + oidBytes;
  }
}

/** All entries of a tree, in its order. Throws CorruptObject. */
export function parseTree(bytes: Uint8Array, format: ObjectFormat): TreeEntry[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: TreeEntry[] = [];
  forEachTreeEntry(bytes, format, (mode, nameAt, nameEnd, oidAt) => {
    const name = buffer.toString("utf8", nameAt, nameEnd);
    const raw = bytes.subarray(nameAt, nameEnd);
    const exact = !name.includes("\uFFFD") || Buffer.from(name, "utf8").equals(raw);
    const oid = bytesToHex(bytes, oidAt, format.oidBytes);
    entries.push(exact ? { mode, name, oid } : { mode, name, oid, rawName: raw.slice() });
  });
  return entries;
}

/** The bytes of a tree with these entries, which may come in any order. */
export function writeTree(entries: readonly TreeEntry[], format: ObjectFormat): Uint8Array {
  const parts = entries.map((entry) => {
    const name = entry.rawName ?? Buffer.from(entry.name, "utf8");
    return { entry, name, key: sortKey(name, entry.mode) };
  });
  parts.sort((left, right) => Buffer.compare(left.key, right.key));
  const pieces: Uint8Array[] = [];
  for (const { entry, name } of parts) {
    pieces.push(Buffer.from(`${entry.mode.toString(8)} `, "latin1"), name, new Uint8Array(1));
    pieces.push(hexToBytes(entry.oid, new Uint8Array(format.oidBytes)));
  }
  return Buffer.concat(pieces);
}

/** A directory sorts as if its name ended in a slash: the order in which its files would appear in a list of paths. */
function sortKey(name: Uint8Array, mode: number): Uint8Array {
  return mode === FileMode.tree ? Buffer.concat([name, Buffer.from("/")]) : name;
}

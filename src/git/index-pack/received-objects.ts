import { checkNamedFile, ruleOf, type CheckedFileName, type NamedFile } from "../objects/checked-files.ts";
import { checkObject } from "../objects/check-object.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import { ObjectType, typeName, type GitObject } from "../objects/object-type.ts";
import { bytesToHex, hexToBytes } from "../objects/oid.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { PackRejected } from "../pack/errors.ts";

/** Files whose content is checked are held for that. */
const largestCheckedBytes = 16 * 1024 * 1024;

/** An object that is read when its type and size are right. */
export interface ReadableObject {
  readonly type: ObjectType;
  readonly size: number;
  readonly read: () => Uint8Array;
}

/** Looks at each object of a received pack: that it contradicts no object that is there already, and its form. */
export class ReceivedObjects {
  /** Oids of files whose content is to be checked: a tree may come before or after the file that it names. */
  private readonly named: Readonly<Record<CheckedFileName, Set<string>>> = {
    ".gitmodules": new Set(),
    ".gitattributes": new Set(),
  };
  /** Entries of those names so far, and whether the last tree had one: then the next, however alike, may name another file. */
  private namedSeen = 0;
  private treeNamedOne = false;

  /** `directory`: on the file system for what is too large to be held. `awaited`: such files that trees of earlier packs named; null where a pack has to bring its own. */
  constructor(
    private readonly format: ObjectFormat,
    private readonly strict: boolean,
    private readonly existing: ObjectDatabase | undefined,
    private readonly directory: string,
    private readonly awaited: readonly NamedFile[] | null,
  ) {
    awaited?.forEach(({ name, oid }) => this.named[name].add(oid));
  }

  /**
   * Takes `bytes[at..at + size)`, whose oid is at `oids[oidAt]`. Throws PackRejected. `isAlike`: it is a tree with the names
   * and modes of the tree before it, and no null oids.
   */
  take(
    type: ObjectType,
    bytes: Uint8Array,
    at: number,
    size: number,
    oids: Uint8Array,
    oidAt: number,
    isAlike: boolean,
  ): void {
    const position = this.existing === undefined ? -1 : this.existing.find(oids, oidAt);
    if (position >= 0) {
      this.checkSame(this.existing!.read(position), type, bytes.subarray(at, at + size), oids, oidAt);
    } else if (this.strict && type !== ObjectType.blob && (!isAlike || this.treeNamedOne)) {
      const before = this.namedSeen;
      const content = bytes.subarray(at, at + size);
      const { oidBytes } = this.format;
      const problem = checkObject(type, content, this.format, (name, found) => {
        this.namedSeen++;
        this.named[name].add(bytesToHex(content, found, oidBytes));
      });
      if (problem !== null) {
        throw this.rejected(type, bytesToHex(oids, oidAt, oidBytes), problem);
      }
      if (type === ObjectType.tree) {
        this.treeNamedOne = this.namedSeen > before;
      }
    }
  }

  /** Takes a blob that comes in pieces, if it has to be looked at: then it is read once more. Throws PackRejected. */
  takeLarge(size: number, oids: Uint8Array, oidAt: number, read: () => Iterable<Uint8Array>): void {
    const { existing } = this;
    const position = existing === undefined ? -1 : existing.find(oids, oidAt);
    if (existing === undefined || position < 0) {
      return;
    }
    if (
      existing.typeAt(position) !== ObjectType.blob ||
      existing.sizeAt(position) !== size ||
      !areEqual(existing.readPieces(position, this.directory), read())
    ) {
      throw this.collision(oids, oidAt);
    }
  }

  /**
   * Checks what could be checked only once all objects were there; `find` gives one of the pack's. A tree that no ref
   * reaches could name such a file that comes later and would not be looked at then: so one that is missing is
   * refused, or answered where it is awaited. Throws PackRejected.
   */
  finish(find: (oid: Uint8Array) => ReadableObject | null): NamedFile[] {
    return [...this.finishFiles(".gitmodules", find), ...this.finishFiles(".gitattributes", find)];
  }

  private finishFiles(name: CheckedFileName, find: (oid: Uint8Array) => ReadableObject | null): NamedFile[] {
    const absent: NamedFile[] = [];
    for (const oid of this.named[name]) {
      // It may be there already, under another name until now.
      const known = this.existing === undefined ? -1 : this.existing.findHex(oid);
      const object = find(hexToBytes(oid)) ?? (known < 0 ? null : this.findExisting(known));
      if (object === null) {
        if (this.awaited === null) {
          throw new PackRejected(
            "bad-object",
            `Cannot accept the pack: a tree breaks a rule: ${ruleOf(name, "Missing")}: its ${name} file ${oid} is missing`,
            oid,
          );
        }
        absent.push({ name, oid });
        continue;
      }
      const isTooLarge = object.type === ObjectType.blob && object.size > largestCheckedBytes;
      const problem = isTooLarge
        ? `${ruleOf(name, "Large")}: has ${object.size} bytes`
        : checkNamedFile(name, { type: object.type, bytes: object.read() });
      if (problem !== null) {
        throw this.rejected(object.type, oid, problem);
      }
    }
    return absent;
  }

  private checkSame(known: GitObject, type: ObjectType, bytes: Uint8Array, oids: Uint8Array, oidAt: number): void {
    if (known.type !== type || Buffer.compare(known.bytes, bytes) !== 0) {
      throw this.collision(oids, oidAt);
    }
  }

  private findExisting(position: number): ReadableObject {
    const existing = this.existing!;
    return {
      type: existing.typeAt(position),
      size: existing.sizeAt(position),
      read: () => existing.read(position).bytes,
    };
  }

  private collision(oids: Uint8Array, oidAt: number): PackRejected {
    const oid = bytesToHex(oids, oidAt, this.format.oidBytes);
    return new PackRejected(
      "collision",
      `Cannot accept the pack: its object ${oid} differs from the one of that id that is there`,
      oid,
    );
  }

  private rejected(type: ObjectType, oid: string, problem: string): PackRejected {
    return new PackRejected(
      "bad-object",
      `Cannot accept the pack: the ${typeName(type)} ${oid} breaks a rule: ${problem}`,
      oid,
    );
  }
}

/** Whether the same bytes come in both. */
function areEqual(first: Iterable<Uint8Array>, second: Iterable<Uint8Array>): boolean {
  using others = Iterator.from(second);
  let other: Uint8Array = new Uint8Array(0);
  for (const piece of first) {
    for (let at = 0; at < piece.length;) {
      if (other.length === 0) {
        const { done, value } = others.next();
        if (done === true) {
          return false;
        }
        other = value;
        continue;
      }
      const length = Math.min(piece.length - at, other.length);
      if (Buffer.compare(piece.subarray(at, at + length), other.subarray(0, length)) !== 0) {
        return false;
      }
      at += length;
      other = other.subarray(length);
    }
  }
  return other.length === 0 && others.next().done === true;
}

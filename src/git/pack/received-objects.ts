import { compileLightly } from "../../lib/compile-lightly.ts";
import { checkNamedFile, ruleOf, type CheckedFileName, type NamedFile } from "../objects/checked-files.ts";
import { checkObject } from "../objects/check-object.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import { ObjectType, typeName, type GitObject } from "../objects/object-type.ts";
import { bytesToHex, hexToBytes } from "../objects/oid.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { PackRejected } from "./errors.ts";

/** Looks at each object of a received pack: that it contradicts no object that is there already, and its form. */
export class ReceivedObjects {
  /** Oids of files whose content is to be checked: a tree may come before or after the file that it names. */
  private readonly named: Readonly<Record<CheckedFileName, Set<string>>> = { ".gitmodules": new Set(), ".gitattributes": new Set() };
  /** Entries of those names so far, and whether the last tree had one: then the next, however alike, may name another file. */
  private namedSeen = 0;
  private treeNamedOne = false;

  /** `awaited`: such files that trees of earlier packs named; null where a pack has to bring its own. */
  constructor(
    private readonly format: ObjectFormat,
    private readonly strict: boolean,
    private readonly existing: ObjectDatabase | undefined,
    private readonly awaited: readonly NamedFile[] | null,
  ) {
    awaited?.forEach(({ name, oid }) => this.named[name].add(oid));
  }

  /**
   * Takes `bytes[at..at + size)`, whose oid is at `oids[oidAt]`. Throws PackRejected. `isAlike`: it is a tree with the names
   * and modes of the tree before it, and no null oids.
   */
  take(type: ObjectType, bytes: Uint8Array, at: number, size: number, oids: Uint8Array, oidAt: number, isAlike: boolean): void {
    const position = this.existing === undefined ? -1 : this.existing.find(oids, oidAt);
    if (position >= 0) {
      this.demandSame(this.existing!.read(position), type, bytes.subarray(at, at + size), oids, oidAt);
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

  /**
   * Checks what could be checked only once all objects were there; `find` gives one of the pack's. A tree that no ref
   * reaches could name such a file that comes later and would not be looked at then: so one that is missing is
   * refused, or answered where it is awaited. Throws PackRejected.
   */
  finish(find: (oid: Uint8Array) => GitObject | null): NamedFile[] {
    return [...this.finishFiles(".gitmodules", find), ...this.finishFiles(".gitattributes", find)];
  }

  private finishFiles(name: CheckedFileName, find: (oid: Uint8Array) => GitObject | null): NamedFile[] {
    const absent: NamedFile[] = [];
    for (const oid of this.named[name]) {
      // It may be there already, under another name until now.
      const known = this.existing === undefined ? -1 : this.existing.findHex(oid);
      const object = find(hexToBytes(oid)) ?? (known < 0 ? null : this.existing!.read(known));
      if (object === null) {
        if (this.awaited === null) {
          throw new PackRejected("bad-object", `Cannot accept the pack: a tree breaks a rule: ${ruleOf(name, "Missing")}: its ${name} file ${oid} is missing`, oid);
        }
        absent.push({ name, oid });
        continue;
      }
      const problem = checkNamedFile(name, object);
      if (problem !== null) {
        throw this.rejected(object.type, oid, problem);
      }
    }
    return absent;
  }

  private demandSame(known: GitObject, type: ObjectType, bytes: Uint8Array, oids: Uint8Array, oidAt: number): void {
    if (known.type !== type || Buffer.compare(known.bytes, bytes) !== 0) {
      const oid = bytesToHex(oids, oidAt, this.format.oidBytes);
      throw new PackRejected("collision", `Cannot accept the pack: its object ${oid} differs from the one of that id that is there`, oid);
    }
  }

  private rejected(type: ObjectType, oid: string, problem: string): PackRejected {
    return new PackRejected("bad-object", `Cannot accept the pack: the ${typeName(type)} ${oid} breaks a rule: ${problem}`, oid);
  }
}

compileLightly(ReceivedObjects);

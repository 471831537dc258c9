import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { PackRejected } from "../pack/errors.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";

/**
 * Looks whether a path of the trees in the first pack of a database is longer than so many bytes. What these trees have of
 * other packs counts by its name alone: it was looked at when it came. Reads each tree of that pack once, and yields now and then.
 * Throws PackRejected for a path that is too long; MissingObject, CorruptPack.
 */
export function* checkPathLengths(db: ObjectDatabase, pathBytes: number): Generator<undefined, void> {
  const received = db.packs[0]?.entryCount ?? 0;
  /** by position: the longest path below a tree, and 1; 0 where it is not known yet */
  const longest = new Uint32Array(received);
  for (let position = 0; position < received; position++) {
    if (longest[position] === 0 && db.typeAt(position) === ObjectType.tree) {
      yield* measure(db, position, longest, pathBytes);
    }
  }
}

interface Open {
  readonly position: number;
  readonly cursor: TreeCursor;
  longest: number;
}

/** Depth first, without recursion: trees may be deep. No tree is in itself, since its oid is a hash of what it has. */
function* measure(
  db: ObjectDatabase,
  root: number,
  longest: Uint32Array,
  pathBytes: number,
): Generator<undefined, void> {
  // Copied: it has to stay while the trees below it are read.
  const open = (position: number): Open => ({
    position,
    cursor: new TreeCursor(db.read(position).bytes.slice(), db.format),
    longest: 0,
  });
  const stack = [open(root)];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { cursor } = top;
    if (!cursor.valid) {
      longest[top.position] = top.longest + 1;
      stack.pop();
      yield;
      continue;
    }
    const name = cursor.nameEnd - cursor.nameAt;
    const below = cursor.isTree ? db.find(cursor.bytes, cursor.oidAt) : -1;
    const isReceived = below >= 0 && below < longest.length && db.typeAt(below) === ObjectType.tree;
    if (isReceived && longest[below] === 0) {
      // Comes back to this entry when it is measured.
      stack.push(open(below));
      continue;
    }
    const length = name + (isReceived && longest[below]! > 1 ? longest[below]! : 0);
    if (length > pathBytes) {
      const oid = bytesToHex(db.oidAt(top.position));
      throw new PackRejected(
        "too-large",
        `Cannot accept the pack: a path below the tree ${oid} has ${length} bytes, where ${pathBytes} are allowed`,
        oid,
      );
    }
    top.longest = Math.max(top.longest, length);
    cursor.next();
  }
}

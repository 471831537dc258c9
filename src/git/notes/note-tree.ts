import { ObjectType } from "../objects/object-type.ts";
import { CorruptObject } from "../objects/errors.ts";
import { FileMode, parseTree } from "../objects/tree.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";

/*
 * The tree of a notes ref holds a blob for each annotated object, whose path is the object's oid: as it is, or with
 * slashes behind the first pairs of digits, so that no directory becomes too large.
 */

/** Paths of notes by the oid of what they annotate. */
export type NotePaths = Map<string, string>;

/** All notes of a tree. Throws MissingObject, CorruptObject, CorruptPack. */
export function readNotePaths(odb: ObjectDatabase, tree: string): NotePaths {
  const paths: NotePaths = new Map();
  collect(odb, tree, "", "", paths);
  return paths;
}

/** The path of the note of an object; null when it has none. Throws as `readNotePaths`. */
export function findNotePath(odb: ObjectDatabase, tree: string, target: string, path = ""): string | null {
  const rest = target.slice(path.replaceAll("/", "").length);
  for (const entry of entriesOf(odb, tree)) {
    if (entry.name === rest && entry.mode !== FileMode.tree && entry.mode !== FileMode.submodule) {
      return path + entry.name;
    }
    if (entry.mode === FileMode.tree && rest.length > 2 && entry.name === rest.slice(0, 2)) {
      const below = findNotePath(odb, entry.oid, target, `${path}${entry.name}/`);
      if (below !== null) {
        return below;
      }
    }
  }
  return null;
}

/**
 * Where git puts the notes of these objects: one more pair of digits becomes a directory wherever each first digit of the
 * rest has two notes or more, for then there are likely many.
 */
export function placeNotes(targets: Iterable<string>): NotePaths {
  const paths: NotePaths = new Map();
  place([...targets].sort(), 0, 0, paths);
  return paths;
}

function place(targets: readonly string[], depth: number, fanOut: number, paths: NotePaths): void {
  const byDigit = Map.groupBy(targets, (target) => target[depth]);
  const isFull = byDigit.size === 16 && [...byDigit.values()].every((group) => group.length > 1);
  const now = depth % 2 === 0 && depth <= 2 * fanOut && isFull ? fanOut + 1 : fanOut;
  for (const group of byDigit.values()) {
    if (group.length === 1) {
      paths.set(group[0]!, pathOf(group[0]!, now));
    } else {
      place(group, depth + 1, now, paths);
    }
  }
}

function pathOf(target: string, fanOut: number): string {
  const directories = Array.from({ length: fanOut }, (_, at) => target.slice(2 * at, 2 * at + 2));
  return [...directories, target.slice(2 * fanOut)].join("/");
}

function collect(odb: ObjectDatabase, tree: string, path: string, digits: string, paths: NotePaths): void {
  for (const { name, mode, oid } of entriesOf(odb, tree)) {
    const isHex = /^[0-9a-f]+$/.test(name);
    if (mode === FileMode.tree) {
      if (isHex && name.length === 2 && digits.length + 2 < odb.format.hexLength) {
        collect(odb, oid, `${path}${name}/`, digits + name, paths);
      }
    } else if (isHex && digits.length + name.length === odb.format.hexLength && mode !== FileMode.submodule) {
      paths.set(digits + name, path + name);
    }
  }
}

function entriesOf(odb: ObjectDatabase, tree: string): ReturnType<typeof parseTree> {
  const { type, bytes } = odb.readHex(tree);
  if (type !== ObjectType.tree) {
    throw new CorruptObject(`Cannot read notes out of ${tree}: it is not a tree`);
  }
  return parseTree(bytes, odb.format);
}

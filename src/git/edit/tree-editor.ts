import { readTree } from "../tree/read-tree.ts";
import { hashObject } from "../objects/hash-object.ts";
import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex, hexToBytes } from "../objects/oid.ts";
import { FileMode, parseTree, writeTree, type TreeEntry } from "../objects/tree.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { EditConflict } from "./errors.ts";
import type { NewObjects } from "./new-objects.ts";

/** A file, symbolic link or submodule in the tree. */
export interface FileEntry {
  readonly mode: number;
  readonly oid: string;
}

/** A directory that was looked into; others stay as the oid of their tree. */
interface Directory {
  /** by name; names that are not UTF-8 have keys that no path has */
  readonly entries: Map<string, TreeEntry | Directory>;
  changed: boolean;
  /** of the tree it was read from */
  readonly oid: string | null;
}

/** A tree with changes on top. It reads only the directories on the way to what changes. */
export class TreeEditor {
  readonly #root: Directory;

  /** tree: hexadecimal oid, null for the empty tree. Throws MissingObject, CorruptObject, as do all methods. */
  constructor(
    private readonly odb: ObjectDatabase,
    tree: string | null,
  ) {
    this.#root = tree === null ? emptyDirectory() : this.#read(tree);
  }

  /** Finds the entry at the path: "tree" for a directory, null if there is none, also below a file. */
  find(names: readonly string[]): FileEntry | "tree" | null {
    let directory = this.#root;
    for (const name of names.slice(0, -1)) {
      const next = this.#enter(directory, name);
      if (next === null || !isDirectory(next)) {
        return null;
      }
      directory = next;
    }
    const entry = directory.entries.get(names.at(-1)!);
    if (entry === undefined) {
      return null;
    }
    return isDirectory(entry) || entry.mode === FileMode.tree ? "tree" : { mode: entry.mode, oid: entry.oid };
  }

  /** Throws EditConflict when a file is in the way of the path's directories, or a directory stands at the path. */
  put(names: readonly string[], file: FileEntry): void {
    const path = names.join("/");
    const name = names.at(-1)!;
    const directory = this.#openParent(names, path);
    const present = directory.entries.get(name);
    if (present !== undefined && (isDirectory(present) || present.mode === FileMode.tree)) {
      throw new EditConflict(
        "file-directory",
        path,
        `Cannot write the file "${path}": there is a directory of that name`,
      );
    }
    directory.entries.set(name, { mode: file.mode, name, oid: file.oid });
  }

  /** Removes the file at the path, which must be there. */
  remove(names: readonly string[]): void {
    this.#openParent(names, names.join("/")).entries.delete(names.at(-1)!);
  }

  /** Adds the trees that are new to `objects` and returns the oid of the root. */
  write(objects: NewObjects): string {
    return this.#write(this.#root, objects);
  }

  /** The directory that holds the path's last name; all on the way become changed. */
  #openParent(names: readonly string[], path: string): Directory {
    let directory = this.#root;
    directory.changed = true;
    for (const [depth, name] of names.slice(0, -1).entries()) {
      let next = this.#enter(directory, name);
      if (next === null) {
        next = emptyDirectory();
        directory.entries.set(name, next);
      } else if (!isDirectory(next)) {
        const file = names.slice(0, depth + 1).join("/");
        throw new EditConflict("file-directory", path, `Cannot write the file "${path}": "${file}" is not a directory`);
      }
      next.changed = true;
      directory = next;
    }
    return directory;
  }

  #enter(directory: Directory, name: string): TreeEntry | Directory | null {
    const entry = directory.entries.get(name);
    if (entry === undefined || isDirectory(entry) || entry.mode !== FileMode.tree) {
      return entry ?? null;
    }
    const opened = this.#read(entry.oid);
    directory.entries.set(name, opened);
    return opened;
  }

  #read(oid: string): Directory {
    const directory: Directory = { entries: new Map(), changed: false, oid };
    for (const entry of parseTree(readTree(this.odb, hexToBytes(oid)), this.odb.format)) {
      // A path never has a NUL in it, so these keys are never asked for; such directories are not entered either.
      directory.entries.set(entry.rawName === undefined ? entry.name : `\0${bytesToHex(entry.rawName)}`, entry);
    }
    return directory;
  }

  #write(directory: Directory, objects: NewObjects): string {
    if (!directory.changed && directory.oid !== null) {
      return directory.oid;
    }
    const entries: TreeEntry[] = [];
    for (const [name, entry] of directory.entries) {
      if (!isDirectory(entry)) {
        entries.push(entry);
      } else if (entry.changed && isEmpty(entry)) {
        continue;
      } else {
        entries.push({ mode: FileMode.tree, name, oid: this.#write(entry, objects) });
      }
    }
    const bytes = writeTree(entries, this.odb.format);
    const oid = bytesToHex(hashObject(this.odb.format, ObjectType.tree, bytes));
    objects.add(ObjectType.tree, bytes, oid);
    return oid;
  }
}

function emptyDirectory(): Directory {
  return { entries: new Map(), changed: true, oid: null };
}

function isDirectory(entry: TreeEntry | Directory): entry is Directory {
  return "entries" in entry;
}

/** Git has no empty directories: one whose files are all removed goes too. */
function isEmpty(directory: Directory): boolean {
  for (const entry of directory.entries.values()) {
    if (!isDirectory(entry) || !isEmpty(entry)) {
      return false;
    }
  }
  return true;
}

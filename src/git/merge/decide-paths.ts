import { ObjectType } from "../objects/object-type.ts";
import { FileMode, writeTree, type TreeEntry } from "../objects/tree.ts";
import { mergeVersions } from "./merge-content.ts";
import { directoryOf, nameOf, nothing, regularType, typeOfMode, type Changer, type MergePath } from "./merge-path.ts";
import type { MergeState } from "./merge-state.ts";

/**
 * Decides every path and makes the merged tree of it; conflicts are in it as git would leave them in a work tree.
 * Returns its oid. Yields now and then. Throws MissingObject, CorruptObject, CorruptPack, DiffTooCostly.
 */
export function* decidePaths(state: MergeState): Generator<void, string> {
  const decider = new PathDecider(state);
  const paths = [...state.paths.keys()].sort(besideChildren);
  let looked = 0;
  // Backwards, so that a directory comes after all that is below it.
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    const entry = state.paths.get(path)!;
    decider.finish(path, entry);
    const before = entry.clean;
    decider.decide(path, entry);
    if (!before || (++looked & 0x3ff) === 0) {
      yield;
    }
  }
  return decider.writeTree("");
}

/** Order of paths as if each ended in a slash: a directory directly before what is in it. */
function besideChildren(left: string, right: string): number {
  const [a, b] = [`${left}/`, `${right}/`];
  return a < b ? -1 : a > b ? 1 : 0;
}

class PathDecider {
  /** what the merged directories hold so far */
  readonly #directories = new Map<string, TreeEntry[]>();

  constructor(private readonly state: MergeState) {}

  /** Makes the tree of a directory below which all is decided. */
  finish(path: string, entry: MergePath): void {
    if (this.#directories.has(path)) {
      entry.result = { mode: FileMode.tree, oid: this.writeTree(path) };
      entry.absent = false;
    }
  }

  writeTree(path: string): string {
    const entries = this.#directories.get(path) ?? [];
    this.#directories.delete(path);
    return this.state.objects.add(ObjectType.tree, writeTree(entries, this.state.objects.db.format));
  }

  decide(path: string, entry: MergePath): void {
    if (entry.clean) {
      return this.#place(path, entry);
    }
    if (entry.directoryMask !== 0) {
      this.#place(path, entry);
      if (entry.fileMask === 0) {
        return;
      }
    }
    if (entry.typeConflict && entry.result.mode === 0) {
      // Nothing of the directory is left, so the file can take its place.
      entry.typeConflict = false;
      entry.absent = false;
      entry.matchMask &= ~entry.directoryMask;
      entry.dropDirectories();
      this.#decideFile(path, entry, null);
    } else if (entry.typeConflict) {
      this.#moveAside(path, entry);
    } else {
      this.#decideFile(path, entry, null);
    }
  }

  /** The directory stays, so the file goes elsewhere. */
  #moveAside(path: string, entry: MergePath): void {
    if (entry.fileMask === 1) {
      entry.fileMask = 0;
      return;
    }
    const file = entry.clone();
    file.result = nothing;
    file.absent = false;
    file.matchMask &= ~file.directoryMask;
    file.dropDirectories();
    const side: Changer = (entry.directoryMask & 2) !== 0 ? 2 : 1;
    const { labels } = this.state;
    const free = this.state.freePath(path, side === 1 ? labels.ours : labels.theirs);
    this.state.paths.set(free, file);
    this.state.note(free, "file/directory");
    entry.fileMask = 0;
    this.#decideFile(free, file, side);
  }

  /** `fileSide`: whose file it is, when it had to make room for a directory */
  #decideFile(path: string, entry: MergePath, fileSide: Changer | null): void {
    const { state } = this;
    const [base, ours, theirs] = entry.stages;
    let place = path;
    if (entry.matchMask !== 0) {
      const version = entry.matchMask === 3 ? theirs : ours;
      entry.result = version;
      entry.absent = version.mode === 0;
      entry.clean = (entry.matchMask !== 6 && entry.absent) || (!entry.typeConflict && !entry.pathConflict);
    } else if (entry.fileMask >= 6 && typeOfMode(ours.mode) !== typeOfMode(theirs.mode)) {
      place = this.#separate(path, entry);
    } else if (entry.fileMask >= 6) {
      this.#mergeContent(path, entry, fileSide);
    } else if (entry.fileMask === 3 || entry.fileMask === 5) {
      const side: Changer = entry.fileMask === 5 ? 2 : 1;
      entry.result = state.depth > 0 ? base : entry.stages[side];
      if (!entry.pathConflict || base.oid !== entry.stages[side].oid) {
        state.note(path, "modify/delete");
      }
    } else if (entry.fileMask === 1) {
      entry.result = nothing;
      entry.absent = true;
      entry.clean = !entry.pathConflict;
    } else {
      entry.result = entry.fileMask === 4 ? theirs : ours;
      entry.clean = !entry.typeConflict && !entry.pathConflict;
    }
    if (!entry.clean) {
      state.conflicted.set(place, entry);
    }
    this.#place(place, entry);
  }

  #mergeContent(path: string, entry: MergePath, fileSide: Changer | null): void {
    const { state } = this;
    const merged = mergeVersions(state, path, entry.stages, entry.origins, 2 * state.depth);
    entry.clean = merged.clean && !entry.typeConflict && !entry.pathConflict;
    entry.result = merged.version;
    entry.absent = merged.version.mode === 0;
    if (!merged.clean) {
      state.note(path, entry.fileMask === 6 ? "add/add" : "content");
    } else if (fileSide !== null) {
      entry.fileMask = 1 << fileSide;
      entry.stages[fileSide] = merged.version;
    }
  }

  /** Two things of different types: one or both get another name. Returns the path of ours. */
  #separate(path: string, entry: MergePath): string {
    const { state } = this;
    const [base, ours, theirs] = entry.stages;
    if (state.depth > 0) {
      entry.result = base;
      entry.absent = base.mode === 0;
      return path;
    }
    const moveOurs = typeOfMode(ours.mode) === regularType || typeOfMode(theirs.mode) !== regularType;
    const moveTheirs = typeOfMode(ours.mode) !== regularType;
    const ourPath = moveOurs ? state.freePath(path, state.labels.ours) : path;
    const theirPath = moveTheirs ? state.freePath(path, state.labels.theirs) : path;
    state.note(path, "distinct-types");
    const other = entry.clone();
    keepSide(other, 2);
    keepSide(entry, 1);
    if (moveOurs && moveTheirs) {
      state.paths.delete(path);
    }
    state.paths.set(ourPath, entry);
    state.paths.set(theirPath, other);
    state.conflicted.set(theirPath, other);
    this.#place(theirPath, other);
    return ourPath;
  }

  #place(path: string, { absent, result }: MergePath): void {
    if (absent) {
      return;
    }
    const directory = directoryOf(path);
    const entries = this.#directories.get(directory);
    const name = nameOf(path);
    const entry: TreeEntry = { mode: result.mode, name, rawName: Buffer.from(name, "latin1"), oid: result.oid };
    if (entries === undefined) {
      this.#directories.set(directory, [entry]);
    } else {
      entries.push(entry);
    }
  }
}

/** Leaves of the versions that of one side, and the base if it is of the same type. */
function keepSide(entry: MergePath, side: Changer): void {
  const version = entry.stages[side];
  const sameType = typeOfMode(version.mode) === typeOfMode(entry.stages[0].mode);
  entry.stages[side === 1 ? 2 : 1] = nothing;
  if (!sameType) {
    entry.stages[0] = nothing;
  }
  entry.fileMask = (1 << side) | (sameType ? 1 : 0);
  entry.result = version;
  entry.absent = false;
}

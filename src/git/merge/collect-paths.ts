import { fileMode } from "../tree/file-mode.ts";
import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";
import { inGitMapOrder } from "./git-map-order.ts";
import { MergePath, isSameVersion, nothing, typeOfMode, type Changer, type Version } from "./merge-path.ts";
import type { MergeState } from "./merge-state.ts";
import { RenameInput } from "./rename-input.ts";

type Trio = [Version, Version, Version];

interface Deferred {
  readonly path: string;
  readonly entry: MergePath;
  readonly directoryRenameMask: number;
}

const treeType = 0o040000;

/**
 * Goes through the three trees together and notes in `state` each path that the merge has to decide; what is equal on
 * two sides and cannot take part in a rename is decided at once, directories as a whole. Returns what finding renames
 * needs to know. Yields now and then. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* collectPaths(
  state: MergeState,
  trees: readonly [string | null, string, string],
): Generator<void, readonly [RenameInput, RenameInput]> {
  const collector = new PathCollector(state);
  yield* collector.collect(trees);
  return [collector.renames[1], collector.renames[2]];
}

class PathCollector {
  readonly renames: Readonly<Record<Changer, RenameInput>> = { 1: new RenameInput(), 2: new RenameInput() };
  /** directories that only this side changed: they need no look unless something was moved on that side */
  readonly #deferred: Readonly<Record<Changer, Deferred[]>> = { 1: [], 2: [] };
  /**
   * Whether files of the present directory may show where it was renamed to: 0 when not; the mask of the one side that
   * still has it; 7 when that side has new files below it, whose place the rename decides.
   */
  #directoryRenameMask = 0;
  #looked = 0;

  constructor(private readonly state: MergeState) {}

  *collect(trees: readonly [string | null, string, string]): Generator<void, void> {
    const [base, ours, theirs] = trees.map((tree) => (tree === null ? nothing : { mode: treeType, oid: tree }));
    yield* this.#directory("", [base!, ours!, theirs!], true);
    for (const side of [1, 2] as const) {
      const needed = this.renames[side].relevant.size > 0;
      const deferred = new Map(this.#deferred[side].map((directory) => [directory.path, directory]));
      for (const next of inGitMapOrder(deferred.keys()).map((path) => deferred.get(path)!)) {
        if (!needed) {
          next.entry.decide(next.entry.stages[side]);
          next.entry.matchMask = 0;
          continue;
        }
        this.#directoryRenameMask = next.directoryRenameMask;
        next.entry.matchMask &= next.entry.fileMask;
        yield* this.#directory(next.path, next.entry.stages, false);
        this.#directoryRenameMask = 0;
      }
    }
  }

  *#directory(path: string, versions: Readonly<Trio>, mayDefer: boolean): Generator<void, void> {
    const entries = this.#entries(versions);
    if (this.#directoryRenameMask === 2 || this.#directoryRenameMask === 4) {
      for (const [, trio] of entries) {
        const files = maskOf(trio, (mode) => mode !== 0 && mode !== treeType);
        if (files !== 0 && files === this.#directoryRenameMask) {
          this.#directoryRenameMask = 7;
        }
      }
    }
    const prefix = path === "" ? "" : `${path}/`;
    for (const [name, trio] of entries) {
      yield* this.#entry(path, prefix + name, trio, mayDefer);
    }
  }

  *#entry(directory: string, path: string, trio: Trio, mayDefer: boolean): Generator<void, void> {
    if ((++this.#looked & 0x3ff) === 0) {
      yield;
    }
    const [base, ours, theirs] = trio;
    const directories = maskOf(trio, (mode) => mode === treeType);
    const files = maskOf(trio, (mode) => mode !== 0 && mode !== treeType);
    const oursSame = base.mode !== 0 && isSameVersion(base, ours);
    const theirsSame = base.mode !== 0 && isSameVersion(base, theirs);
    const bothSame = ours.mode !== 0 && isSameVersion(ours, theirs);
    const entry = new MergePath(path, trio, files, directories);
    this.state.paths.set(path, entry);
    if (oursSame && theirsSame) {
      return entry.decide(base);
    }
    if (files === 7 && (oursSame || theirsSame || bothSame)) {
      return entry.decide(oursSame ? theirs : ours);
    }
    entry.matchMask = oursSame ? 3 : theirsSame ? 5 : bothSame ? 6 : 0;
    entry.typeConflict = files !== 0 && directories !== 0;
    // Nothing stands here until something below does.
    entry.absent = directories !== 0;
    const outerMask = this.#directoryRenameMask;
    this.#noteForRenames(directory, path, trio, files, directories, entry.matchMask & files);
    if (directories !== 0) {
      if (files === 0 && (directories === 2 || directories === 4)) {
        entry.matchMask = 7 - directories;
      }
      const side = entry.matchMask === 3 ? 2 : entry.matchMask === 5 ? 1 : 0;
      if (this.#directoryRenameMask !== 7 && side !== 0 && mayDefer) {
        this.#deferred[side].push({ path, entry, directoryRenameMask: this.#directoryRenameMask });
      } else {
        entry.matchMask &= files;
        yield* this.#directory(path, trio, mayDefer);
      }
    }
    this.#directoryRenameMask = outerMask;
  }

  #noteForRenames(
    directory: string,
    path: string,
    trio: Trio,
    files: number,
    directories: number,
    matchMask: number,
  ): void {
    const onOneSide = directories === 3 || directories === 5;
    if (this.#directoryRenameMask !== 7 && onOneSide) {
      this.#directoryRenameMask = directories & ~1;
    }
    if (directories === 1 || onOneSide) {
      const relevance = this.#directoryRenameMask === 7 ? "ancestors" : "no";
      for (const side of [1, 2] as const) {
        if ((directories & (1 << side)) === 0) {
          this.renames[side].removedDirectories.set(path, relevance);
        }
      }
    }
    if (this.#directoryRenameMask === 7 && (files === 2 || files === 4)) {
      this.renames[files === 2 ? 2 : 1].removedDirectories.set(directory, "itself");
    }
    if (files === 0 || files === 7) {
      return;
    }
    for (const side of [1, 2] as const) {
      const own = (files & (1 << side)) !== 0;
      if ((files & 1) !== 0 && !own) {
        this.renames[side].remove(
          path,
          trio[0],
          matchMask === 0 ? "content" : this.#directoryRenameMask === 7 ? "location" : null,
        );
      } else if ((files & 1) === 0 && own) {
        this.renames[side].add(path, trio[side]);
      }
    }
  }

  /** Returns the entries of the three directories by name, in git's order. */
  #entries(versions: Readonly<Trio>): [string, Trio][] {
    const byName = new Map<string, Trio>();
    const listings = versions.map((version, side) => {
      const names: string[] = [];
      if (typeOfMode(version.mode) === treeType) {
        const { db } = this.state.objects;
        const cursor = new TreeCursor(this.state.objects.content(version.oid, ObjectType.tree), db.format);
        const bytes = Buffer.from(cursor.bytes.buffer, cursor.bytes.byteOffset, cursor.bytes.byteLength);
        for (; cursor.valid; cursor.next()) {
          const name = bytes.toString("latin1", cursor.nameAt, cursor.nameEnd);
          const trio = byName.get(name) ?? [nothing, nothing, nothing];
          trio[side as 0 | 1 | 2] = {
            mode: fileMode(cursor.mode),
            oid: bytesToHex(cursor.bytes, cursor.oidAt, db.format.oidBytes),
          };
          byName.set(name, trio);
          names.push(name);
        }
      }
      return names;
    });
    return inWalkOrder(listings).map((name) => [name, byName.get(name)!]);
  }
}

/**
 * The names in several trees, each once: of those that are first in each tree the smallest comes next, where a directory
 * is not as if its name ended in a slash, although the trees are in that order.
 */
function inWalkOrder(listings: readonly (readonly string[])[]): string[] {
  const passed = new Set<string>();
  const next = listings.map(() => 0);
  for (;;) {
    let first: string | undefined;
    for (const [number, names] of listings.entries()) {
      while (next[number]! < names.length && passed.has(names[next[number]!]!)) {
        next[number]!++;
      }
      const name = names[next[number]!];
      if (name !== undefined && (first === undefined || name < first)) {
        first = name;
      }
    }
    if (first === undefined) {
      return [...passed];
    }
    passed.add(first);
  }
}

function maskOf(trio: Trio, test: (mode: number) => boolean): number {
  return (test(trio[0].mode) ? 1 : 0) | (test(trio[1].mode) ? 2 : 0) | (test(trio[2].mode) ? 4 : 0);
}

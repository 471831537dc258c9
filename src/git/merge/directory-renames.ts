import { MergePath, directoryOf, nothing, type Changer } from "./merge-path.ts";
import type { MergeState } from "./merge-state.ts";
import type { PlacedFile, SideRenames } from "./side-renames.ts";

/** A file that a side moved, or that goes elsewhere because the other side moved its directory. */
export interface Rename {
  readonly side: Changer;
  readonly from: string;
  readonly to: string;
}

interface Collision {
  readonly sources: string[];
  reported: boolean;
}

type Sides<Item> = Readonly<Record<Changer, Item>>;

/**
 * The renames of both sides, by the path they come from. A file that one side added to a directory which the other side
 * renamed is moved along, and its place is in doubt then: as git does where `merge.directoryRenames` is "conflict".
 */
export function collectRenames(state: MergeState, found: Sides<SideRenames>): Rename[] {
  const directories =
    state.depth === 0 ? directoryRenames(state, found) : { 1: new Map<string, string>(), 2: new Map<string, string>() };
  const collisions: Sides<Map<string, Collision>> = {
    1: findCollisions(found[1].files, directories[2]),
    2: findCollisions(found[2].files, directories[1]),
  };
  const renames: Rename[] = [];
  for (const side of [1, 2] as const) {
    const other = side === 1 ? 2 : 1;
    for (const file of found[side].files) {
      const moved = collisions[other].has(file.path)
        ? null
        : movedPath(state, file.path, side, directories[other], directories[side], collisions[side]);
      if (moved !== null) {
        move(state, file.path, moved);
      }
      if (moved !== null || file.from !== null) {
        renames.push({ side, from: file.from ?? file.path, to: moved ?? file.path });
      }
    }
  }
  return renames.sort((left, right) =>
    left.from < right.from ? -1 : left.from > right.from ? 1 : left.side - right.side,
  );
}

/** Directories that exactly one side renamed, to one place. */
function directoryRenames(state: MergeState, found: Sides<SideRenames>): Sides<Map<string, string>> {
  const certain = (side: Changer): Map<string, string> => {
    const renames = new Map<string, string>();
    for (const [directory, target] of found[side].directories) {
      if (target === null) {
        state.note(directory, "directory-rename-split");
        state.clean = false;
      } else {
        renames.set(directory, target);
      }
    }
    return renames;
  };
  const [ours, theirs] = [certain(1), certain(2)];
  for (const directory of [...ours.keys()].filter((key) => theirs.has(key))) {
    ours.delete(directory);
    theirs.delete(directory);
  }
  return { 1: ours, 2: theirs };
}

/** The renamed directory that a path is in, the closest one. */
function renamedDirectory(path: string, renames: ReadonlyMap<string, string>): string | null {
  for (let directory = directoryOf(path); directory !== ""; directory = directoryOf(directory)) {
    if (renames.has(directory)) {
      return directory;
    }
  }
  return null;
}

function pathAfter(path: string, directory: string, target: string): string {
  return target === "" ? path.slice(directory.length + 1) : target + path.slice(directory.length);
}

/** For each path that renamed directories would put files at which files these are. */
function findCollisions(files: readonly PlacedFile[], renames: ReadonlyMap<string, string>): Map<string, Collision> {
  const collisions = new Map<string, Collision>();
  for (const { path } of renames.size === 0 ? [] : files) {
    const directory = renamedDirectory(path, renames);
    if (directory !== null) {
      const target = pathAfter(path, directory, renames.get(directory)!);
      const collision = collisions.get(target) ?? { sources: [], reported: false };
      collision.sources.push(path);
      collisions.set(target, collision);
    }
  }
  return collisions;
}

/** Where a file goes because its directory was renamed on the other side; null when it stays. */
function movedPath(
  state: MergeState,
  path: string,
  side: Changer,
  renames: ReadonlyMap<string, string>,
  ownRenames: ReadonlyMap<string, string>,
  collisions: ReadonlyMap<string, Collision>,
): string | null {
  const directory = renames.size === 0 ? null : renamedDirectory(path, renames);
  // Into a directory that this side itself renamed nothing is moved: it would only have to be moved on.
  if (directory === null || ownRenames.has(renames.get(directory)!)) {
    return null;
  }
  const target = pathAfter(path, directory, renames.get(directory)!);
  const collision = collisions.get(target)!;
  const present = state.paths.get(target);
  const inTheWay =
    present !== undefined && (present.clean || ((present.fileMask | present.directoryMask) & (1 << side)) !== 0);
  if (collision.reported || inTheWay || collision.sources.length > 1) {
    collision.reported = true;
    state.note(target, "directory-rename-blocked");
    state.clean = false;
    return null;
  }
  return target;
}

function move(state: MergeState, from: string, to: string): void {
  const { paths } = state;
  let entry = paths.get(from)!;
  for (let directory = directoryOf(to); directory !== "" && !paths.has(directory); directory = directoryOf(directory)) {
    paths.set(directory, new MergePath(directory, [nothing, nothing, nothing], 0, entry.fileMask));
  }
  if (entry.directoryMask === 0) {
    paths.delete(from);
  } else {
    // The directory has to stay until what is below it is decided.
    const file = entry.clone();
    file.dropDirectories();
    entry.fileMask = 0;
    entry.clean = true;
    entry = file;
  }
  const present = paths.get(to);
  if (present === undefined) {
    paths.set(to, entry);
  } else {
    const side = (entry.fileMask >> 1) as Changer;
    present.fileMask |= entry.fileMask;
    present.typeConflict ||= present.directoryMask !== 0;
    present.origins[side] = entry.origins[side];
    present.stages[side] = entry.stages[side];
    entry = present;
  }
  entry.pathConflict = true;
  state.note(to, "file-location");
}

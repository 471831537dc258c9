/** A side that changes the base: 1 is ours, 2 is theirs, as in the stages of git's index less one. */
export type Changer = 1 | 2;

/** The entry of one side at a path. */
export interface Version {
  /** 0: nothing */
  readonly mode: number;
  /** hexadecimal; empty for nothing */
  readonly oid: string;
}

export const nothing: Version = { mode: 0, oid: "" };

export const regularType = 0o100000;
export const linkType = 0o120000;
export const submoduleType = 0o160000;

/** The kind of file that a mode says; 0 for nothing. */
export function typeOfMode(mode: number): number {
  return mode & 0o170000;
}

export function isSameVersion(left: Version, right: Version): boolean {
  return left.mode === right.mode && left.oid === right.oid;
}

/** Why something could not be merged. Names follow the messages of git. */
export type ConflictKind =
  | "content"
  | "add/add"
  | "binary"
  | "mode"
  | "submodule"
  | "modify/delete"
  | "rename/rename"
  | "rename/delete"
  | "rename/collision"
  | "distinct-types"
  | "file/directory"
  | "file-location"
  | "directory-rename-split"
  | "directory-rename-blocked";

/**
 * The state of one path in a merge. Paths are Latin-1 strings of their bytes, so that they compare and sort as bytes.
 * Masks have a bit for each side: 1 base, 2 ours, 4 theirs.
 */
export class MergePath {
  /** whether it is decided, and `result` holds */
  clean = false;
  /** decided: nothing is to stand here */
  absent = false;
  result: Version = nothing;
  /** where the versions come from, which renames change */
  readonly origins: [string, string, string];
  /** the sides that are equal here; 0 unless two are */
  matchMask = 0;
  /** a file on one side, a directory on another */
  typeConflict = false;
  /** the place is in doubt, whatever the content */
  pathConflict = false;

  constructor(
    path: string,
    readonly stages: [Version, Version, Version],
    /** sides that have a file here */
    public fileMask: number,
    /** sides that have a directory here */
    public directoryMask: number,
  ) {
    this.origins = [path, path, path];
  }

  /** A copy that shares nothing. */
  clone(): MergePath {
    const copy = new MergePath("", [...this.stages], this.fileMask, this.directoryMask);
    copy.origins.splice(0, 3, ...this.origins);
    copy.clean = this.clean;
    copy.absent = this.absent;
    copy.result = this.result;
    copy.matchMask = this.matchMask;
    copy.typeConflict = this.typeConflict;
    copy.pathConflict = this.pathConflict;
    return copy;
  }

  /** Removes what is no file from the versions. */
  dropDirectories(): void {
    this.directoryMask = 0;
    for (const side of [0, 1, 2] as const) {
      if ((this.fileMask & (1 << side)) === 0) {
        this.stages[side] = nothing;
      }
    }
  }

  decide(version: Version): void {
    this.clean = true;
    this.result = version;
    this.absent = version.mode === 0;
  }
}

/** The directory of a path, empty for the root. */
export function directoryOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

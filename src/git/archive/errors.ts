import { StithyError } from "../../lib/errors.ts";

/** A path that an archive is to be limited to is not in the tree. */
export class PathNotInTree extends StithyError {
  constructor(path: string) {
    super("absent", "path-not-in-tree", `Cannot find "${path}" in the tree`, { path });
  }
}

/** A path that a format has no room for. */
export class PathTooLong extends StithyError {
  constructor(path: string, most: number) {
    super(
      "invalid",
      "path-too-long",
      `The path "${path.slice(0, 100)}…" has ${path.length} bytes; an archive of this format has room for ${most}`,
      { bytes: path.length },
    );
  }
}

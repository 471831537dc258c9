import type { ObjectOverlay } from "./object-overlay.ts";
import type { MergeAttributes } from "./merge-attributes.ts";
import type { ConflictKind, MergePath } from "./merge-path.ts";

/** Names of the sides in conflict markers and in the names of files that are moved out of the way. */
export interface MergeLabels {
  readonly ours: string;
  readonly base: string;
  readonly theirs: string;
}

/** One merge of two trees under way. */
export class MergeState {
  readonly paths = new Map<string, MergePath>();
  /** paths that could not be decided */
  readonly conflicted = new Map<string, MergePath>();
  /** what went wrong at a path, in the order in which it was found */
  readonly kinds = new Map<string, Set<ConflictKind>>();
  /** false when something is in doubt that no path stands for */
  clean = true;

  constructor(
    readonly objects: ObjectOverlay,
    readonly labels: MergeLabels,
    /** of the side that is merged into, also in merges of common ancestors */
    readonly attributes: MergeAttributes,
    /** how many merges of common ancestors this one is part of: its conflicts are nobody's to solve then */
    readonly depth: number,
  ) {}

  note(path: string, kind: ConflictKind): void {
    const kinds = this.kinds.get(path);
    if (kinds === undefined) {
      this.kinds.set(path, new Set([kind]));
    } else {
      kinds.add(kind);
    }
  }

  /** A path that nothing uses, for a file of one side that cannot stay where it is. */
  freePath(path: string, label: string): string {
    const wanted = `${path}~${Buffer.from(label).toString("latin1").replaceAll("/", "_")}`;
    let free = wanted;
    for (let number = 0; this.paths.has(free); number++) {
      free = `${wanted}_${number}`;
    }
    return free;
  }
}

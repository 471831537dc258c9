import { applyRenames } from "./apply-renames.ts";
import { collectPaths } from "./collect-paths.ts";
import { decidePaths } from "./decide-paths.ts";
import { collectRenames } from "./directory-renames.ts";
import { MergeAttributes } from "./merge-attributes.ts";
import type { ConflictKind, MergePath } from "./merge-path.ts";
import { MergeState, type MergeLabels } from "./merge-state.ts";
import type { ObjectOverlay } from "./object-overlay.ts";
import { findSideRenames } from "./side-renames.ts";

/** The entry of each side at a path with a conflict, as in the stages of git's index. */
export interface ConflictStage {
  /** 1 base, 2 ours, 3 theirs */
  readonly stage: 1 | 2 | 3;
  readonly mode: number;
  readonly oid: string;
}

export interface MergeConflict {
  readonly path: string;
  /** why; none when another path that it belongs to says it */
  readonly kinds: readonly ConflictKind[];
  /** none for what has no content of its own: a directory whose new place is not clear, an occupied path */
  readonly stages: readonly ConflictStage[];
}

export interface MergedTree {
  /** hexadecimal; with conflicts as git would leave them in a work tree, markers and all */
  readonly tree: string;
  readonly clean: boolean;
  /** sorted by path */
  readonly conflicts: readonly MergeConflict[];
}

/**
 * Merges two trees (hexadecimal oids) that both come from `base` (null: the empty tree), with renames of files and
 * directories, as git's merge-ort does with its defaults and the `.gitattributes` of ours, unless others are given. What is
 * new is added to `objects`. Yields now and then. Throws MissingObject, CorruptObject, CorruptPack, DiffTooCostly.
 */
export function* mergeTrees(
  objects: ObjectOverlay,
  trees: { readonly base: string | null; readonly ours: string; readonly theirs: string },
  labels: MergeLabels,
  {
    attributes = new MergeAttributes(objects, trees.ours),
    depth = 0,
  }: { readonly attributes?: MergeAttributes; readonly depth?: number } = {},
): Generator<void, MergedTree> {
  const state = new MergeState(objects, labels, attributes, depth);
  const [ours, theirs] = yield* collectPaths(state, [trees.base, trees.ours, trees.theirs]);
  const renames = collectRenames(state, {
    1: yield* findSideRenames(objects, ours),
    2: yield* findSideRenames(objects, theirs),
  });
  yield* applyRenames(state, renames);
  const tree = yield* decidePaths(state);
  return { tree, clean: state.clean && state.conflicted.size === 0, conflicts: conflictsOf(state) };
}

function conflictsOf(state: MergeState): MergeConflict[] {
  const paths = new Set([...state.conflicted.keys(), ...state.kinds.keys()]);
  return [...paths].sort().map((path) => ({
    path: Buffer.from(path, "latin1").toString("utf8"),
    kinds: [...(state.kinds.get(path) ?? [])],
    stages: stagesOf(state.conflicted.get(path)),
  }));
}

function stagesOf(entry: MergePath | undefined): ConflictStage[] {
  return entry === undefined
    ? []
    : ([0, 1, 2] as const)
        .filter((side) => (entry.fileMask & (1 << side)) !== 0)
        .map((side) => ({
          stage: (side + 1) as 1 | 2 | 3,
          mode: entry.stages[side].mode,
          oid: entry.stages[side].oid,
        }));
}

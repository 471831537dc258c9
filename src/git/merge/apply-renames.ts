import { mergeVersions } from "./merge-content.ts";
import { isSameVersion, nothing, regularType, typeOfMode, type Changer, type MergePath } from "./merge-path.ts";
import type { MergeState } from "./merge-state.ts";
import type { Rename } from "./directory-renames.ts";

/**
 * Brings the versions of renamed files together at their new paths, where they are merged later on; what cannot be
 * brought together is noted as a conflict. Yields now and then. Throws as `mergeVersions`.
 */
export function* applyRenames(state: MergeState, renames: readonly Rename[]): Generator<void, void> {
  for (let at = 0; at < renames.length; at++) {
    const rename = renames[at]!;
    const source = state.paths.get(rename.from);
    // Nothing depends on a file that the other side left alone, or whose directory was decided as a whole.
    if (source === undefined || source.clean) {
      continue;
    }
    const next = renames[at + 1];
    if (next !== undefined && next.from === rename.from) {
      renamedTwice(state, source, rename, next);
      at++;
    } else {
      renamedOnce(state, source, rename);
    }
    yield;
  }
}

/** Both sides renamed the file. */
function renamedTwice(state: MergeState, source: MergePath, left: Rename, right: Rename): void {
  const ours = state.paths.get(left.to)!;
  const theirs = state.paths.get(right.to)!;
  if (left.to === right.to) {
    ours.stages[0] = source.stages[0];
    ours.fileMask |= 1;
    source.decide(nothing);
    return;
  }
  const versions = [source.stages[0], ours.stages[1], theirs.stages[2]] as const;
  const merged = mergeVersions(state, left.from, versions, [left.from, left.to, right.to], 1 + 2 * state.depth);
  const tookOurs = !merged.clean && isSameVersion(merged.version, versions[1]);
  ours.stages[1] = merged.version;
  // A file that cannot be merged keeps at each path the content that its side gave it.
  theirs.stages[2] = tookOurs ? versions[2] : merged.version;
  source.pathConflict = ours.pathConflict = theirs.pathConflict = true;
  state.note(left.from, "rename/rename");
}

function renamedOnce(state: MergeState, source: MergePath, { side, from, to }: Rename): void {
  const target = state.paths.get(to)!;
  const other: Changer = side === 1 ? 2 : 1;
  const deleted = source.fileMask === 1;
  const retyped = !deleted && isRegular(source, other) !== isRegular(target, side);
  // A file of another type at the old path is not what was renamed: the file at the new path is, on both sides.
  const collides = (target.fileMask & (1 << other)) !== 0 && !retyped;
  if (collides && !deleted) {
    const ours = side === 1 ? target : source;
    const theirs = side === 1 ? source : target;
    const origins: [string, string, string] = side === 1 ? [from, to, from] : [from, from, to];
    const merged = mergeVersions(
      state,
      from,
      [source.stages[0], ours.stages[1], theirs.stages[2]],
      origins,
      1 + 2 * state.depth,
    );
    target.stages[side] = merged.version;
    if (!merged.clean) {
      state.note(to, "rename/collision");
    }
  } else if (collides) {
    target.pathConflict = true;
    state.note(to, "rename/delete");
  } else {
    target.stages[0] = source.stages[0];
    target.fileMask |= 1;
    target.origins[0] = from;
    if (retyped) {
      source.stages[0] = nothing;
      source.fileMask &= 6;
    } else if (deleted) {
      target.pathConflict = true;
      state.note(to, "rename/delete");
    } else {
      target.stages[other] = source.stages[other];
      target.fileMask |= 1 << other;
      target.origins[other] = from;
    }
  }
  if (!retyped) {
    source.decide(nothing);
  }
}

function isRegular(entry: MergePath, side: Changer): boolean {
  return typeOfMode(entry.stages[side].mode) === regularType;
}

import { isBinary } from "../diff/line-counts.ts";
import { ObjectType } from "../objects/object-type.ts";
import { linkType, regularType, submoduleType, typeOfMode, type Version } from "./merge-path.ts";
import type { MergeState } from "./merge-state.ts";
import { mergeText } from "./merge-text.ts";

/** A larger file is not merged line by line but as a binary one. */
const maxTextBytes = 16 * 1024 * 1024;
const none = new Uint8Array(0);

export interface MergedVersion {
  readonly version: Version;
  readonly clean: boolean;
}

/**
 * Merges three versions of one file (or link, or submodule: ours and theirs have to be of one type). `origins` are the
 * paths that they come from; markers of conflicts are longer by `extraMarkers`, for texts that may hold some already.
 * Throws MissingObject, CorruptObject, CorruptPack, DiffTooCostly.
 */
export function mergeVersions(
  state: MergeState,
  path: string,
  [base, ours, theirs]: readonly [Version, Version, Version],
  origins: readonly [string, string, string],
  extraMarkers: number,
): MergedVersion {
  const mode = ours.mode === theirs.mode || ours.mode === base.mode ? theirs.mode : ours.mode;
  const modeClean = mode === theirs.mode || theirs.mode === base.mode;
  if (!modeClean) {
    state.note(path, "mode");
  }
  if (ours.oid === theirs.oid || ours.oid === base.oid) {
    return { version: { mode, oid: theirs.oid }, clean: modeClean };
  }
  if (theirs.oid === base.oid) {
    return { version: { mode, oid: ours.oid }, clean: modeClean };
  }
  const sameType = typeOfMode(base.mode) === typeOfMode(ours.mode);
  switch (typeOfMode(ours.mode)) {
    case regularType: {
      const merged = mergeFiles(state, path, [sameType ? base.oid : "", ours.oid, theirs.oid], origins, extraMarkers);
      return { version: { mode, oid: merged.oid }, clean: modeClean && merged.clean };
    }
    case submoduleType:
      state.note(path, "submodule");
      // The history of a submodule is elsewhere, so nothing says which of two commits is the later one.
      return { version: state.depth === 0 ? { mode, oid: ours.oid } : base, clean: false };
    case linkType:
    default:
      return { version: state.depth === 0 ? { mode, oid: ours.oid } : base, clean: false };
  }
}

function mergeFiles(
  state: MergeState,
  path: string,
  oids: readonly [string, string, string],
  origins: readonly [string, string, string],
  extraMarkers: number,
): { oid: string; clean: boolean } {
  const { objects, labels } = state;
  const { driver, markerSize } = state.attributes.of(path);
  const read = (oid: string): Uint8Array => (oid === "" ? none : objects.content(oid, ObjectType.blob));
  // By their sizes first: what is too large is not read.
  const isText = driver !== "binary" && oids.every((oid) => oid === "" || objects.sizeOf(oid) <= maxTextBytes);
  const [base, ours, theirs] = isText ? ([read(oids[0]), read(oids[1]), read(oids[2])] as const) : [none, none, none];
  if (!isText || isBinary(base) || isBinary(ours) || isBinary(theirs)) {
    if (state.depth > 0) {
      // Among common ancestors what was there before stands for both.
      return { oid: oids[0] === "" ? objects.add(ObjectType.blob, none) : oids[0], clean: true };
    }
    state.note(path, "binary");
    return { oid: oids[1], clean: false };
  }
  const moved = origins[0] !== origins[1] || origins[1] !== origins[2];
  const label = (name: string, side: 0 | 1 | 2): string =>
    moved ? `${name}:${Buffer.from(origins[side], "latin1").toString()}` : name;
  const merged = mergeText(base, ours, theirs, {
    level: "zealous",
    favor: driver === "union" ? "union" : null,
    style: "merge",
    algorithm: "histogram",
    markerSize: markerSize + extraMarkers,
    labels: { ours: label(labels.ours, 1), base: label(labels.base, 0), theirs: label(labels.theirs, 2) },
  });
  const like = { oid: oids[1], bytes: ours };
  return { oid: objects.add(ObjectType.blob, merged.bytes, like), clean: driver === "union" || merged.conflicts === 0 };
}

import { followRange } from "../diff/line-places.ts";
import type { FilePair } from "../diff/file-pair.ts";
import type { TextDiff } from "../diff/text-diff.ts";
import type { Steps } from "../job/job.ts";
import { MissingObject } from "../odb/object-database.ts";
import { changedPairs, textDiffOf } from "./line-hunks.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface FollowLinesArgs {
  /** hexadecimal oid of a commit or tree */
  readonly to: string;
  readonly lines: readonly (LinePlace & { readonly from: string })[];
}

/** Where a line is, from 1, with so many lines before it. */
export interface LinePlace {
  readonly path: string;
  readonly line: number;
  readonly extraLines: number;
}

interface Compared {
  readonly pairs: readonly FilePair[];
  readonly diffs: Map<FilePair, TextDiff | null>;
}

/**
 * Where lines of files are in another tree, each from its own one, also in a renamed file. null: a line was changed or removed,
 * or the objects of `from` are gone. Throws MissingObject (for `to`), CorruptObject, CorruptPack.
 */
export function* followLines({ odb }: OpenRepository, args: FollowLinesArgs): Steps<readonly (LinePlace | null)[]> {
  const compared = new Map<string, Compared | null>();
  const places: (LinePlace | null)[] = [];
  for (const { from, ...place } of args.lines) {
    if (!compared.has(from)) {
      compared.set(from, yield* compareFrom(from));
    }
    const comparison = compared.get(from) ?? null;
    places.push(comparison === null ? null : placeIn(comparison, place));
    yield;
  }
  return places;

  function* compareFrom(from: string): Steps<Compared | null> {
    if (odb.findHex(from) < 0) {
      return null;
    }
    try {
      return { pairs: yield* changedPairs(odb, from, args.to), diffs: new Map() };
    } catch (error) {
      if (error instanceof MissingObject && odb.findHex(args.to) >= 0) {
        return null;
      }
      throw error;
    }
  }

  function placeIn({ pairs, diffs }: Compared, at: LinePlace): LinePlace | null {
    const { path, line, extraLines } = at;
    const pair = pairs.find((one) => one.before?.path === path && one.status !== "copied");
    if (pair === undefined) {
      return at;
    }
    if (pair.after === null || pair.status === "retyped") {
      return null;
    }
    const diff = diffs.get(pair) ?? textDiffOf(odb, pair);
    diffs.set(pair, diff);
    const place = diff === null ? null : followRange(diff.changes, line, extraLines);
    return place === null ? null : { path: pair.after.path, line: place.line, extraLines: place.extra };
  }
}

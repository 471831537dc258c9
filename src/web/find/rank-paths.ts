/** A path that matches, and where: [from, to) in UTF-16 code units. */
export interface RankedPath {
  readonly path: string;
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

interface Scored extends RankedPath {
  readonly score: number;
}

/**
 * Where a path has the characters of `wanted` in their order: from the end, so that the name of the file counts before its
 * directories. null if it has not all of them.
 */
function rangesOf(path: string, wanted: string): [number, number][] | null {
  const ranges: [number, number][] = [];
  let at = path.length;
  for (let index = wanted.length - 1; index >= 0; index--) {
    at = path.lastIndexOf(wanted[index] ?? "", at - 1);
    if (at < 0 || (at === 0 && index > 0)) {
      return null;
    }
    const last = ranges.at(-1);
    if (last?.[0] === at + 1) {
      last[0] = at;
    } else {
      ranges.push([at, at + 1]);
    }
  }
  return ranges.toReversed();
}

function score(path: string, wanted: string): Scored | null {
  const lower = path.toLowerCase();
  // A few letters change their length with their case: such a path matches as it is written.
  const text = lower.length === path.length ? lower : path;
  const name = text.lastIndexOf("/") + 1;
  const whole = [text.indexOf(wanted, name), text.lastIndexOf(wanted)].find((at) => at >= 0);
  if (whole !== undefined) {
    const isName = whole >= name;
    const starts = whole === name || whole === 0 || /[^a-z0-9]/.test(text[whole - 1] ?? "");
    const bonus =
      (isName ? 4000 : 2000) + (starts ? 1000 : 0) + (isName && whole + wanted.length === text.length ? 500 : 0);
    return { path, ranges: [[whole, whole + wanted.length]], score: bonus - path.length };
  }
  const ranges = rangesOf(text, wanted);
  return ranges === null ? null : { path, ranges, score: 1000 - 50 * ranges.length - path.length };
}

/** The paths that have the characters of a query in their order, the best first; with an empty query the first ones. */
export function rankPaths(paths: readonly string[], query: string, limit: number): RankedPath[] {
  const wanted = query.toLowerCase().replaceAll(/\s+/g, "");
  if (wanted === "") {
    return paths.slice(0, limit).map((path) => ({ path, ranges: [] }));
  }
  const found: Scored[] = [];
  for (const path of paths) {
    const one = score(path, wanted);
    if (one !== null) {
      found.push(one);
    }
  }
  return found.sort((a, b) => b.score - a.score).slice(0, limit);
}

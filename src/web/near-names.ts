/** Names are compared up to so many UTF-16 code units, and so many of them. */
const comparedLength = 200;
const mostCompared = 20_000;
/** How alike a name has to be, from 0 to 1. */
const leastAlike = 0.4;

/** The pairs of characters that follow each other in a name, each with how often; capitals do not count. */
function pairsOf(name: string): Map<string, number> {
  const text = ` ${name.slice(0, comparedLength).toLowerCase()} `;
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** How alike two names are, from 0 to 1: the pairs that they share (Dice's coefficient). */
function likeness(wanted: ReadonlyMap<string, number>, wantedPairs: number, name: string): number {
  const pairs = pairsOf(name);
  let shared = 0;
  for (const [pair, count] of pairs) {
    shared += Math.min(count, wanted.get(pair) ?? 0);
  }
  return (2 * shared) / (wantedPairs + Math.min(name.length, comparedLength) + 1);
}

/**
 * The names that somebody may have meant, the nearest first. For what is missing: branches, tags, paths. Only the first 20,000 names are
 * looked at.
 */
export function nearNames(wanted: string, names: Iterable<string>, most = 5): string[] {
  const pairs = pairsOf(wanted);
  const wantedPairs = Math.min(wanted.length, comparedLength) + 1;
  const found: { name: string; alike: number }[] = [];
  let compared = 0;
  for (const name of names) {
    if (compared++ >= mostCompared) {
      break;
    }
    const alike = likeness(pairs, wantedPairs, name);
    if (alike >= leastAlike) {
      found.push({ name, alike });
    }
  }
  return found
    .toSorted((one, other) => other.alike - one.alike)
    .slice(0, most)
    .map(({ name }) => name);
}

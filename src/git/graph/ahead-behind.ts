import { GenerationQueue, type Generations } from "./generations.ts";

export interface AheadBehind {
  /** commits that the tip reaches and the base does not */
  readonly ahead: number;
  /** commits that the base reaches and the tip does not */
  readonly behind: number;
  /** false: the walk ended before everything was counted, and there may be more of both */
  readonly isWhole: boolean;
}

/** Pairs of positions of commits. */
export interface CommitPair {
  readonly base: number;
  readonly tip: number;
}

/** Commits that are told apart in one walk: each commit of the history then carries so many bits while it is queued. */
const commitsAtOnce = 1024;

/**
 * For each pair what `git rev-list --left-right --count base...tip` counts, all in one walk (one for some hundred pairs).
 * A walk looks at `most` commits. Yields now and then. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* countAheadBehind(
  generations: Generations,
  pairs: readonly CommitPair[],
  most = Number.POSITIVE_INFINITY,
): Generator<void, AheadBehind[]> {
  yield* generations.reckon(pairs.flatMap(({ base, tip }) => [base, tip]));
  const counts: AheadBehind[] = [];
  for (let at = 0; at < pairs.length; at += commitsAtOnce / 2) {
    counts.push(...(yield* countTogether(generations, pairs.slice(at, at + commitsAtOnce / 2), most)));
  }
  return counts;
}

function* countTogether(
  generations: Generations,
  pairs: readonly CommitPair[],
  most: number,
): Generator<void, AheadBehind[]> {
  const { graph } = generations;
  const tips = [...new Set(pairs.flatMap(({ base, tip }) => [base, tip]))];
  const bits = new Map(tips.map((tip, bit) => [tip, bit]));
  const bases = Int32Array.from(pairs, ({ base }) => bits.get(base)!);
  const own = Int32Array.from(pairs, ({ tip }) => bits.get(tip)!);
  const ahead = new Int32Array(pairs.length);
  const behind = new Int32Array(pairs.length);
  const words = (tips.length + 31) >>> 5;
  /** by queued commit: which of the tips reach it */
  const reaching = new Map<number, Uint32Array>();
  const full = new Uint32Array(words).fill(0xffffffff);
  full[words - 1] = tips.length % 32 === 0 ? 0xffffffff : 2 ** (tips.length % 32) - 1;
  const queue = new GenerationQueue(generations);
  /** queued commits that some tip does not reach: behind others nothing differs */
  let open = 0;
  const isFull = (set: Uint32Array): boolean => set.every((word, at) => word === full[at]);
  const add = (position: number, from: Uint32Array): void => {
    const present = reaching.get(position);
    if (present === undefined) {
      reaching.set(position, from.slice());
      queue.push(position);
      open += isFull(from) ? 0 : 1;
    } else if (!isFull(present)) {
      for (let word = 0; word < words; word++) {
        present[word]! |= from[word]!;
      }
      open -= isFull(present) ? 1 : 0;
    }
  };
  for (const [tip, bit] of bits) {
    const alone = new Uint32Array(words);
    alone[bit >>> 5] = 1 << (bit & 31);
    add(tip, alone);
  }
  for (let looked = 1; open > 0 && looked <= most; looked++) {
    const position = queue.pop();
    const set = reaching.get(position)!;
    reaching.delete(position);
    if (!isFull(set)) {
      open--;
      for (let pair = 0; pair < bases.length; pair++) {
        const inBase = (set[bases[pair]! >>> 5]! >>> (bases[pair]! & 31)) & 1;
        const inTip = (set[own[pair]! >>> 5]! >>> (own[pair]! & 31)) & 1;
        ahead[pair]! += inTip & ~inBase;
        behind[pair]! += inBase & ~inTip;
      }
    }
    for (let index = 0; index < graph.parentCount(position); index++) {
      add(graph.parentAt(position, index), set);
    }
    if ((looked & 0x1f) === 0) {
      yield;
    }
  }
  return pairs.map((_, pair) => ({ ahead: ahead[pair]!, behind: behind[pair]!, isWhole: open === 0 }));
}

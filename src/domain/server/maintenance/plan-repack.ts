import type { LinkedPack, MaintainedPack } from "../../git/packs/queries.ts";

const MiB = 1024 * 1024;

/** A pack stays out of a repack as long as it is this many times as large as all smaller ones together. */
const factor = 2;
/** A repository up to this size is always brought into one pack: that costs next to nothing. */
const smallBytes = 4 * MiB;

export interface RepackPlan {
  /** which packs are put together */
  readonly packs: readonly LinkedPack[];
  /** all the packs there are */
  readonly whole: boolean;
  /** whether deltas are looked for where objects are stored whole */
  readonly search: boolean;
}

/**
 * Selects packs to combine so that the sizes of a repository's packs stay a geometric progression: the smallest packs
 * up to the first that is larger than twice the sum of the smaller ones. Then there are never more packs than the
 * logarithm of the repository's size, and an object is copied as seldom as that. If all packs are selected, the
 * repository has grown by half since its last full repack, and gets another one. null: nothing to do. A small
 * repository is always combined into one pack, except a fork that shares packs with others: otherwise each of a
 * thousand forks would store all of it again for one commit.
 */
export function planRepack(packs: readonly MaintainedPack[]): RepackPlan | null {
  const sorted = packs.toSorted((left, right) => left.bytes - right.bytes);
  const total = sorted.reduce((sum, { bytes }) => sum + bytes, 0);
  let chosen = 0;
  let sum = 0;
  sorted.forEach(({ bytes }, index) => {
    if (bytes < factor * sum) {
      chosen = index + 1;
    }
    sum += bytes;
  });
  if (chosen === sorted.length && chosen > 1) {
    return { packs, whole: true, search: true };
  }
  if (sorted.length > 1 && total <= smallBytes && !packs.some(({ shared }) => shared)) {
    return { packs, whole: true, search: false };
  }
  return chosen > 1 ? { packs: sorted.slice(0, chosen), whole: false, search: false } : null;
}

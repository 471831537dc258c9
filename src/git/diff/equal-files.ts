import { isRegularFile } from "./file-pair.ts";

/** At most this many equal files are examined to find the best one. */
const maxExamined = 100;

/**
 * Returns the key by which equal files are found. An entry that is not a regular file equals only entries of its kind.
 */
export function contentKey(oid: string, mode: number): string {
  return isRegularFile(mode) ? oid : `${oid} ${mode}`;
}

/**
 * Files that are equal, in order, of which those that are taken are gone. There may be a hundred thousand: to pass over
 * the taken ones each time, or to move all that are behind one, would take minutes.
 */
export class EqualFiles<File> {
  #first = 0;

  constructor(private readonly files: File[]) {}

  /** Returns the place of the first file with the highest score among the first hundred; -1 if there is none. */
  best(score: (file: File) => number, highest: number): number {
    let best = -1;
    let bestScore = Number.NEGATIVE_INFINITY;
    const end = Math.min(this.files.length, this.#first + maxExamined);
    for (let at = this.#first; at < end && bestScore < highest; at++) {
      const own = score(this.files[at]!);
      if (own > bestScore) {
        best = at;
        bestScore = own;
      }
    }
    return best;
  }

  at(place: number): File {
    return this.files[place]!;
  }

  /** The file at a place, which then is gone; the order of the others stays. */
  take(place: number): File {
    const file = this.files[place]!;
    this.files.copyWithin(this.#first + 1, this.#first, place);
    this.#first++;
    return file;
  }
}

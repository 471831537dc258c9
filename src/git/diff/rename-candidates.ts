/** A source that a target may come from. */
export interface RenameCandidate<Source, Target> {
  readonly source: Source;
  readonly target: Target;
  readonly score: number;
  /** 1 when both have the same name, else 0 */
  readonly sameName: number;
}

const kept = 4;

/**
 * The best sources of one target. It keeps four, as git does, which decides who is taken when better ones are gone; and
 * like git it keeps them in the order in which they replaced one another, which decides between equals.
 */
export class CandidateList<Source, Target> {
  readonly #slots: (RenameCandidate<Source, Target> | null)[] = Array.from({ length: kept }, () => null);

  offer(candidate: RenameCandidate<Source, Target>): void {
    let worst = 0;
    for (let slot = 1; slot < kept; slot++) {
      if (compare(this.#slots[slot]!, this.#slots[worst]!) > 0) {
        worst = slot;
      }
    }
    if (compare(this.#slots[worst]!, candidate) > 0) {
      this.#slots[worst] = candidate;
    }
  }

  items(): RenameCandidate<Source, Target>[] {
    return this.#slots.filter((slot) => slot !== null);
  }
}

/** Positive when the left one is worse; an empty place is worse than anything, even than another empty place. */
function compare<Source, Target>(
  left: RenameCandidate<Source, Target> | null,
  right: RenameCandidate<Source, Target> | null,
): number {
  if (left === null) {
    return right === null ? 0 : 1;
  }
  if (right === null) {
    return -1;
  }
  return right.score - left.score || right.sameName - left.sameName;
}

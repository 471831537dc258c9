import type { MoveQuestion } from "../../../git/operations/examine-moves.ts";
import { StithyError } from "../../../lib/errors.ts";

/** A question about a move that needs more than its oids, and that takes reading objects. */
export type FactQuestion = MoveQuestion;

export type Fact =
  | { readonly kind: "yes-or-no"; readonly yes: boolean }
  /** The first file that was asked for; null for none. */
  | { readonly kind: "file"; readonly path: string | null }
  /** The first commit, in the order of `git log`, without a verified signature; null for none. */
  | { readonly kind: "unsigned"; readonly commit: string | null }
  /** There is more to look through than a rule does. */
  | { readonly kind: "too-many" };

/**
 * The facts about the moves of a unit of work. Objects are not read while the repository is locked. A rule asks here,
 * and an unknown fact is recorded. The unit of work then ends with FactsNeeded, and `forge.change` finds the facts and
 * runs the work again.
 */
export class Facts {
  /** The questions without an answer, each once. */
  private readonly unknown = new Map<string, FactQuestion>();

  constructor(private readonly known: ReadonlyMap<string, Fact> = new Map()) {}

  get missing(): FactQuestion[] {
    return [...this.unknown.values()];
  }

  /** null where it is not known yet: then what the caller decides does not count. */
  ask(question: FactQuestion): Fact | null {
    const fact = this.known.get(keyOf(question)) ?? null;
    if (fact === null) {
      this.unknown.set(keyOf(question), question);
    }
    return fact;
  }

  /** These facts and more of them. */
  with(found: readonly (readonly [FactQuestion, Fact])[]): Facts {
    return new Facts(new Map([...this.known, ...found.map(([question, fact]) => [keyOf(question), fact] as const)]));
  }
}

function keyOf(question: FactQuestion): string {
  const { ask, from, to } = question;
  return JSON.stringify([ask, from, to, "patterns" in question ? question.patterns : ""]);
}

/** Rules need more facts about the moves. `forge.change` handles it, so its callers never see it. */
export class FactsNeeded extends StithyError {
  constructor(
    readonly repositoryId: number,
    readonly questions: readonly FactQuestion[],
  ) {
    super("busy", "facts-needed", "The rules of the repository changed while they were applied; try again");
  }
}

import type { SeededRandom } from "../../support/random.ts";
import type { SweptHistory } from "./swept-history.ts";

/** What one side says, as text or bytes that can be held against those of the other; null where it could not answer. */
export type Said = string | Uint8Array | null;

/** One question that was put to both. */
export interface Asked {
  /** git's arguments that ask it, for whoever wants to see its answer */
  readonly command: readonly string[];
  /** null: left out, for git itself cannot answer (objects that a snapshot lacks) */
  readonly git: Promise<Said>;
  readonly ours: Promise<Said>;
}

/** A kind of question that git and the engine should answer alike. */
export interface SweepQuestion {
  /** The question of a number, from 0; null where the random numbers led to nothing that can be asked. */
  ask(history: SweptHistory, random: SeededRandom, number: number): Promise<Asked | null>;
}

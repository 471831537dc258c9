import type { Watched } from "../../domain/work/times/stopwatch-queries.ts";
import type { Marks } from "../../domain/identity/social/queries.ts";

/** What the frame shows of the visitor. */
export interface Standing {
  /** How many notifications they have not read. */
  readonly unread: number;
  /** What they did to the repository that the address names; null: there is none, or nobody is signed in. */
  readonly marks: Marks | null;
  /** The stopwatch that they have running; null: none. */
  readonly stopwatch: Watched | null;
}

/** Nothing is shown of a visitor who is not signed in. */
export const noStanding: Standing = { unread: 0, marks: null, stopwatch: null };

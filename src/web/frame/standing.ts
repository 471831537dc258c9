import type { Marks } from "../../domain/identity/social/queries.ts";

/** What the frame shows of the visitor. */
export interface Standing {
  /** How many notifications they have not read. */
  readonly unread: number;
  /** What they did to the repository that the address names; null: there is none, or nobody is signed in. */
  readonly marks: Marks | null;
}

/** Nothing is shown of a visitor who is not signed in. */
export const noStanding: Standing = { unread: 0, marks: null };

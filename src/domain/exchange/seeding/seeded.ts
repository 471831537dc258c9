/** The result of a part of a seed. */
export interface Seeded {
  readonly made: number;
  /** Was there already. */
  readonly skipped: number;
}

import { StithyError } from "../../lib/errors.ts";

/** Two texts are so different, and so repetitive, that comparing them would take too long. */
export class DiffTooCostly extends StithyError {
  constructor() {
    super("diff-too-costly", "Cannot compare two texts: it would take too long");
  }
}

/** About a second of comparing lines: in large texts each step waits for memory. */
const defaultSteps = 150_000_000;

/** How much work one comparison may still do. */
export class DiffEffort {
  constructor(private left: number = defaultSteps) {}

  /** Throws DiffTooCostly when nothing is left. */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) {
      throw new DiffTooCostly();
    }
  }
}

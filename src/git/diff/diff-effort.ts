import { StithyError } from "../../lib/errors.ts";
import { demandHeavyLane, isLightLane } from "../job/lane.ts";

/** Two texts are so different, and so repetitive, that comparing them would take too long. */
export class DiffTooCostly extends StithyError {
  constructor() {
    super("too-large", "diff-too-costly", "Cannot compare two texts: it would take too long");
  }
}

/** About a second of comparing lines: in large texts each step waits for memory. */
const defaultSteps = 150_000_000;
/** Work up to this is done at once in a thread that others wait for: about 30 ms. */
const lightSteps = 4_000_000;

/** How much work one comparison may still do. */
export class DiffEffort {
  constructor(private left: number = isLightLane() ? lightSteps : defaultSteps) {}

  /** Throws DiffTooCostly when nothing is left, NeedsHeavyLane where there is more in the heavy lane. */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) {
      demandHeavyLane();
      throw new DiffTooCostly();
    }
  }
}

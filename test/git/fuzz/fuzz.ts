import { StithyError } from "../../../src/lib/errors.ts";
import { randomFrom } from "../../support/random.ts";
import { WrongAnswer, type FuzzTarget } from "./fuzz-target.ts";

export interface FuzzOptions {
  readonly runs: number;
  readonly seed: number;
  /** The number of the first run: a finding is repeated by starting at it. */
  readonly first?: number;
  readonly limits?: Partial<FuzzLimits>;
  /** Called before each run. */
  readonly onRun?: (run: number) => void;
}

export interface FuzzLimits {
  /** For one run; generous, since machines pause. */
  readonly milliseconds: number;
  /** What the process may hold beyond what it held at the beginning, looked at every 256 runs. */
  readonly bytes: number;
}

export interface FuzzSummary {
  readonly runs: number;
  readonly taken: number;
  readonly refused: number;
}

/** Something that must not happen: with what brought it about, to be repeated and to become a fixture. */
export class FuzzFinding extends Error {
  constructor(
    readonly target: string,
    readonly run: number,
    readonly input: Uint8Array,
    seed: number,
    cause: unknown,
  ) {
    super(
      `${target}, run ${run} of seed ${seed}: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`,
      { cause },
    );
    this.name = "FuzzFinding";
  }
}

const defaultLimits: FuzzLimits = { milliseconds: 5000, bytes: 600 * 1024 * 1024 };
const settleEvery = 500;
const lookEvery = 256;

/** Runs a target so many times, each run with random numbers of its own. Throws FuzzFinding at the first thing that is wrong. */
export async function fuzz(
  target: FuzzTarget,
  { runs, seed, first = 0, limits: own = {}, onRun }: FuzzOptions,
): Promise<FuzzSummary> {
  const limits = { ...defaultLimits, ...own };
  const before = process.memoryUsage.rss();
  let taken = 0;
  let input: Uint8Array = new Uint8Array(0);
  for (let run = first; run < first + runs; run++) {
    onRun?.(run);
    try {
      input = target.make(randomFrom(Math.imul(seed, 0x9e3779b1) ^ run));
      const from = performance.now();
      taken += (await runOnce(target, input)) === "taken" ? 1 : 0;
      const spent = performance.now() - from;
      if (spent > limits.milliseconds) {
        throw new WrongAnswer(`It took ${Math.round(spent)} ms`);
      }
      if (run % lookEvery === 0) {
        checkMemory(before, limits.bytes);
      }
      if ((run - first + 1) % settleEvery === 0 || run + 1 === first + runs) {
        target.settle?.();
      }
    } catch (error) {
      throw new FuzzFinding(
        target.name,
        run,
        error instanceof WrongAnswer ? (error.input ?? input) : input,
        seed,
        error,
      );
    }
  }
  return { runs, taken, refused: runs - taken };
}

async function runOnce(target: FuzzTarget, input: Uint8Array): Promise<"taken" | "refused"> {
  try {
    return await target.run(input);
  } catch (error) {
    if (error instanceof StithyError) {
      return "refused";
    }
    throw error;
  }
}

function checkMemory(before: number, limit: number): void {
  if (process.memoryUsage.rss() - before > limit) {
    // What is garbage only is no finding.
    Bun.gc(true);
    const more = process.memoryUsage.rss() - before;
    if (more > limit) {
      throw new WrongAnswer(`The process holds ${Math.round(more / 1e6)} MB more than at the beginning`);
    }
  }
}

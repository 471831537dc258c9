import type { SeededRandom } from "../../support/random.ts";

/** What was made of an input. A refusal is an error that the code threw on purpose. */
export type Verdict = "taken" | "refused";

/** One parser or one path through the engine that takes bytes from outside. */
export interface FuzzTarget extends Disposable {
  readonly name: string;
  /** Makes an input: mostly a damaged copy of something well formed. */
  make(random: SeededRandom): Uint8Array;
  /**
   * Takes an input. Throws StithyError to refuse it; any other error is a finding, and so is WrongAnswer for what was
   * taken and is not what the oracle says.
   */
  run(input: Uint8Array): Verdict | Promise<Verdict>;
  /** Compares what has piled up with an oracle that is asked for many inputs at once. */
  settle?(): void;
}

/** Bytes were taken that should not have been, or were understood in another way than by the oracle. */
export class WrongAnswer extends Error {
  constructor(
    message: string,
    /** The input to blame, where it is not the last one. */
    readonly input?: Uint8Array,
  ) {
    super(message);
    this.name = "WrongAnswer";
  }
}

export function expectSame(what: string, actual: unknown, expected: unknown): void {
  if (!Bun.deepEquals(actual, expected, true)) {
    throw new WrongAnswer(`${what}: ${short(actual)} instead of ${short(expected)}`);
  }
}

function short(value: unknown): string {
  return value instanceof Uint8Array
    ? `${value.length} bytes ${Buffer.from(value.subarray(0, 40)).toString("hex")}`
    : Bun.inspect(value).slice(0, 400);
}

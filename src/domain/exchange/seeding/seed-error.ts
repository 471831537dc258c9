import { StithyError } from "../../../lib/errors.ts";

/** Everything that is wrong with a seed; each problem begins with its place, such as `repositories[2].owner`. */
export class SeedError extends StithyError {
  constructor(
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(
      "invalid",
      "seed",
      `The seed is not valid:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`,
      { problems },
      options,
    );
  }
}

/** Runs a step for one place of the seed: what the forge refuses there becomes a SeedError that names it. */
export async function atPlace<Result>(place: string, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof StithyError && !(error instanceof SeedError)) {
      throw new SeedError([`${place}: ${error.message}`], { cause: error });
    }
    throw error;
  }
}

import { expect, test } from "bun:test";
import { fuzz } from "./fuzz.ts";
import { fuzzTargets } from "./targets.ts";

/** A thousand damaged inputs for each parser, the same in every run; `bun test/git/fuzz/main.ts` has millions. */

test.each(Object.keys(fuzzTargets))("a thousand damaged inputs: %s", async (name) => {
  using target = fuzzTargets[name]!(50);
  const { runs, taken, refused } = await fuzz(target, { runs: 1000, seed: 20_261_121 });
  expect(runs).toBe(1000);
  // Inputs that are all refused, or all taken, would test little, but where that is the rule.
  expect(name === "damaged-pack" || taken > 0).toBe(true);
  expect(name === "sideband" || name === "pack-index" || refused > 0).toBe(true);
});

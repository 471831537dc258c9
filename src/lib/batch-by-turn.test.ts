import { describe, expect, test } from "bun:test";
import { batchByTurn } from "./batch-by-turn.ts";

/** Doubles numbers, and notes which it was asked for together. */
function doubler(limit = 100) {
  const calls: number[][] = [];
  const ask = batchByTurn((inputs: readonly number[]) => {
    calls.push([...inputs]);
    return inputs.includes(0)
      ? Promise.reject(new Error("no zero"))
      : Promise.resolve(inputs.map((input) => 2 * input));
  }, limit);
  return { calls, ask };
}

describe("what is asked for in one turn", () => {
  test("is one call, and everybody gets their own", async () => {
    const { calls, ask } = doubler();
    expect(await Promise.all([1, 2, 3].map(ask))).toEqual([2, 4, 6]);
    expect(calls).toEqual([[1, 2, 3]]);
  });

  test("is asked for anew in the next turn, even if it is the same", async () => {
    const { calls, ask } = doubler();
    expect(await ask(1)).toBe(2);
    expect(await ask(1)).toBe(2);
    expect(calls).toEqual([[1], [1]]);
  });

  test("is divided where it is too much for one call", async () => {
    const { calls, ask } = doubler(2);
    expect(await Promise.all([1, 2, 3, 4, 5].map(ask))).toEqual([2, 4, 6, 8, 10]);
    expect(calls).toEqual([[1, 2], [3, 4], [5]]);
  });

  test("fails for all of it, and for nobody else", async () => {
    const { ask } = doubler();
    const results = await Promise.allSettled([ask(1), ask(0)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await ask(3)).toBe(6);
  });
});

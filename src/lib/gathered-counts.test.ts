import { expect, test } from "bun:test";
import { GatheredCounts } from "./gathered-counts.ts";

test("what is counted while a batch is written comes with the next one", async () => {
  const written: [string, number][][] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const counts = new GatheredCounts<string>(async (batch) => {
    written.push([...batch]);
    await gates[written.length - 1]?.promise;
  });
  const first = [counts.count("a"), counts.count("a"), counts.count("b")];
  await Promise.resolve();
  await Promise.resolve();
  const second = [counts.count("a"), counts.count("c")];
  expect(written).toEqual([
    [
      ["a", 2],
      ["b", 1],
    ],
  ]);
  gates[0]?.resolve();
  await Promise.all(first);
  gates[1]?.resolve();
  await Promise.all(second);
  expect(written[1]).toEqual([
    ["a", 1],
    ["c", 1],
  ]);
});

import { expect, test } from "bun:test";
import { nextTurn } from "./turns.ts";

test("however many wait for a turn, one of them goes on in each round of the event loop", async () => {
  let turns = 0;
  const busy = Array.from({ length: 20 }, async () => {
    for (let step = 0; step < 10; step++) {
      await nextTurn();
      turns++;
    }
  });
  const between: number[] = [];
  for (let seen = 0; seen < 200;) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    between.push(turns - seen);
    seen = turns;
  }
  await Promise.all(busy);
  expect(Math.max(...between)).toBe(1);
});

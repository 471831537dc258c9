import { afterAll, beforeAll, expect, test } from "bun:test";
import { generateHistory, type GeneratedHistory } from "../generated-history.ts";
import { sweepQuestions } from "./questions.ts";
import { runSweep } from "./run-sweep.ts";
import { SweptHistory } from "./swept-history.ts";

/** Some questions of each kind on a made history, the same in every run; `bun run sweep:git` puts thousands to real ones. */

let made: GeneratedHistory;
let history: SweptHistory;

beforeAll(async () => {
  made = generateHistory(150, 7);
  history = await SweptHistory.open(made.directory);
});

afterAll(async () => {
  await history[Symbol.asyncDispose]();
  made[Symbol.dispose]();
});

test.each(Object.keys(sweepQuestions))("%s", async (name) => {
  const { asked, differences } = await runSweep(history, sweepQuestions[name]!, { count: 25, seed: 4 });
  expect(differences).toEqual([]);
  expect(asked).toBeGreaterThan(10);
});

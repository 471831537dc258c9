import { expect } from "bun:test";
import type { StithyRun } from "./stithy.ts";

/** Whoever runs a command wants a sentence, not the place in the program. */
export function expectSentence(stderr: string): void {
  expect(stderr).not.toMatch(/^\s+at /m);
}

/** It ended with this code, and said why on standard error alone. */
export function expectFailure(run: StithyRun, code: number, sentence: string): void {
  expect(run.stderr).toContain(sentence);
  expect(run.code).toBe(code);
  expect(run.stdout).toBe("");
  expectSentence(run.stderr);
}

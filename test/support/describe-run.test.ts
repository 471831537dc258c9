import { expect, test } from "bun:test";
import { describeRun, failedFiles } from "./describe-run.ts";

const run = { exitCode: 0, milliseconds: 61_400, processes: 2, durations: [] };

test("a run is summed up: the slowest files, what was left out and why, and how long it took", () => {
  const output = [
    "LEFT OUT: HTTPS, because there is no openssl",
    "(pass) a > b [3.00ms]",
    "LEFT OUT: HTTPS, because there is no openssl",
    " 12 pass",
    " 2 skip",
    " 0 fail",
  ].join("\n");
  expect(
    describeRun({
      ...run,
      output,
      durations: [
        ["a.test.ts", 900],
        ["b.test.ts", 1500],
        ["c.test.ts", 12_040],
      ],
    }),
  ).toBe(
    `
Slowest:
    12.0 s  c.test.ts
     1.5 s  b.test.ts

Left out:
  LEFT OUT: HTTPS, because there is no openssl

Tests: 12 pass, 0 fail, 2 skip, 0 todo; 1 left out; 1 min 1 s in 2 processes`,
  );
});

test("failures are named again, the loss of a process being one of them", () => {
  const output =
    "(fail) a > b [3.00ms]\n✗ c.test.ts (worker crashed: SIGKILL)\n1 tests failed:\n(fail) a > b [3.00ms]\n 3 pass\n 2 fail\n";
  expect(describeRun({ ...run, output, exitCode: 1 })).toBe(
    `
Failed:
  (fail) a > b [3.00ms]
  ✗ c.test.ts (worker crashed: SIGKILL)

Tests: 3 pass, 2 fail, 0 skip, 0 todo; 0 left out; 1 min 1 s in 2 processes`,
  );
});

test("a run that ended without a word is told apart from one without failures", () => {
  expect(describeRun({ ...run, output: "", exitCode: 137 })).toContain("bun test ended with 137\n");
});

test("what failed beside others and passed alone is told, and counts as passed", () => {
  const output =
    "a.test.ts:\n(fail) a > b [3.00ms]\n\nb.test.ts:\n(pass) c\n(fail) d [1.00ms]\n2 tests failed:\n(fail) a > b [3.00ms]\n(fail) d [1.00ms]\n 3 pass\n 2 fail\n";
  expect(failedFiles(output)).toEqual(["a.test.ts", "b.test.ts"]);
  expect(describeRun({ ...run, output, exitCode: 1, unsteady: ["b.test.ts"] })).toBe(
    `
Failed beside others, passed alone: unsteady, to be mended:
  (fail) d [1.00ms] in b.test.ts

Failed:
  (fail) a > b [3.00ms] in a.test.ts

Tests: 4 pass, 1 fail, 0 skip, 0 todo; 0 left out; 1 min 1 s in 2 processes`,
  );
});

import { expect, test } from "bun:test";
import { describeRun, failedFiles } from "./describe-run.ts";

const run = { exitCode: 0, milliseconds: 61_400, processes: 2, durations: [] };

test("a run is summed up: the slowest files, what was left out and why, and how long it took", () => {
  const output = [
    "LEFT OUT: HTTPS, because there is no openssl",
    "(pass) a > b [3.00ms]",
    "LEFT OUT: HTTPS, because there is no openssl",
    " 8 pass",
    " 2 skip",
    " 0 fail",
    "Ran 10 tests across 2 files. [1.00s]",
  ].join("\n");
  expect(
    describeRun({
      ...run,
      outputs: [output, " 4 pass\n 0 fail\nRan 4 tests across 1 file. [1.00s]\n"],
      held: { files: 80, threads: 12, bytes: 3e8 },
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

A process held at most 80 open files, 12 threads, 286 MiB.

Left out:
  LEFT OUT: HTTPS, because there is no openssl

Tests: 12 pass, 0 fail, 2 skip, 0 todo; 1 left out; 1 min 1 s in 2 processes`,
  );
});

test("failures are named again with what was printed before them, the loss of a process being one of them", () => {
  const ended = [
    "a.test.ts:",
    "(pass) a > a [3.00ms]",
    "error: expected",
    "      at a.test.ts:1:2",
    "(fail) a > b [3.00ms]",
    "1 tests failed:",
    "(fail) a > b [3.00ms]",
    " 3 pass",
    " 1 fail",
    "Ran 4 tests across 1 file. [1.00s]",
  ].join("\n");
  const lost =
    "b.test.ts:\n(pass) b [1.00ms]\n(pass) c [1.00ms]\nout of memory\n✗ b.test.ts (its process ended: SIGKILL)\n";
  expect(describeRun({ ...run, outputs: [ended, lost], exitCode: 1 })).toBe(
    `
(fail) a > b [3.00ms] in a.test.ts:
  error: expected
        at a.test.ts:1:2

✗ b.test.ts (its process ended: SIGKILL):
  out of memory

Failed:
  (fail) a > b [3.00ms] in a.test.ts
  ✗ b.test.ts (its process ended: SIGKILL)

Tests: 5 pass, 2 fail, 0 skip, 0 todo; 0 left out; 1 min 1 s in 2 processes`,
  );
});

test("only the first failures have their text repeated, and only its end", () => {
  const texts = Array.from({ length: 40 }, (_, number) => `line ${number}`).join("\n");
  const output = `a.test.ts:\n${["one", "two", "three", "four"].map((name) => `${texts}\n(fail) ${name}\n`).join("")}`;
  const said = describeRun({ ...run, outputs: [output], exitCode: 1 });
  expect(said.match(/^ {2}line \d+$/gm)).toHaveLength(75);
  expect(said.match(/^ {2}line 15$/gm)).toHaveLength(3);
  expect(said).toContain("(fail) three in a.test.ts:\n");
  expect(said).not.toContain("(fail) four in a.test.ts:\n");
});

test("a file that cannot be loaded has failed", () => {
  const output = "a.test.ts:\n\n# Unhandled error between tests\n-----\nerror: load\n-----\n\n 0 pass\n 1 fail\n";
  expect(failedFiles([output])).toEqual(["a.test.ts"]);
  expect(describeRun({ ...run, outputs: [output], exitCode: 1 })).toContain("in a.test.ts:\n  -----\n  error: load\n");
});

test("a run that ended without a word is told apart from one without failures", () => {
  expect(describeRun({ ...run, outputs: [""], exitCode: 137 })).toContain("bun test ended with 137\n");
});

test("what failed beside others and passed alone is told, and counts as passed", () => {
  const output =
    "a.test.ts:\n(fail) a > b [3.00ms]\n\nb.test.ts:\n(pass) c\n(fail) d [1.00ms]\n2 tests failed:\n(fail) a > b [3.00ms]\n(fail) d [1.00ms]\n 3 pass\n 2 fail\nRan 5 tests across 2 files. [1.00s]\n";
  expect(failedFiles([output])).toEqual(["a.test.ts", "b.test.ts"]);
  expect(describeRun({ ...run, outputs: [output], exitCode: 1, unsteady: ["b.test.ts"] })).toBe(
    `
Failed beside others, passed alone: unsteady, to be mended:
  (fail) d [1.00ms] in b.test.ts

Failed:
  (fail) a > b [3.00ms] in a.test.ts

Tests: 4 pass, 1 fail, 0 skip, 0 todo; 0 left out; 1 min 1 s in 2 processes`,
  );
});

test("a run that was stopped says how many files never ran, and nothing of those it cut off has failed", () => {
  const output = "a.test.ts:\n(pass) a\n(pass) b\n";
  const stopped = { cutOff: 1, neverRan: 537, files: 540 };
  expect(describeRun({ ...run, outputs: [output], exitCode: 143, stopped })).toBe(
    `
Stopped: 537 of 540 files never ran, 1 were cut off
Tests: 2 pass, 0 fail, 0 skip, 0 todo; 0 left out; 1 min 1 s in 2 processes`,
  );
});

import { expect, test } from "bun:test";
import { Progress } from "./progress.ts";

const failure = { file: "a.test.ts", line: "(fail) a > b [3.00ms]", text: ["", "error: expected"] };

/** What is written to a screen, whose clock the test sets. */
function screen(isTerminal: boolean) {
  const written = { text: "", now: 1000 };
  const shown = { isTerminal, now: () => written.now, write: (text: string) => (written.text += text) };
  return { written, progress: new Progress(540, shown) };
}

test("a log is told of failures at once, and of the progress every thirty seconds", () => {
  const { written, progress } = screen(false);
  for (let file = 0; file < 90; file++) {
    written.now += 1000;
    progress.fileDone();
  }
  progress.failed(failure);
  progress.clear();
  expect(written.text).toBe(
    "30 of 540 files, 30 s\n60 of 540 files, 1 min 0 s\n90 of 540 files, 1 min 30 s\n\n(fail) a > b [3.00ms] in a.test.ts:\n  error: expected\n\n",
  );
});

test("a terminal has one line of progress, below the failures", () => {
  const { written, progress } = screen(true);
  const line = "\r\u001B[K";
  progress.fileDone();
  progress.failed(failure);
  progress.fileDone();
  progress.clear();
  progress.clear();
  expect(written.text).toBe(
    `${line}1 of 540 files, 0 s${line}\n(fail) a > b [3.00ms] in a.test.ts:\n  error: expected\n\n${line}1 of 540 files, 1 failures, 0 s${line}2 of 540 files, 1 failures, 0 s${line}`,
  );
});

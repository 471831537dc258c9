import { expect, test } from "bun:test";
import { Memo, MemoScope } from "./memo.ts";
import { rememberAnswer } from "./remember-answer.ts";

const megabyte = 1024 * 1024;
const scope = (): MemoScope => new MemoScope(new Memo(16 * megabyte), "view ");

/** Yields pieces through one buffer, and counts how often it is begun. */
function answers(pieces: number, pieceBytes = 10_000, fails = false) {
  const made = { times: 0 };
  const make = function* (): Generator<Uint8Array | undefined, void> {
    made.times++;
    const buffer = new Uint8Array(pieceBytes);
    for (let piece = 0; piece < pieces; piece++) {
      yield buffer.fill(piece + 1);
      yield undefined;
    }
    if (fails) {
      throw new Error("on purpose");
    }
  };
  return { made, make };
}

function read(steps: Iterable<Uint8Array | undefined>): Buffer[] {
  const chunks: Buffer[] = [];
  for (const chunk of steps) {
    if (chunk !== undefined) {
      chunks.push(Buffer.from(chunk));
    }
  }
  return chunks;
}

const small = (): number => 7000;

test("an answer that was given is not made again, and comes in pieces as large as is wanted", () => {
  const memo = scope();
  const { made, make } = answers(5);
  const first = Buffer.concat(read(rememberAnswer(memo, "a", make, small)));
  const again = read(rememberAnswer(memo, "a", make, small));
  expect(made.times).toBe(1);
  expect(again.every(({ length }) => length <= 7000)).toBe(true);
  expect(Buffer.concat(again).equals(first)).toBe(true);
  read(rememberAnswer(memo, "b", make, small));
  expect(made.times).toBe(2);
});

test("an answer of a quarter of the memo is kept", () => {
  const memo = scope();
  const { made, make } = answers(400);
  read(rememberAnswer(memo, "a", make, small));
  expect(Buffer.concat(read(rememberAnswer(memo, "a", make, small))).length).toBe(4_000_000);
  expect(made.times).toBe(1);
});

test.each([
  ["large", answers(700), 7_000_000],
  ["tiny", answers(1, 100), 100],
])("a %s answer is made each time", (_name, { made, make }, bytes) => {
  const memo = scope();
  for (let time = 0; time < 2; time++) {
    expect(Buffer.concat(read(rememberAnswer(memo, "a", make, small))).length).toBe(bytes);
  }
  expect(made.times).toBe(2);
});

test("what is cheap to make is made each time, whenever that turns out", () => {
  const memo = scope();
  const { made, make } = answers(10);
  let asked = 0;
  const isCheap = (): boolean => ++asked > 5;
  for (let time = 0; time < 2; time++) {
    asked = 0;
    expect(Buffer.concat(read(rememberAnswer(memo, "a", make, small, isCheap))).length).toBe(100_000);
  }
  expect(made.times).toBe(2);
});

test("an answer that failed or was not read to its end is not kept, and leaves room for others", () => {
  const memo = scope();
  const failing = answers(5, 10_000, true);
  expect(() => read(rememberAnswer(memo, "a", failing.make, small))).toThrow("on purpose");
  const { made, make } = answers(100);
  for (let time = 0; time < 20; time++) {
    const steps = rememberAnswer(memo, "b", make, small);
    for (let step = 0; step < 150; step++) {
      steps.next();
    }
    steps.return();
  }
  expect(made.times).toBe(20);
  read(rememberAnswer(memo, "b", make, small));
  read(rememberAnswer(memo, "b", make, small));
  expect(made.times).toBe(21);
});

test("while many answers are being made, no more than a few megabytes are put aside", () => {
  const memo = scope();
  const { made, make } = answers(100);
  const open = Array.from({ length: 20 }, (_, number) => rememberAnswer(memo, `open ${number}`, make, small));
  for (const steps of open) {
    for (let step = 0; step < 190; step++) {
      steps.next();
    }
  }
  read(rememberAnswer(memo, "late", make, small));
  read(rememberAnswer(memo, "late", make, small));
  expect(made.times).toBe(22);
  open.forEach((steps) => steps.return());
  read(rememberAnswer(memo, "late", make, small));
  read(rememberAnswer(memo, "late", make, small));
  expect(made.times).toBe(23);
});

test("answers that turned out to be too large leave room for others while they are read on", () => {
  const memo = scope();
  const large = [1, 2].map((key) => rememberAnswer(memo, `large ${key}`, answers(1000).make, small));
  for (const steps of large) {
    for (let step = 0; step < 1300; step++) {
      steps.next();
    }
  }
  const { made, make } = answers(100);
  for (let time = 0; time < 2; time++) {
    read(rememberAnswer(memo, "a", make, small));
  }
  expect(made.times).toBe(1);
  large.forEach((steps) => steps.return());
});

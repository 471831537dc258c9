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

type Answer = ReturnType<typeof rememberAnswer>;

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

/** Takes turns with all of them until each has come to its end. */
function readAtOnce(all: readonly Iterator<Uint8Array | undefined>[]): Buffer[] {
  const chunks = all.map((): Buffer[] => []);
  for (let open = all.map((steps, reader) => ({ steps, reader })); open.length > 0;) {
    open = open.filter(({ steps, reader }) => {
      const { value, done } = steps.next();
      chunks[reader]!.push(Buffer.from(value ?? []));
      return done !== true;
    });
  }
  return chunks.map((each) => Buffer.concat(each));
}

test("what many ask for at the same time is made once, and the first gets it as it is made", () => {
  const memo = scope();
  const { made, make } = answers(100);
  const asking = Array.from({ length: 50 }, () => rememberAnswer(memo, "a", make, small));
  expect(asking[0]!.next().value?.length).toBe(10_000);
  const [first, ...others] = readAtOnce(asking);
  expect(made.times).toBe(1);
  expect(first!.length).toBe(990_000);
  expect(others.every((other) => other.length === 1_000_000 && other.subarray(10_000).equals(first!))).toBe(true);
});

test("it is made on for the others when the first leaves or stops reading, and ends when nobody is left", () => {
  const memo = scope();
  const { made, make } = answers(100);
  const [first, second, third] = [1, 2, 3].map(() => rememberAnswer(memo, "a", make, small)) as [
    Answer,
    Answer,
    Answer,
  ];
  [first, second, third].forEach((steps) => steps.next());
  expect(Buffer.concat(read(second)).length).toBe(1_000_000);
  // Where it has stopped, and on.
  expect(Buffer.concat(read(first)).length).toBe(990_000);
  expect(Buffer.concat(read(third)).length).toBe(1_000_000);

  const again = [1, 2, 3].map(() => rememberAnswer(memo, "b", make, small)) as [Answer, Answer, Answer];
  again.forEach((steps) => steps.next());
  again[0].return();
  again[1].return();
  expect(Buffer.concat(read(again[2])).length).toBe(1_000_000);
  expect(made.times).toBe(2);

  let ended = 0;
  const watched = function* (): Generator<Uint8Array | undefined, void> {
    try {
      yield* make();
    } finally {
      ended++;
    }
  };
  const leaving = [1, 2].map(() => rememberAnswer(memo, "c", watched, small)) as [Answer, Answer];
  leaving.forEach((steps) => steps.next());
  leaving[0].return();
  expect(ended).toBe(0);
  leaving[1].return();
  expect(ended).toBe(1);
  read(rememberAnswer(memo, "c", watched, small));
  expect(ended).toBe(2);
});

test("what is too large, cheap or fails is left to the first, and the others make their own", () => {
  const large = answers(700);
  const memo = scope();
  expect(
    readAtOnce([1, 2, 3].map(() => rememberAnswer(memo, "a", large.make, small))).map(({ length }) => length),
  ).toEqual([7e6, 7e6, 7e6]);
  expect(large.made.times).toBe(3);
  // Nobody waits for what is known to be too large.
  const [slow, quick] = [1, 2].map(() => rememberAnswer(memo, "a", large.make, small)) as [Answer, Answer];
  slow.next();
  expect(quick.next().value?.length).toBe(10_000);
  [slow, quick].forEach((steps) => steps.return());

  const cheap = answers(10);
  expect(
    readAtOnce([1, 2].map(() => rememberAnswer(memo, "b", cheap.make, small, () => true))).map(({ length }) => length),
  ).toEqual([100_000, 100_000]);
  expect(cheap.made.times).toBe(2);

  const failing = answers(5, 10_000, true);
  const [first, other] = [1, 2].map(() => rememberAnswer(memo, "c", failing.make, small)) as [Answer, Answer];
  first.next();
  const told: Buffer[] = [];
  const readOn = (steps: Answer) => () => {
    for (const chunk of steps) {
      told.push(Buffer.from(chunk ?? []));
    }
  };
  expect(readOn(other)).toThrow("on purpose");
  expect(Buffer.concat(told.splice(0)).length).toBe(50_000);
  expect(failing.made.times).toBe(2);
  expect(readOn(first)).toThrow("on purpose");
  expect(Buffer.concat(told).length).toBe(40_000);
});

test("slow readers of many answers do not hold them all", () => {
  const memo = scope();
  const { made, make } = answers(500);
  const slow: Answer[] = [];
  for (let number = 0; number < 20; number++) {
    read(rememberAnswer(memo, `${number}`, make, small));
    const reader = rememberAnswer(memo, `${number}`, make, small);
    reader.next();
    slow.push(reader);
  }
  // Six times five megabytes are read from what was kept; the others are made again for each reader.
  expect(made.times).toBe(20 + 14);
  slow.forEach((steps) => steps.return());
  read(rememberAnswer(memo, "late", make, small));
  read(rememberAnswer(memo, "late", make, small));
  expect(made.times).toBe(20 + 14 + 1);
});

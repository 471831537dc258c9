import { expect, test } from "bun:test";
import { AnswerTooLarge, presentLate, writeJson, writeSmallJson } from "./write-json.ts";

const written = async (value: unknown, limit = 100_000_000) => Buffer.from(await writeJson(value, limit)).toString();
const long = 'é"\\\n😀'.repeat(50_000);

test.each([
  ["a text", "a"],
  ["an object with what is no JSON", { a: undefined, b: () => 1, c: [undefined, Number.NaN], d: Symbol("x"), e: null }],
  ["an instant", { at: new Date(0) }],
  ["empty lists", [[], {}, [[]]]],
  ["a long text", long],
  ["a long text of halves of characters", "\ud83d".repeat(200_000)],
  ["a long list", Array.from({ length: 50_000 }, (_, number) => ({ number, text: `x${number}` }))],
  ["a long list deep inside", { a: [{ b: { "c\n": [long, 1, { d: [long] }] }, skipped: undefined, e: [] }] }],
])("%s is written as JSON.stringify does", async (_, value) => {
  expect(await written(value)).toBe(JSON.stringify(value));
  expect([null, JSON.stringify(value)]).toContain(writeSmallJson(value));
});

test("a list that is presented late is written as what it stands for", async () => {
  const rows = [1, 2, 3];
  expect(await written({ rows: presentLate(rows, (row) => ({ row })) })).toBe(
    '{"rows":[{"row":1},{"row":2},{"row":3}]}',
  );
  expect(await written(presentLate([], (row) => row))).toBe("[]");
});

test("an answer above the limit is given up as soon as it is reached", async () => {
  let presented = 0;
  const rows = Array.from({ length: 10_000 }, (_, row) => row);
  const list = presentLate(rows, () => ({ number: ++presented, text: "x".repeat(1000) }));
  const error: unknown = await writeJson(list, 100_000).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AnswerTooLarge);
  expect(presented).toBeLessThan(110);
  expect(await writeJson(long, 1000).catch((thrown: unknown) => thrown)).toBeInstanceOf(AnswerTooLarge);
  // Bytes, not characters.
  expect(await writeJson("é".repeat(10), 12).catch((thrown: unknown) => thrown)).toBeInstanceOf(AnswerTooLarge);
  expect(await written("é".repeat(10), 22)).toBe(`"${"é".repeat(10)}"`);
});

test("a list that will be far too large is given up after a few rows", async () => {
  let presented = 0;
  const rows = Array.from({ length: 100_000 }, (_, row) => row);
  const present = () => ({ number: ++presented, text: "x".repeat(1000) });
  const error: unknown = await writeJson(presentLate(rows, present), 40_000_000).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AnswerTooLarge);
  expect(presented).toBe(256);
});

test("others have their turns while an answer is written", async () => {
  let turns = 0;
  const count = setInterval(() => turns++, 0);
  await writeJson(
    Array.from({ length: 300_000 }, (_, number) => ({ number, text: `x${number}` })),
    100_000_000,
  );
  clearInterval(count);
  expect(turns).toBeGreaterThan(3);
});

test("an answer that nobody waits for is not written to its end", async () => {
  const gone = new AbortController();
  const rows = Array.from({ length: 1_000_000 }, (_, row) => row);
  const writing = writeJson(rows, 100_000_000, gone.signal).catch((error: unknown) => error);
  gone.abort("left");
  expect(await writing).toBe("left");
});

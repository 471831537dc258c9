import { expect, test } from "bun:test";
import { lineStarts, numberTexts } from "./line-table.ts";

/** Lines as they are, each with its line feed. */
function split(text: Uint8Array): string[] {
  return Buffer.from(text)
    .toString("latin1")
    .split(/(?<=\n)/)
    .filter((line) => line !== "");
}

test("equal lines, and no others, have equal numbers, wherever they stand in texts that are alike or not", () => {
  let seed = 11;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return (seed >> 8) % below;
  };
  // Line feeds at every place in a word of four bytes, and bytes that differ from one in a single bit.
  const bytes = "\x8a\x0b\x08\x00a";
  const line = (): string => Array.from({ length: random(7) }, () => bytes[random(bytes.length)]).join("");
  for (let round = 0; round < 300; round++) {
    const lines = Array.from({ length: random(400) }, line);
    const before = Buffer.from(lines.join("\n"), "latin1");
    for (let change = random(4); change > 0; change--) {
      lines.splice(random(lines.length + 1), random(3), ...Array.from({ length: random(3) }, line));
    }
    // An offset in its buffer, as views of a cache have.
    const after = Buffer.from(`#${lines.join("\n")}`, "latin1").subarray(1);
    const texts = numberTexts(before, after);
    const numbers = new Map<string, number>();
    for (const { bytes: text, starts, numbers: given } of [texts.before, texts.after]) {
      expect(starts).toEqual(lineStarts(text));
      for (const [at, content] of split(text).entries()) {
        expect(numbers.getOrInsert(content, given[at]!)).toBe(given[at]!);
      }
      expect(given.length).toBe(split(text).length);
    }
    expect(new Set(numbers.values()).size).toBe(numbers.size);
    expect(texts.classes).toBe(numbers.size);
  }
});

test("a text of many lines after a short one, and a short one after it, get numbers of their own", () => {
  const many = Buffer.from(Array.from({ length: 150_000 }, (_, line) => `${line % 70_000}\n`).join(""));
  for (const [text, classes] of [
    ["one\ntwo\none\n", 2],
    [many, 70_000],
    ["one\n", 1],
  ] as const) {
    const bytes = Buffer.from(text);
    const { before, after, classes: found } = numberTexts(bytes, Buffer.concat([Buffer.from("first\n"), bytes]));
    expect(found).toBe(classes + 1);
    expect(Buffer.compare(Buffer.from(after.numbers.slice(1).buffer), Buffer.from(before.numbers.slice().buffer))).toBe(
      0,
    );
    expect(new Set(before.numbers).size).toBe(classes);
    expect(after.starts).toEqual(lineStarts(after.bytes));
  }
});

import { expect, test } from "bun:test";
import type { FileContent } from "./open-file.ts";
import { partBytes, readPart } from "./text-part.ts";

function fileOf(text: string | Uint8Array): FileContent {
  const bytes = Buffer.from(text);
  return {
    size: bytes.length,
    pointer: null,
    type: "text/plain",
    read: async (start, end) => bytes.subarray(start, end),
  };
}

test("a short text is one part", async () => {
  expect(await readPart(fileOf("a\nb"), 1)).toEqual({
    text: "a\nb",
    encoding: "UTF-8",
    replaced: 0,
    firstLine: 1,
    number: 1,
    parts: 1,
    from: 0,
    to: 3,
  });
  expect(await readPart(fileOf("a"), 2)).toBeNull();
  expect((await readPart(fileOf(""), 1))?.text).toBe("");
  expect(await readPart(fileOf("a\0b"), 1)).toBeNull();
});

test("parts of a long text begin with lines, and are the text together", async () => {
  const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index + 1} of the é text\n`);
  const file = fileOf(lines.join(""));
  let text = "";
  for (let number = 1; number <= 3; number++) {
    const part = await readPart(file, number);
    expect(part?.parts).toBe(3);
    expect(part?.text).toStartWith(`line ${part?.firstLine} of`);
    text += part?.text ?? "";
  }
  expect(text).toBe(lines.join(""));
});

test("a line that is longer than a part goes on in the next one, in whole characters", async () => {
  const file = fileOf("é".repeat(partBytes));
  const [first, second] = [await readPart(file, 1), await readPart(file, 2)];
  expect([first?.text.length, first?.replaced, second?.firstLine, second?.replaced]).toEqual([partBytes / 2, 0, 1, 0]);
  const odd = fileOf(`x${"é".repeat(partBytes)}`);
  const parts = [await readPart(odd, 1), await readPart(odd, 2), await readPart(odd, 3)];
  expect(parts.map((part) => part?.text ?? "").join("")).toBe(`x${"é".repeat(partBytes)}`);
});

import { expect, test } from "bun:test";
import { textOutsideCode } from "./text-outside-code.ts";

const outside = (text: string) => [...textOutsideCode(text)].join("|");

test("what stands in code is left out", () => {
  expect(outside("a\n```js\nb\n```\nc\n~~~~\nd\n~~~\ne\n~~~~\nf `g` h")).toBe("a\n|\nc\n|\nf   h");
  expect(outside("one `two\nthree` four")).toBe("one `two\nthree` four");
  expect(outside("before\n    ```\nafter\n```\nnever ended")).toBe("before\n     `\nafter\n");
});

test("behind 10,000 lines that begin or end a block nothing is read", () => {
  expect(outside("```\n```\n".repeat(5000) + "end")).toContain("end");
  expect(outside("```\n```\n".repeat(5001) + "end")).not.toContain("end");
});

import { expect, test } from "bun:test";
import type { Forge } from "../../domain/spine/forge.ts";
import { colourFiles, linesOf } from "./colours.ts";

test("the end of the last line begins no further one", () => {
  expect(linesOf("a\r\nb\n")).toEqual(["a\r", "b"]);
  expect(linesOf("a")).toEqual(["a"]);
  expect(linesOf("")).toEqual([]);
});

test("files that nobody can read have no colours", async () => {
  const file = { oid: "0".repeat(40), path: "a.ts", read: async () => null };
  expect(await colourFiles({} as Forge, [file], new AbortController().signal)).toEqual([null]);
});

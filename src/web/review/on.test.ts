import { expect, test } from "bun:test";
import { parseOn, writeOn } from "./on.ts";

test("what a form is for is read as it is written", () => {
  for (const text of ["reply7", "edit12", "k3f9aR12", "k3f9aR8-12", "0L1"]) {
    expect(writeOn(parseOn(text)!)).toBe(text);
  }
  expect(parseOn("k3R8-12")).toEqual({ kind: "lines", file: "k3", side: "new", from: 8, line: 12 });
});

test("anything else is for nothing", () => {
  for (const text of ["", "reply", "edit0", "R12", "k3R0", "k3X1", "k3R1-", "k3R1-2-3", "k3R12345678901", "<b>R1"]) {
    expect(parseOn(text)).toBeNull();
  }
});

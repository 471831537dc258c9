import { expect, test } from "bun:test";
import { sprite } from "./icons.ts";

test("each icon is one symbol with strokes, and nothing else", () => {
  const symbols = [
    ...sprite.matchAll(/<symbol id="([a-z0-9-]+)" viewBox="0 0 24 24">((?:<[a-z]+ [^<>]*\/>)+)<\/symbol>/g),
  ];
  expect(sprite).toBe(`<svg xmlns="http://www.w3.org/2000/svg">${symbols.map(([symbol]) => symbol).join("")}</svg>`);
  expect(symbols.map(([, name]) => name)).toContain("git-branch");
});

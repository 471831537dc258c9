import { expect, test } from "bun:test";
import { readCommitQuery } from "./commit-query.ts";

const nothing = {
  words: [],
  author: "",
  committer: "",
  changes: "",
  paths: [],
  since: undefined,
  until: undefined,
};

test.each([
  ["", {}],
  ["fix the anvil", { words: ["fix", "the", "anvil"] }],
  ['"fix the" anvil', { words: ["fix the", "anvil"] }],
  ['author:smith committer:"Ada B"', { author: "smith", committer: "Ada B" }],
  ["after:2026-01-31", { since: 1_769_817_600 }],
  ["before:2026-01-31", { until: 1_769_817_599 }],
  ["path:/src/ path:docs", { paths: ["src", "docs"] }],
  ['changes:"a b"', { changes: "a b" }],
  ["unknown:x", { words: ["unknown:x"] }],
  ['author:"open', { author: "open" }],
])("%p", (text, expected) => {
  expect(readCommitQuery(text)).toEqual({ ...nothing, ...expected });
});

test.each(["before:yesterday", "after:2026-13-01", "after:1"])("%p is refused", (text) => {
  expect(readCommitQuery(text)).toBeString();
});

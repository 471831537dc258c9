import { expect, test } from "bun:test";
import { findTasks, setTask } from "./tasks.ts";

const text =
  "- [ ] one\n  - [x] two\n\n```\n- [ ] code\n```\n> 1. [X] three\n- [ ]no\n~~~~\n- [ ] x\n```\n- [ ] y\n~~~~\n* [ ] four";

test("tasks are found in their order, and not in code", () => {
  expect(findTasks(text).map((at) => text[at])).toEqual([" ", "x", "X", " "]);
});

test("one is ticked, and nothing else changes", () => {
  expect(setTask(text, 0, true)).toBe(text.replace("- [ ] one", "- [x] one"));
  expect(setTask(text, 1, false)).toBe(text.replace("[x] two", "[ ] two"));
  expect(setTask(text, 2, true)).toBe(text.replace("[X] three", "[x] three"));
  expect(setTask(text, 3, true)).toBe(text.replace("[ ] four", "[x] four"));
  expect(setTask(text, 4, true)).toBeNull();
});

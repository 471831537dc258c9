import { expect, test } from "bun:test";
import type { FileChange } from "../../../git/edit/apply-changes.ts";
import { commitMessage } from "./commit-message.ts";

const change = (operation: FileChange["operation"], path: string): FileChange => ({
  operation,
  path,
  fromPath: null,
  bytes: null,
  mode: null,
  expectedOid: null,
});
const alice = { name: "Alice", email: "alice@example.com" };
const signed = "Signed-off-by: Alice <alice@example.com>";

test("a message that is not given says what was done", () => {
  expect(commitMessage(undefined, [change("create", "a/b.txt")], null)).toBe("Add a/b.txt\n");
  expect(commitMessage("  ", [change("delete", "x"), change("update", "y")], null)).toBe(
    "Change 2 files\n\nDelete x\nUpdate y\n",
  );
});

test("a sign-off begins a paragraph, joins other trailers, and stands once", () => {
  expect(commitMessage("Fix", [], alice)).toBe(`Fix\n\n${signed}\n`);
  expect(commitMessage("fix: this", [], alice)).toBe(`fix: this\n\n${signed}\n`);
  expect(commitMessage("Fix\n\nIssue: 3", [], alice)).toBe(`Fix\n\nIssue: 3\n${signed}\n`);
  expect(commitMessage("Fix\r\n\r\nLong text.", [], alice)).toBe(`Fix\n\nLong text.\n\n${signed}\n`);
  expect(commitMessage(`Fix\n\n${signed}\n\n`, [], alice)).toBe(`Fix\n\n${signed}\n`);
});

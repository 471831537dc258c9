import { expect, test } from "bun:test";
import { objectFormat } from "../objects/object-format.ts";
import { QuietCommits } from "./quiet-commits.ts";

const oid = (digit: string) => digit.repeat(40);

/** What is found out about commits, each with its oid, its parents and its message. */
function look(...commits: [digit: string, parents: string, message: string][]) {
  const quiet = new QuietCommits(objectFormat("sha1"));
  for (const [digit, parents, message] of commits) {
    const lines = [...parents].map((parent) => `parent ${oid(parent)}\n`).join("");
    const bytes = Buffer.from(
      `before tree ${oid("0")}\n${lines}author A <a@b.c> 1 +0000\ncommitter A <a@b.c> 1 +0000\n\n${message}`,
    );
    quiet.take(bytes, "before ".length, bytes.length - "before ".length, Buffer.from(oid(digit), "hex"), 0);
  }
  return quiet.finish();
}

test("commits that name nothing, and which of their parents are elsewhere", () => {
  expect(look()).toEqual({ commits: new Set(), outside: new Set() });
  expect(
    look(["a", "", "One"], ["b", "a", `Two\n\nparent ${oid("e")}`], ["c", "bd", "# 1, C# and !important"]),
  ).toEqual({
    commits: new Set([oid("a"), oid("b"), oid("c")]),
    outside: new Set([oid("d")]),
  });
});

test.each(["#1", "Merge !20", "see https://x.example/a/b/issues/7", "ä /pulls/3"])("%s is a name", (message) => {
  expect(look(["a", "", "Quiet"], ["b", "a", message], ["c", "b", "Quiet"])).toBeNull();
});

test("more than a thousand are not known to name nothing", () => {
  const quiet = new QuietCommits(objectFormat("sha1"));
  for (let n = 0; n <= 1000; n++) {
    expect(quiet.finish()?.commits.size).toBe(n);
    const bytes = Buffer.from(`tree ${oid("0")}\n\nQuiet`);
    quiet.take(bytes, 0, bytes.length, Buffer.from(n.toString(16).padStart(40, "0"), "hex"), 0);
  }
  expect(quiet.finish()).toBeNull();
});

import { describe, expect, test } from "bun:test";
import { findCodeOwners } from "./code-owners.ts";

const usersOf = async (text: string, ...paths: string[]) => (await findCodeOwners(text, paths)).users;

describe("findCodeOwners", () => {
  test("an expression fits a whole path, from its beginning to its end", async () => {
    const text = "docs/.* @writer\nREADME\\\\.md @reader\n.*\\\\.ts @typist";
    expect(await usersOf(text, "docs/a/b.txt")).toEqual(["writer"]);
    expect(await usersOf(text, "old/docs/a.txt")).toEqual([]);
    expect(await usersOf(text, "README.md")).toEqual(["reader"]);
    expect(await usersOf(text, "README.md.txt", "READMExmd")).toEqual([]);
    expect(await usersOf(text, "docs/x.ts", "y")).toEqual(["writer", "typist"]);
  });

  test("! turns a rule round: whoever changes anything else asks its owners", async () => {
    expect(await usersOf("!docs/.* @dev", "docs/a")).toEqual([]);
    expect(await usersOf("!docs/.* @dev", "docs/a", "src/b")).toEqual(["dev"]);
  });

  test("owners are users with or without @, and teams of an organization", async () => {
    const text = ".* @ann ben @forge/core @ann @a/b/c # @nobody\n";
    expect(await findCodeOwners(text, ["x"])).toEqual({
      users: ["ann", "ben"],
      teams: [{ organization: "forge", team: "core" }],
    });
  });

  test("tabs and spaces part words, and a backslash keeps a space, a # and itself", async () => {
    expect(await usersOf("a\\ b\\#c\t@ann", "a b#c")).toEqual(["ann"]);
    expect(await usersOf("a\\\\.b @ann", "a.b")).toEqual(["ann"]);
    expect(await usersOf("a\\\\.b @ann", "axb")).toEqual([]);
  });

  test("remarks, empty lines, lines without owners and expressions that cannot be read are passed over", async () => {
    expect(await usersOf("# .* @remark\n\n.*\n( @open\n(?=a)a @ahead\n(a)\\\\1 @back\n.* @ann\r\n", "a")).toEqual([
      "ann",
    ]);
  });

  test("an expression that makes others backtrack for ever is compared in linear time", async () => {
    const hostile = "((a+)+)+b @slow\n(a|aa)+$b @slow\n.* @ann";
    expect(await usersOf(hostile, "a".repeat(4000))).toEqual(["ann"]);
  });

  test("repetitions that would fill the memory are passed over", async () => {
    const text = `${"(".repeat(3)}${"a".repeat(500)}{1000}){1000}){1000} @huge\n(a{1000}){1000} @huge\n.* @ann`;
    expect(await usersOf(text, "aaaa")).toEqual(["ann"]);
  });

  test("a file of costly rules comes to an end", async () => {
    const text = "(x?){40}y @slow\n".repeat(2000);
    const paths = Array.from({ length: 300 }, (_, at) => `${"x".repeat(500)}${at}`);
    expect(await usersOf(text, ...paths)).toEqual([]);
  });
});

import { describe, expect, test } from "bun:test";
import { checkGitmodules } from "./check-gitmodules.ts";
import { checkObject } from "./check-object.ts";
import { sha1 } from "./object-format.ts";
import { ObjectType } from "./object-type.ts";
import { isDotGit, isDotGitattributes, isDotGitmodules } from "./protected-names.ts";

// The same rules are compared with git's own answers in test/git/check-objects.test.ts.

const oid = Buffer.alloc(20, 7);

function tree(...entries: readonly (readonly [mode: string, name: string])[]): Uint8Array {
  return Buffer.concat(entries.flatMap(([mode, name]) => [Buffer.from(`${mode} ${name}\0`), oid]));
}

function problem(type: ObjectType, bytes: Uint8Array): string | null {
  const answer = checkObject(type, bytes, sha1, () => {});
  return answer === null ? null : answer.slice(0, answer.indexOf(":"));
}

describe("names that a file system takes for .git", () => {
  test.each([
    ".git",
    ".GIT",
    ".git ",
    ".git...",
    ".git . .",
    "git~1",
    "GIT~1",
    "GiT~1. ",
    ".g\u200cit",
    "\uFEFF.Git",
    ".git::$INDEX_ALLOCATION",
    "a\\.git",
    "a\\git~1\\b",
  ])("%j", (name) => {
    expect(isDotGit(name)).toBe(true);
    expect(problem(ObjectType.tree, tree(["100644", name]))).toBe("hasDotgit");
  });
  test.each([".gitt", "git", "git~2", ".gi", "x.git", ".git~1", "..git", ".gitignore", ".git-x"])("not %j", (name) => {
    expect(isDotGit(name)).toBe(false);
    expect(problem(ObjectType.tree, tree(["100644", name]))).toBeNull();
  });
});

describe("names that a file system takes for .gitmodules", () => {
  test.each([
    ".gitmodules",
    ".GitModules ",
    "gitmod~1",
    "GITMOD~4",
    "gi7eba~1",
    "gi7eb~10",
    "~1000000",
    ".git\u200fmodules",
    ".gitmodules:$DATA",
  ])("%j", (name) => {
    expect(isDotGitmodules(name)).toBe(true);
    expect(problem(ObjectType.tree, tree(["120000", name]))).toBe("gitmodulesSymlink");
  });
  test.each(["gitmod~5", "gi7eba~0", "gi7eba~", "gitmodules", ".gitmodules2"])("not %j", (name) => {
    expect(isDotGitmodules(name)).toBe(false);
  });
});

describe("names that a file system takes for .gitattributes", () => {
  test.each([
    ".gitattributes",
    ".GitAttributes.",
    "gitatt~1",
    "gi7d29~1",
    "GI7D~123",
    ".git\u200fattributes",
    ".gitattributes::$DATA",
  ])("%j", (name) => {
    expect(isDotGitattributes(name)).toBe(true);
    expect(problem(ObjectType.tree, tree(["40000", name]))).toBe("gitattributesBlob");
    expect(problem(ObjectType.tree, tree(["120000", name]))).toBeNull();
  });
  test.each(["gitatt~5", "gitattributes", ".gitattributes2", "a\\.gitattributes"])("not %j", (name) => {
    expect(isDotGitattributes(name)).toBe(false);
    expect(problem(ObjectType.tree, tree(["40000", name]))).toBeNull();
  });
});

test("where files are named whose content is checked is told", () => {
  const found: unknown[] = [];
  const bytes = tree(["100644", ".gitattributes"], ["100644", ".gitmodules"], ["100644", "a"]);
  expect(checkObject(ObjectType.tree, bytes, sha1, (name, at) => found.push([name, at]))).toBeNull();
  expect(found).toEqual([
    [".gitattributes", 7 + 14 + 1],
    [".gitmodules", 22 + 20 + 7 + 11 + 1],
  ]);
});

function answer(text: string): string | undefined {
  return checkGitmodules(Buffer.from(text))?.split(":")[0];
}

describe("the content of .gitmodules", () => {
  test.each([
    ["gitmodulesName", '[submodule "../evil"]\n\turl = x\n'],
    ["gitmodulesName", '[submodule "a\\\\..\\\\b"]\nurl = x\n'],
    ["gitmodulesUrl", '[submodule "a"]\n\turl = -u./payload\n'],
    ["gitmodulesUrl", '[submodule "a"]\n\turl = "-u./payload" # comment\n'],
    ["gitmodulesUrl", '[submodule "a"] url = https://host%0ahost=evil/x\n'],
    ["gitmodulesUrl", '[submodule "a"]\nurl = https:///path\n'],
    ["gitmodulesUrl", '[submodule "a"]\nurl = ../..//evil.example/x\n'],
    ["gitmodulesUrl", "[submodule.a]\nurl = -x\n"],
    ["gitmodulesName", '[submodule.a "/../b"]\nurl = x\n'],
    ["gitmodulesPath", '[submodule "a"]\npath = -x\n'],
    ["gitmodulesUpdate", '[submodule "a"]\nupdate = !rm -rf /\n'],
  ])("%s", (rule, text) => {
    expect(answer(text)).toBe(rule);
  });
  test.each([
    '[submodule "a/b"]\n\tpath = a/b\n\turl = ../b.git\n\tbranch = . ; comment\n[other]\nurl = -x\n',
    '[submodule "a"]\nurl = https://example.com/a.git\nupdate = rebase\n',
    "no configuration at all = [",
    "",
  ])("harmless: %j", (text) => {
    expect(answer(text)).toBeUndefined();
  });
});

import { describe, expect, test } from "bun:test";
import { NotAGitCommand, parseCommandLine } from "./command-line.ts";

describe("a command line", () => {
  test.each([
    ["git-upload-pack 'alice/site.git'", "git-upload-pack", "alice", "site.git"],
    ["git-upload-pack '/alice/site.git'", "git-upload-pack", "alice", "site.git"],
    ["git-upload-pack '//alice//site.git'", "git-upload-pack", "alice", "site.git"],
    ["git-receive-pack 'alice/site'", "git-receive-pack", "alice", "site"],
    ["git receive-pack 'alice/site/'", "git-receive-pack", "alice", "site"],
    ["git-upload-archive alice/site.git", "git-upload-archive", "alice", "site.git"],
    ["git-upload-pack 'it'\\''s'\\!'/x.git.git'", "git-upload-pack", "it's!", "x.git.git"],
  ])("%s is read as git means it", (line, program, owner, repo) => {
    expect(parseCommandLine(line) as object).toEqual({ program, owner, repo });
  });

  test("of git-lfs names what it is for", () => {
    const read = { program: "git-lfs-authenticate", owner: "alice", repo: "site.git", operation: "download" } as const;
    expect(parseCommandLine("git-lfs-authenticate alice/site.git download")).toEqual(read);
    expect(parseCommandLine(`git-lfs-authenticate 'alice/site.git' 'download' ${"0".repeat(64)}`)).toEqual(read);
  });

  test.each([
    "",
    "ls -l",
    "git-upload-pack",
    "git-upload-pack 'a/b' 'c/d'",
    "git-upload-pack --strict 'a/b'",
    "git-upload-pack 'a/b'; id",
    "git-upload-pack 'a/b' && id",
    "git-upload-pack $(id)",
    "git-upload-pack `id`",
    'git-upload-pack "a/b"',
    "git-upload-pack 'a/b",
    "git-upload-pack a\\ b/c",
    "git-upload-pack '~alice/site.git'",
    "git-upload-pack '/~/site.git'",
    "git-upload-pack 'alice'",
    "git-upload-pack 'alice/.git'",
    "git-upload-pack 'alice/site/deep'",
    "git-upload-pack '../../etc/passwd'",
    "git-upload-pack 'a\n/b'",
    "git-lfs-authenticate alice/site.git",
    "git-lfs-authenticate alice/site.git delete",
    "git-lfs-transfer alice/site.git upload",
    "scp -t /tmp",
  ])("%s is refused", (line) => {
    expect(() => parseCommandLine(line)).toThrow(NotAGitCommand);
  });

  test("that is longer than any path is refused", () => {
    expect(() => parseCommandLine(`git-upload-pack 'a/${"b".repeat(3000)}'`)).toThrow(NotAGitCommand);
  });
});

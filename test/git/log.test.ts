import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitEngine } from "../../src/git/engine.ts";
import { MissingObject } from "../../src/git/odb/object-database.ts";
import type { LogArgs, LogCommit } from "../../src/git/operations/log.ts";
import type { ListTreeResult } from "../../src/git/operations/list-tree.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { randomFrom } from "../support/random.ts";
import { makeBranchingHistory } from "./branching-history.ts";
import { GitFixture } from "./git-fixture.ts";
import { generateHistory, type GeneratedHistory } from "./generated-history.ts";

let history: GeneratedHistory;
let engine: GitEngine;
let main = "";
const view = (): { key: string; format: "sha1"; packs: readonly string[] } => ({
  key: "1:1",
  format: "sha1",
  packs: history.packs,
});

beforeAll(() => {
  history = generateHistory(220);
  main = history.git("rev-parse", "main");
  engine = new GitEngine({
    gitWorker: gitWorkerUrl,
    indexWorker: indexWorkerUrl,
    workers: 1,
    cacheBytes: 32 << 20,
    log: silentLogger,
  });
});

afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  history[Symbol.dispose]();
});

const all: Omit<LogArgs, "tips"> = {
  not: [],
  paths: [],
  skip: 0,
  limit: 10_000,
  count: true,
  files: false,
  stats: false,
};
async function log(
  args: Partial<LogArgs>,
): Promise<{ oids: string[]; total: number | null; commits: readonly LogCommit[] }> {
  const { commits, total } = await engine.call(view(), "log", { tips: [main], ...all, ...args });
  return { oids: commits.map((commit) => commit.oid), total, commits };
}
const lines = (text: string): string[] => (text === "" ? [] : text.split("\n"));
const paths = [
  "README.md",
  "dir",
  "dir/sub/deep.txt",
  "ünï/cödé.txt",
  'od"d\tname',
  "module",
  "moved",
  "src/x.ts",
  "dir.txt",
  "nowhere/at all",
];

describe("log lists commits as git does", () => {
  test("of one tip, of all, and of a part", async () => {
    const expected = lines(history.git("log", "--format=%H", "main"));
    expect(expected.length).toBeGreaterThan(150);
    expect(await log({})).toMatchObject({ oids: expected, total: expected.length });
    const tips = lines(history.git("for-each-ref", "--format=%(objectname)", "refs/heads"));
    expect((await log({ tips })).oids).toEqual(lines(history.git("log", "--format=%H", "--all")));
    expect((await log({ skip: 5, limit: 7 })).oids).toEqual(expected.slice(5, 12));
    expect(await log({ skip: 9999 })).toMatchObject({ oids: [], total: expected.length });
    expect((await log({ skip: 2, limit: 3, count: false })).oids).toEqual(expected.slice(2, 5));
  });

  test("of what one tip has and others have not", async () => {
    for (const [tip, not] of [
      ["b220", "b150"],
      ["b100", "b200"],
      ["b220", "b1"],
      ["b180", "b180"],
    ] as const) {
      const args = { tips: [history.git("rev-parse", tip)], not: [history.git("rev-parse", not)] };
      const expected = lines(history.git("log", "--format=%H", tip, `^${not}`));
      expect(await log(args)).toMatchObject({ oids: expected, total: expected.length });
    }
  });

  test.each(paths)("that changed %p", async (path) => {
    const expected = lines(history.git("log", "--format=%H", "main", "--", `:(literal)${path}`));
    expect(await log({ paths: [path] })).toMatchObject({ oids: expected, total: expected.length });
    const since = lines(history.git("log", "--format=%H", "main", "^b120", "--", `:(literal)${path}`));
    expect((await log({ paths: [path], not: [history.git("rev-parse", "b120")] })).oids).toEqual(since);
  });

  test("with the same fields", async () => {
    const format = "%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%ai%x00%B";
    const { commits } = await log({ limit: 3 });
    for (const commit of commits) {
      const { author, committer } = commit;
      const expected = history.git("log", "-1", `--format=${format}`, commit.oid).split("\0");
      expect(author.offsetMinutes).toBe(120);
      expect(committer.offsetMinutes).toBe(-210);
      expect([
        commit.oid,
        commit.tree,
        commit.parents.join(" "),
        author.name,
        author.email,
        `${author.seconds}`,
        committer.name,
        committer.email,
        `${committer.seconds}`,
        expected[9]!,
        commit.message,
      ]).toEqual(expected);
    }
  });

  test("and fails for a tip that is not there", async () => {
    expect(await log({ tips: ["1".repeat(40)] }).catch((error: unknown) => error)).toBeInstanceOf(MissingObject);
  });
});

describe("changes of a commit", () => {
  test("are the files and line counts that git names, against the first parent", async () => {
    const { commits } = await log({ files: true, stats: true });
    const options = ["--format=commit %H", "-m", "--first-parent", "--root", "--no-renames", "-z"];
    const status = byCommit(history.git("log", ...options, "--name-status", "main"));
    const counts = byCommit(history.git("log", ...options, "--numstat", "main"));
    // With --first-parent git lists fewer commits; the others are asked for one by one.
    const single = (oid: string, option: string): string[] =>
      fieldsOf(
        history.git(
          "diff-tree",
          "--no-renames",
          "-z",
          "-r",
          option,
          "--root",
          "--no-commit-id",
          ...firstParent(oid),
          oid,
        ),
      );
    let compared = 0;
    for (const { oid, files, stats, filesTruncated } of commits) {
      const statusFields = status.get(oid) ?? single(oid, "--name-status");
      const expected: string[] = [];
      for (let at = 0; at + 1 < statusFields.length; at += 2) {
        expected.push(`${statusNames[statusFields[at]!]} ${statusFields[at + 1]}`);
      }
      expect(files?.map((file) => `${file.status} ${file.filename}`)).toEqual(expected);
      const numbers = (counts.get(oid) ?? single(oid, "--numstat")).map((field) =>
        field.split("\t").map((number) => Number(number) || 0),
      );
      const additions = numbers.reduce((sum, [added]) => sum + added!, 0);
      const deletions = numbers.reduce((sum, [, deleted]) => sum + deleted!, 0);
      expect({ oid, ...stats }).toEqual({ oid, additions, deletions, total: additions + deletions });
      expect(filesTruncated).toBe(false);
      compared += expected.length;
    }
    expect(compared).toBeGreaterThan(200);
  });
});

const statusNames: Readonly<Record<string, string>> = { A: "added", D: "removed", M: "modified", T: "modified" };
const firstParent = (oid: string): string[] =>
  history.git("log", "-1", "--format=%P", oid).split(" ").filter(Boolean).slice(0, 1);
const fieldsOf = (text: string): string[] => text.split("\0").filter((field) => field.trim() !== "");

/** The NUL-separated fields that git prints below each `commit <oid>`. */
function byCommit(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const part of text.split(/(?:^|\0)\n?commit /).slice(1)) {
    found.set(
      part.slice(0, 40),
      fieldsOf(part.slice(40)).map((field) => field.replace(/^\n+/, "")),
    );
  }
  return found;
}

const list = async (path: string, recursive = false): Promise<ListTreeResult | null> =>
  await engine.call(view(), "listTree", {
    commit: main,
    path,
    recursive,
    lastCommits: !recursive,
    skip: 0,
    limit: 10_000,
  });

describe("a directory", () => {
  test("has the entries that git lists", async () => {
    for (const path of ["", "dir", "src"]) {
      const result = await list(path);
      const treeish = history.git("rev-parse", `main:${path}`);
      const expected = history.git("ls-tree", "-l", "-z", treeish).split("\0").filter(Boolean);
      const own = result?.entries.map((entry) => {
        const type = entry.type === "submodule" ? "commit" : entry.type === "symlink" ? "blob" : entry.type;
        return `${entry.mode.toString(8).padStart(6, "0")} ${type} ${entry.oid} ${(entry.size ?? "-").toString().padStart(7)}\t${entry.name}`;
      });
      expect(own).toEqual(expected);
      expect(result?.oid).toBe(treeish);
    }
    const expected = history.git("ls-tree", "-r", "-t", "--name-only", "-z", "main").split("\0").filter(Boolean);
    expect((await list("", true))?.entries.map((entry) => entry.path)).toEqual(expected);
    const part = await engine.call(view(), "listTree", {
      commit: main,
      path: "",
      recursive: true,
      lastCommits: false,
      skip: 3,
      limit: 4,
    });
    expect(part?.entries.map((entry) => entry.path)).toEqual(expected.slice(3, 7));
    expect(part?.total).toBe(expected.length);
    expect(await list("README.md/none")).toBeNull();
  });

  test("and files of several ones have the commits that git log -1 names, commit after commit", async () => {
    using fixture = new GitFixture();
    const { path: repository, packs, oids } = makeBranchingHistory(fixture, randomFrom(5), 120);
    const ask = (args: string[]): string => fixture.git(repository, args).toString().trim();
    for (const commit of [...oids.slice(-6), oids[60]!, oids[20]!]) {
      const there = ask(["ls-tree", "-r", "-t", "--name-only", commit]).split("\n");
      const paths = [...there.filter((_, index) => index % 3 === 0), "none/such", there[0]!];
      const found = await engine.call({ key: "3:1", format: "sha1", packs }, "lastCommits", { commit, paths });
      expect(found.map((last, index) => `${paths[index]} ${last?.oid} ${last?.seconds}`)).toEqual(
        paths.map((path) =>
          there.includes(path)
            ? `${path} ${ask(["log", "-1", "--format=%H %ct", commit, "--", `:(literal)${path}`])}`
            : `${path} undefined undefined`,
        ),
      );
    }
  });

  test("names for each entry the commit that git log -1 names", async () => {
    let compared = 0;
    for (const start of ["main", "b90", "b150"]) {
      const commit = history.git("rev-parse", start);
      for (const path of ["", "dir", "src", "moved"]) {
        const result = await engine.call(view(), "listTree", {
          commit,
          path,
          recursive: false,
          lastCommits: true,
          skip: 0,
          limit: 1000,
        });
        for (const entry of result?.entries ?? []) {
          const [oid, seconds] = history
            .git("log", "-1", "--format=%H %ct", commit, "--", `:(literal)${entry.path}`)
            .split(" ");
          expect({ start, path: entry.path, ...entry.lastCommit }).toEqual({
            start,
            path: entry.path,
            oid: oid!,
            seconds: Number(seconds),
          });
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(30);
    using fixture = new GitFixture();
    const { path: repository, packs, oids } = makeBranchingHistory(fixture, randomFrom(12), 100);
    const ask = (args: string[]): string => fixture.git(repository, args).toString().trim();
    for (const commit of oids.slice(-4)) {
      const result = await engine.call({ key: "2:1", format: "sha1", packs }, "listTree", {
        commit,
        path: "",
        recursive: false,
        lastCommits: true,
        skip: 0,
        limit: 1000,
      });
      for (const { path, lastCommit } of result?.entries ?? []) {
        expect(`${commit} ${path} ${lastCommit?.oid}`).toBe(
          `${commit} ${path} ${ask(["log", "-1", "--format=%H", commit, "--", path])}`,
        );
      }
    }
  });
});

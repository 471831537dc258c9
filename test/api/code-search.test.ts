import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { redact } from "../support/redact.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp } from "../support/test-app.ts";
import { measureWork } from "../support/process-work.ts";

interface FoundJson {
  commit_sha: string;
  total_count: number;
  incomplete_results: boolean;
  skipped_files: number;
  items: {
    path: string;
    sha: string;
    truncated: boolean;
    lines: {
      number: number;
      text: string;
      is_match: boolean;
      truncated: boolean;
      byte_offset: number;
      matches: { text: string; indices: [number, number]; byte_indices: [number, number] }[];
    }[];
  }[];
}

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
const base = "/repos/alice/code";
let first = "";
let second = "";

beforeAll(async () => {
  await app.repository(alice, "code");
  await work.write("README.md", "# Greetings\n\nSay héllo to the world.\n");
  await work.write("src/hello.c", '#include <stdio.h>\nint main(void) {\n  puts("Hello, world");\n  return 0;\n}\n');
  await work.write("src/lib/hello.h", "void hello(void);\nvoid hello_all(void);\n");
  await work.write("binary", "hello\0world\n");
  await work.write("latin", Buffer.from("caf\xe9 hello\n", "latin1"));
  await work.write("minified.js", `${"x".repeat(5000)}hello${"y".repeat(5000)}`);
  first = await work.commit("first");
  await work.git("tag", "v1");
  await work.git("checkout", "-q", "-b", "feature/more");
  await work.write("src/more.c", "hello from a branch\n");
  second = await work.commit("second");
  await work.push(`${app.url}/alice/code.git`, alice.token, "main", "v1", "feature/more");
});

const search = async (query: string, repository = base) => {
  const { status, body } = await app.anonymous.get<FoundJson>(`${repository}/grep?${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body;
};
const found = async (query: string) =>
  (await search(query)).items.flatMap(({ path, lines }) =>
    lines.flatMap(({ number, matches }) => matches.map(({ text }) => `${path}:${number}:${text}`)),
  );

describe("who may", () => {
  test("only those who read the code search it", async () => {
    await app.repository(alice, "secret", { private: true, auto_init: true });
    const reader = await app.scoped(alice, "read:issue");
    for (const path of ["/repos/alice/secret/grep?q=x", "/repos/alice/none/grep?q=x"]) {
      expect((await app.anonymous.get(path)).status).toBe(404);
      expect((await bob.api.get(path)).status).toBe(404);
    }
    expect((await reader.get(`${base}/grep?q=x`)).status).toBe(403);
    expect((await alice.api.get<FoundJson>("/repos/alice/secret/grep?q=secret")).body.total_count).toBe(1);
    await app.organization("forge", alice);
    await alice.api.post("/orgs/forge/repos", { name: "tool", private: true, auto_init: true });
    await makeTeam(
      alice,
      "forge",
      { name: "triage", units_map: { "repo.issues": "write" }, includes_all_repositories: true },
      [bob],
    );
    expect((await bob.api.get("/repos/forge/tool/grep?q=tool")).status).toBe(404);
  });

  test("and only commits that a ref reaches", async () => {
    const other = await GitWorkTree.create();
    using _ = other;
    await other.write("key", "the password is hunter2\n");
    const leaked = await other.commit("leak");
    await app.repository(alice, "clean");
    await other.push(`${app.url}/alice/clean.git`, alice.token, "main");
    await other.git("commit", "-q", "--amend", "-m", "clean", "--allow-empty");
    await other.write("key", "nothing\n");
    await other.git("add", "-A");
    await other.git("commit", "-q", "--amend", "--no-edit");
    await other.push(`${app.url}/alice/clean.git`, alice.token, "+main");
    const clean = "/repos/alice/clean/grep?q=hunter2";
    for (const ref of [leaked, leaked.slice(0, 10), first, "v1"]) {
      expect([ref, (await alice.api.get(`${clean}&ref=${ref}`)).status]).toEqual([ref, 404]);
    }
    expect((await alice.api.get<FoundJson>(clean)).body.total_count).toBe(0);
  });
});

test("a result, whole", async () => {
  const answer = await app.anonymous.get<FoundJson>(`${base}/grep?q=world&path=src&context=1`);
  const oid = await work.git("rev-parse", "main:src/hello.c");
  expect(answer.headers.get("x-total-count")).toBe("1");
  expect(redact(answer.body)).toEqual({
    commit_sha: first,
    total_count: 1,
    incomplete_results: false,
    skipped_files: 0,
    items: [
      {
        name: "hello.c",
        path: "src/hello.c",
        sha: oid,
        url: `<url>/api/v1${base}/contents/src/hello.c?ref=${first}`,
        html_url: "<url>/alice/code/src/branch/main/src/hello.c#L3",
        git_url: `<url>/api/v1${base}/git/blobs/${oid}`,
        truncated: false,
        lines: [
          { number: 2, text: "int main(void) {", is_match: false, truncated: false, byte_offset: 0, matches: [] },
          {
            number: 3,
            text: '  puts("Hello, world");',
            is_match: true,
            truncated: false,
            byte_offset: 0,
            matches: [{ text: "world", indices: [15, 20], byte_indices: [15, 20] }],
          },
          { number: 4, text: "  return 0;", is_match: false, truncated: false, byte_offset: 0, matches: [] },
        ],
      },
    ],
  });
  const { status } = await app.anonymous.request("GET", `${base}/grep?q=world&path=src&context=1`, {
    headers: { "if-none-match": answer.headers.get("etag") ?? "" },
  });
  expect(status).toBe(304);
});

describe("finds", () => {
  test.each<[string, string[]]>([
    ["q=Hello&path=src", ["src/hello.c:3:Hello"]],
    ["q=hello&path=src", ["src/lib/hello.h:1:hello", "src/lib/hello.h:2:hello"]],
    ["q=hello&word=true&path=src", ["src/lib/hello.h:1:hello"]],
    ["q=HELLO&ignore_case=true&path=*.c", ["src/hello.c:3:Hello"]],
    [
      "q=;&path=src/lib,src/hello.c",
      ["src/hello.c:3:;", "src/hello.c:4:;", "src/lib/hello.h:1:;", "src/lib/hello.h:2:;"],
    ],
    ["q=return&path=src/lib&path=src/hello.c", ["src/hello.c:4:return"]],
    ["q=h.llo&path=src", []],
    ["q=h.l&regex=true&path=src/lib", ["src/lib/hello.h:1:hel", "src/lib/hello.h:2:hel"]],
    ["q=%5Bl-o%5D%2B&regex=1&path=src/lib&word=1", []],
    ["q=%5E%23.*&regex=true", ["README.md:1:# Greetings", "src/hello.c:1:#include <stdio.h>"]],
    ["q=h%C3%A9llo", ["README.md:3:héllo"]],
    ["q=puts%0AGreet", ["README.md:1:Greet", "src/hello.c:3:puts"]],
    ["q=branch&ref=feature%2Fmore", ["src/more.c:1:branch"]],
    ["q=branch&ref=v1", []],
    ["q=.gitignore%20nowhere", []],
  ])("%s", async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  test("by a branch, a tag, a whole oid and the first digits", async () => {
    for (const [ref, commit] of [
      ["feature/more", second],
      ["refs/heads/feature/more", second],
      ["v1", first],
      [second, second],
      [second.slice(0, 8), second],
    ]) {
      const { commit_sha: searched } = await search(`q=hello&ref=${encodeURIComponent(ref ?? "")}`);
      expect([ref, searched]).toEqual([ref, commit ?? ""]);
    }
    expect((await app.anonymous.get(`${base}/grep?q=x&ref=none`)).status).toBe(404);
  });

  test("no binary files, long lines in part, and what is not UTF-8", async () => {
    const { items } = await search("q=hello");
    expect(items.map(({ path }) => path)).toEqual(["latin", "minified.js", "src/lib/hello.h"]);
    const [latin, minified] = items.map(({ lines }) => lines[0]);
    expect(latin).toMatchObject({
      text: "caf\ufffd hello",
      matches: [{ text: "hello", indices: [5, 10], byte_indices: [5, 10] }],
    });
    expect(minified).toMatchObject({ number: 1, truncated: true });
    expect(minified?.text).toHaveLength(2000);
    const [match] = minified?.matches ?? [];
    expect(match).toMatchObject({ text: "hello", byte_indices: [5000, 5005] });
    expect(match?.indices[0]).toBe(5000 - (minified?.byte_offset ?? 0));
  });

  test("nothing in an empty repository", async () => {
    await app.repository(alice, "void");
    expect(await search("q=x", "/repos/alice/void")).toEqual({
      commit_sha: "",
      total_count: 0,
      incomplete_results: false,
      skipped_files: 0,
      items: [],
    });
    expect((await alice.api.get("/repos/alice/void/grep?q=x&ref=main")).status).toBe(404);
  });
});

describe("is refused", () => {
  test.each([
    ["", "q is required"],
    ["q=", "q is required"],
    [`q=${"x".repeat(1001)}`, "q must be valid"],
    [`q=${"%C3%A9".repeat(600)}`, "more than 1000 bytes"],
    ["q=x&context=21", "context must be valid"],
    ["q=x&context=-1", "context must be valid"],
    ["q=x&regex=maybe", "regex must be true or false"],
    ["q=x&path=:!src", "begin with a colon"],
    [`q=x&path=${Array.from({ length: 101 }, () => "a").join(",")}`, "more than 100 patterns of paths"],
    ["q=(&regex=true", "a parenthesis is not closed"],
    ["q=(a)%5C1&regex=true", "references to groups are not understood"],
    ["q=x%7B1001%7D&regex=true", "more than 1000 repetitions"],
    ["q=((a%7B100%7D)%7B100%7D)%7B100%7D&regex=true", "repeats so much in itself"],
    ["q=a%00b", "NUL"],
  ])("case %#", async (query, message) => {
    const workedMs = measureWork();
    const { status, body } = await app.anonymous.get<{ message: string }>(`${base}/grep?${query}`);
    expect([status, body.message]).toEqual([422, expect.stringContaining(message)]);
    expect(workedMs()).toBeLessThan(2000);
  });
});

describe("many", () => {
  beforeAll(async () => {
    for (let file = 0; file < 70; file++) {
      await work.write(`many/${String(file).padStart(2, "0")}`, `line ${file}\n`.repeat(120));
    }
    await work.write("dull", `${"a".repeat(20_000)}\n`.repeat(20));
    await work.commit("many");
    await work.push(`${app.url}/alice/code.git`, alice.token, "HEAD:refs/heads/many");
  });

  test("files are paged, and lines of a file are limited", async () => {
    const query = "q=line%20%5B0-9%5D%7B2%7D&regex=true&ref=many&path=many/[0-3]*&limit=25";
    const pages: FoundJson[] = [];
    for (const page of [1, 2, 3]) {
      const answer = await app.anonymous.get<FoundJson>(`${base}/grep?${query}&page=${page}`);
      expect(answer.headers.get("x-total-count")).toBe("30");
      expect(answer.headers.get("link")?.includes('rel="next"') ?? false).toBe(page === 1);
      pages.push(answer.body);
    }
    expect(pages.map(({ items, total_count: total }) => [items.length, total])).toEqual([
      [25, 30],
      [5, 30],
      [0, 30],
    ]);
    const files = pages.flatMap(({ items }) => items);
    expect(new Set(files.map(({ path }) => path)).size).toBe(30);
    expect(files.every(({ truncated, lines }) => truncated && lines.length === 100)).toBe(true);
    expect(pages[0]?.incomplete_results).toBe(false);
  });

  test("a search that finds too much ends and says so", async () => {
    const { incomplete_results: incomplete, total_count: total } = await search("q=line&ref=many");
    expect([incomplete, total]).toEqual([true, 50]);
  });

  test.each([
    "(a*)*b",
    "(a|a)*c",
    "(.*)(.*)(.*)(.*)[^a]x",
    `${"a?".repeat(60)}${"a".repeat(60)}b`,
    "(a|b)*a(a|b){14}c",
  ])("%s takes no longer than the text is long", async (pattern) => {
    const workedMs = measureWork();
    const query = `q=${encodeURIComponent(pattern)}&regex=true&ref=many&path=dull`;
    expect((await search(query)).total_count).toBe(0);
    expect(workedMs()).toBeLessThan(8000);
  });
});

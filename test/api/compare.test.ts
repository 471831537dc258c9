import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { useTestApp } from "../support/test-app.ts";

interface CompareJson {
  total_commits: number;
  commits: { sha: string }[];
  files: { filename: string; status: string }[];
}

const app = await useTestApp();
const alice = await app.user("alice");
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
const base = "/repos/alice/work";

beforeAll(async () => {
  await app.repository(alice, "work");
  await work.write("kept.txt", "one\ntwo\nthree\n");
  await work.write("gone.txt", "gone\n");
  await work.commit("root");
  await work.git("checkout", "-q", "-b", "feature/a-b");
  await work.write("kept.txt", "one\n2\nthree\n");
  await work.write("new b\u00e4r.txt", "new\n");
  await work.commit("first of the branch");
  await work.git("rm", "-q", "gone.txt");
  await work.commit("Tidy \u00fcp\n\nA body.");
  await work.git("checkout", "-q", "main");
  await work.write("main.txt", "main\n");
  await work.commit("on main");
  await work.git("tag", "v1.0");
  await work.push(`${app.url}/alice/work.git`, alice.token, "main", "feature/a-b", "v1.0");
});

const compare = (range: string) => app.anonymous.get<CompareJson>(`${base}/compare/${range}`);
const oid = (name: string) => work.git("rev-parse", name);

describe("a comparison", () => {
  test("with three dots has the commits of head alone, and the files since the two parted", async () => {
    const { status, body } = await compare("main...feature%2Fa-b");
    expect(status).toBe(200);
    expect(body.total_commits).toBe(2);
    expect(body.commits.map(({ sha }) => sha)).toEqual([await oid("feature/a-b"), await oid("feature/a-b~1")]);
    expect(body.files).toEqual([
      { filename: "gone.txt", status: "removed" },
      { filename: "kept.txt", status: "modified" },
      { filename: "new b\u00e4r.txt", status: "added" },
    ]);
  });

  test("with two dots has all files that differ", async () => {
    const { body } = await compare("main..feature/a-b");
    expect(body.total_commits).toBe(2);
    expect(body.files.map(({ filename, status }) => `${status} ${filename}`)).toContain("removed main.txt");
  });

  test("takes tags and oids, and a name alone against the default branch", async () => {
    const feature = await oid("feature/a-b");
    expect((await compare(`v1.0...${feature}`)).body).toEqual((await compare("main...feature/a-b")).body);
    expect((await compare(`${(await oid("v1.0")).slice(0, 10)}...${feature}`)).body.total_commits).toBe(2);
    expect((await compare("feature/a-b")).body).toEqual((await compare("main...feature/a-b")).body);
    expect((await compare("main...main")).body).toEqual({ total_commits: 0, commits: [], files: [] });
  });

  test("of what is not there is not found, and of what may not be read neither", async () => {
    expect((await compare("main...nowhere")).status).toBe(404);
    expect((await compare("nowhere")).status).toBe(404);
    await app.repository(alice, "secret", { private: true });
    expect((await app.anonymous.get("/repos/alice/secret/compare/main...main")).status).toBe(404);
  });
});

describe("a commit as text", () => {
  const text = (name: string, type: string) => app.anonymous.get<string>(`${base}/git/commits/${name}.${type}`);

  test("is what git diff prints", async () => {
    const commit = await oid("feature/a-b~1");
    const { status, headers, body } = await text(commit, "diff");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/plain;charset=utf-8");
    expect(body).toBe(`${await work.git("diff", `${commit}~1`, commit)}\n`);
    const root = await oid("feature/a-b~2");
    expect((await text(root, "diff")).body).toBe(`${await work.git("show", "--format=", root)}\n`);
    expect((await text("feature%2Fa-b", "diff")).body).toBe(`${await work.git("show", "--format=", "feature/a-b")}\n`);
  });

  test("is a mail that git am makes the commit of", async () => {
    const commit = await oid("feature/a-b");
    const { body } = await text(commit, "patch");
    expect(body).toStartWith(`From ${commit} Mon Sep 17 00:00:00 2001\nFrom: Ann Author <ann@example.com>\n`);
    await work.git("checkout", "-q", "-b", "am", "feature/a-b~1");
    await Bun.write(`${work.directory}/.git/mail`, body);
    await work.git("am", "-q", ".git/mail");
    expect(await oid("am^{tree}")).toBe(await oid("feature/a-b^{tree}"));
    expect(await work.git("log", "-1", "--format=%B%an%ad", "am")).toBe(
      await work.git("log", "-1", "--format=%B%an%ad", "feature/a-b"),
    );
    await work.git("checkout", "-q", "main");
  });

  test("is not sent again to who has it, and is not found where there is none", async () => {
    const commit = await oid("main");
    const { headers } = await text(commit, "diff");
    expect(
      (await app.anonymous.get(`${base}/git/commits/${commit}.diff`, { "if-none-match": headers.get("etag")! })).status,
    ).toBe(304);
    expect((await text("1".repeat(40), "patch")).status).toBe(404);
    expect((await app.anonymous.get<{ sha: string }>(`${base}/git/commits/${commit}`)).body.sha).toBe(commit);
  });
});

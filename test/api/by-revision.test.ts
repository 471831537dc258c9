import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { useTestApp } from "../support/test-app.ts";

/** Addresses in which a revision and a path stand together: `raw/{ref}/{path}` of Drone and Jenkins, `git/trees/{rev}:{path}` of Decap CMS. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
const base = "/repos/alice/site";
let first = "";
let dangling = "";

beforeAll(async () => {
  for (const name of ["site", "hidden"]) {
    await app.repository(alice, name, { private: name === "hidden" });
  }
  await work.write("posts/one.md", "one\n");
  await work.write("posts/deep/with space/two.md", "two\n");
  await work.write("v1/here.txt", "a path of the default branch\n");
  first = await work.commit("first");
  await work.git("tag", "v1");
  await work.write("posts/one.md", "one, again\n");
  await work.commit("second");
  await work.git("branch", "feature/x");
  await work.git("checkout", "-q", "feature/x");
  await work.write("posts/one.md", "of the branch\n");
  await work.write("v1/here.txt", "of the branch, too\n");
  await work.commit("third");
  await work.git("checkout", "-q", "main");
  for (const name of ["site", "hidden"]) {
    await work.push(`${app.url}/alice/${name}.git`, alice.token, "main", "v1", "feature/x");
  }
  await work.git("checkout", "-q", "--detach");
  await work.write("posts/one.md", "nobody pushed this\n");
  dangling = await work.commit("fourth");
});

describe.each(["raw", "media"])("%s", (kind) => {
  const get = async (path: string, api = app.anonymous) => {
    const answer = await api.fetch("GET", `${base}/${kind}/${path}`);
    return [answer.status, answer.status === 200 ? await answer.text() : null];
  };

  test("takes the first segments as a branch, a tag or a commit", async () => {
    expect(await get("main/posts/one.md")).toEqual([200, "one, again\n"]);
    expect(await get("HEAD/posts/one.md")).toEqual([200, "one, again\n"]);
    expect(await get("feature/x/posts/one.md")).toEqual([200, "of the branch\n"]);
    expect(await get("feature%2Fx/posts/one.md")).toEqual([200, "of the branch\n"]);
    expect(await get("refs/heads/feature/x/posts/one.md")).toEqual([200, "of the branch\n"]);
    expect(await get("v1/posts/one.md")).toEqual([200, "one\n"]);
    expect(await get(`${first}/posts/one.md`)).toEqual([200, "one\n"]);
    expect(await get(`${first.slice(0, 10)}/posts/deep/with%20space/two.md`)).toEqual([200, "two\n"]);
  });

  test("takes the path as it is first, and with ref only that", async () => {
    expect(await get("v1/here.txt")).toEqual([200, "a path of the default branch\n"]);
    expect(await get("v1/v1/here.txt")).toEqual([200, "a path of the default branch\n"]);
    expect(await get("feature/x/v1/here.txt")).toEqual([200, "of the branch, too\n"]);
    expect(await get("main/posts/one.md?ref=main")).toEqual([404, null]);
    expect(await get("posts/one.md?ref=v1")).toEqual([200, "one\n"]);
    expect(await get("main/posts/one.md?ref=")).toEqual([200, "one, again\n"]);
  });

  test("is 404 for what is not there, for a directory, and for a commit that no ref reaches", async () => {
    for (const path of [
      "main",
      "main/posts",
      "main/none.md",
      "none/posts/one.md",
      "feature/posts/one.md",
      `${dangling}/posts/one.md`,
      `${"a/".repeat(2000)}b`,
    ]) {
      expect([path, (await get(path))[0]]).toEqual([path, 404]);
    }
    expect((await bob.api.fetch("GET", `/repos/alice/hidden/${kind}/main/posts/one.md`)).status).toBe(404);
    await app.repository(alice, `empty-${kind}`);
    expect((await alice.api.get(`/repos/alice/empty-${kind}/${kind}/main/x`)).status).toBe(404);
  });
});

interface Tree {
  sha: string;
  tree: { path: string; type: string }[];
  truncated: boolean;
  total_count: number;
}

describe("git/trees", () => {
  const get = (named: string) => app.anonymous.get<Tree>(`${base}/git/trees/${named}`);
  const paths = async (named: string) => (await get(named)).body.tree.map(({ path }) => path);

  test("takes a revision with a path", async () => {
    expect(await paths("main:posts")).toEqual(["deep", "one.md"]);
    const { body } = await get("main:posts");
    expect(body.sha).toBe(await work.git("rev-parse", "main:posts"));
    expect(await paths("main:posts/deep")).toEqual(["with space"]);
    expect(await paths("main:posts%2Fdeep%2Fwith%20space")).toEqual(["two.md"]);
    expect(await paths("main%3Aposts%2Fdeep")).toEqual(["with space"]);
    expect(await paths("main:posts/")).toEqual(["deep", "one.md"]);
    expect(await paths("main:")).toEqual(["posts", "v1"]);
    expect(await paths("feature/x:posts")).toEqual(["deep", "one.md"]);
    expect(await paths("feature%2Fx:posts%2Fdeep")).toEqual(["with space"]);
    expect(await paths("v1:posts")).toEqual(["deep", "one.md"]);
    expect(await paths(`${first}:posts`)).toEqual(["deep", "one.md"]);
    expect(await paths(`${body.sha}:deep`)).toEqual(["with space"]);
  });

  test("whole and page by page, with paths from the directory that is asked for", async () => {
    expect(await paths("main:posts?recursive=1")).toEqual([
      "deep",
      "deep/with space",
      "deep/with space/two.md",
      "one.md",
    ]);
    const page = (await get("main:posts?recursive=true&per_page=2&page=2")).body;
    expect([page.tree.map(({ path }) => path), page.truncated, page.total_count]).toEqual([
      ["deep/with space/two.md", "one.md"],
      false,
      4,
    ]);
    expect((await get("main:posts?per_page=1")).body.truncated).toBe(true);
  });

  test("is 404 for a path that is not there, for a file, and for a revision that is none", async () => {
    for (const named of ["main:none", "main:posts/one.md", "none:posts", ":posts", "main:../x"]) {
      const { status, body } = await app.anonymous.get<{ message: string }>(`${base}/git/trees/${named}`);
      expect([named, status, body.message]).toEqual([named, 404, expect.stringContaining("There is no") as never]);
    }
    expect((await get(`${dangling}:posts`)).status).toBe(404);
    expect((await bob.api.get("/repos/alice/hidden/git/trees/main:posts")).status).toBe(404);
  });
});

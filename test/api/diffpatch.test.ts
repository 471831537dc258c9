import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { useTestApp } from "../support/test-app.ts";

interface FileJson {
  content: null;
  commit: { sha: string; message: string; author: { name: string } };
}

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
const path = "/repos/alice/patched/diffpatch";
const sha = "0".repeat(40);

beforeAll(async () => {
  await app.repository(alice, "patched");
  await work.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n");
  await work.write("dir/old name.txt", "kept\nlines\nof a file\n");
  await work.write("gone.txt", "gone\n");
  await work.commit("root");
  await work.push(`${app.url}/alice/patched.git`, alice.token, "main");
});

/** Changes the work tree, and answers what git says of it. */
async function patchOf(...flags: string[]): Promise<string> {
  await work.git("add", "-A");
  return (await work.run(["diff", "--cached", ...flags])).toString();
}

describe("a patch", () => {
  test("is committed: changed, new, renamed, removed and binary files", async () => {
    await work.write("a.txt", "one\n2\nthree\nfour\nfive\nsix\nseven\n");
    await work.write("new b\u00e4r.txt", "no line feed");
    await work.write("binary", Buffer.from([0, 1, 2, 255]));
    await work.git("mv", "dir/old name.txt", "moved.txt");
    await work.git("rm", "-q", "gone.txt");
    const patch = await patchOf("-M", "--binary");
    expect(patch).toContain("rename from dir/old name.txt");
    const { status, body } = await alice.api.post<FileJson>(path, {
      content: patch,
      sha,
      message: "By a patch",
      branch: "main",
      author: { name: "Ann", email: "ann@example.org" },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ content: null, commit: { message: "By a patch\n", author: { name: "Ann" } } });
    await work.git("fetch", "-q", `${app.url}/alice/patched.git`, "main");
    expect(await work.git("rev-parse", "FETCH_HEAD")).toBe(body.commit.sha);
    expect(await work.git("rev-parse", "FETCH_HEAD^{tree}")).toBe(await work.git("write-tree"));
    await work.git("reset", "-q", "--hard", "FETCH_HEAD");
  });

  test("finds its lines where they have moved to, goes to a new branch, and may be in base64", async () => {
    await work.write("a.txt", "one\n2\nthree\nfour\nfive\nsix\n7\n");
    const patch = await patchOf();
    await work.git("reset", "-q", "--hard");
    await work.write("a.txt", "zero\none\n2\nthree\nfour\nfive\nsix\nseven\n");
    await work.commit("one line more");
    await work.push(`${app.url}/alice/patched.git`, alice.token, "main");
    const { status } = await alice.api.post(path, {
      content: Buffer.from(patch).toString("base64"),
      sha,
      new_branch: "seven",
    });
    expect(status).toBe(200);
    const { body } = await app.anonymous.get<string>("/repos/alice/patched/raw/a.txt?ref=seven");
    expect(body).toBe("zero\none\n2\nthree\nfour\nfive\nsix\n7\n");
  });

  test("that does not fit, or is none, changes nothing", async () => {
    const before = (await app.anonymous.get<{ commit: { id: string } }>("/repos/alice/patched/branches/main")).body
      .commit.id;
    const refused: readonly [string, string][] = [
      ["--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-nowhere\n+x\n", "its lines from 1 on are not there"],
      ["--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n", "it exists already"],
      ["--- a/missing\n+++ b/missing\n@@ -1 +1 @@\n-a\n+b\n", "there is no such file"],
      ["--- /dev/null\n+++ b/../up\n@@ -0,0 +1 @@\n+x\n", ".."],
      ["--- /dev/null\n+++ b/.git/config\n@@ -0,0 +1 @@\n+x\n", ".git"],
      ["no patch at all, but text", "there is no file in it"],
    ];
    for (const [content, reason] of refused) {
      const { status, body } = await alice.api.post<{ message: string }>(path, { content, sha });
      expect(status).toBe(422);
      expect(body.message).toContain(reason);
    }
    expect((await alice.api.post(path, { content: refused[0]![0], sha, branch: "nowhere" })).status).toBe(404);
    expect(
      (await app.anonymous.get<{ commit: { id: string } }>("/repos/alice/patched/branches/main")).body.commit.id,
    ).toBe(before);
  });

  test("is for those who may write", async () => {
    const body = { content: "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n", sha };
    expect((await app.anonymous.post(path, body)).status).toBe(401);
    expect((await bob.api.post(path, body)).status).toBe(403);
    await app.repository(alice, "hidden", { private: true });
    expect((await bob.api.post("/repos/alice/hidden/diffpatch", body)).status).toBe(404);
  });
});

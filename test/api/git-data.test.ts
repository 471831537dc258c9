import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";

interface TreeJson {
  sha: string;
  tree: { path: string; mode: string; type: string; size: number; sha: string }[];
  truncated: boolean;
  page: number;
  total_count: number;
}

const app = await useTestApp();
const alice = await app.user("alice");
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
const base = "/repos/alice/objects";

beforeAll(async () => {
  await app.repository(alice, "objects");
  await work.write("dir/deep/file.txt", "deep\n");
  await work.write("dir ü/x#y.bin", new Uint8Array([0, 1, 2, 255]));
  await work.write("run.sh", "#!/bin/sh\n");
  await work.git("add", "-A");
  await work.git("update-index", "--chmod=+x", "run.sh");
  await work.link("link", "run.sh");
  await work.submodule("module", "2".repeat(40));
  await work.commit("all kinds");
  await work.git("tag", "-a", "-m", "tag", "v1");
  await work.git("tag", "light");
  await work.push(
    `${app.url}/alice/objects.git`,
    alice.token,
    "main",
    "main:refs/heads/feature/one",
    "v1",
    "light",
    "main^{tree}:refs/tags/tree",
  );
});

describe("trees", () => {
  test("are what git ls-tree says, with and without what is below", async () => {
    for (const [query, flags] of [
      ["", []],
      ["?recursive=true", ["-r", "-t"]],
      ["?recursive=1", ["-r", "-t"]],
    ] as const) {
      const { body } = await app.anonymous.get<TreeJson>(`${base}/git/trees/main${query}`);
      const lines = (await work.git("ls-tree", "-z", "-l", ...flags, "main")).split("\0").filter(Boolean);
      const expected = lines.map((line) => {
        const [meta = "", path = ""] = line.split("\t");
        const [mode, type, sha, size = ""] = meta.split(/ +/);
        return { path, mode, type, size: size === "-" ? 0 : Number(size), sha };
      });
      expect(body.tree.map(({ path, mode, type, size, sha }) => ({ path, mode, type, size, sha }))).toEqual(
        expected as TreeJson["tree"],
      );
      expect(body).toMatchObject({
        sha: await work.git("rev-parse", "main^{tree}"),
        truncated: false,
        page: 1,
        total_count: expected.length,
      });
    }
  });

  test("in pages, and by the oid of a commit, tree or tag", async () => {
    const all = (await app.anonymous.get<TreeJson>(`${base}/git/trees/main?recursive=true`)).body.tree.map(
      (entry) => entry.path,
    );
    const second = (await app.anonymous.get<TreeJson>(`${base}/git/trees/main?recursive=true&per_page=3&page=2`)).body;
    expect(second.tree.map((entry) => entry.path)).toEqual(all.slice(3, 6));
    expect(second).toMatchObject({ truncated: true, page: 2, total_count: all.length });
    for (const name of ["main", "main^{tree}", "main:dir", "v1"]) {
      const oid = await work.git("rev-parse", name);
      expect([name, (await app.anonymous.get<TreeJson>(`${base}/git/trees/${oid}`)).body.sha]).toEqual([
        name,
        await work.git("rev-parse", `${oid}^{tree}`),
      ]);
    }
    for (const name of ["none", await work.git("rev-parse", "main:run.sh"), "1".repeat(40)]) {
      expect((await app.anonymous.get(`${base}/git/trees/${name}`)).status).toBe(404);
    }
  });
});

describe("blobs", () => {
  test("whole", async () => {
    const oid = await work.git("rev-parse", "main:dir ü/x#y.bin");
    expect(redact((await app.anonymous.get(`${base}/git/blobs/${oid}`)).body)).toEqual({
      content: Buffer.from([0, 1, 2, 255]).toString("base64"),
      encoding: "base64",
      url: `<url>/api/v1${base}/git/blobs/${oid}`,
      sha: oid,
      size: 4,
    });
    for (const name of [await work.git("rev-parse", "main"), await work.git("rev-parse", "main^{tree}"), "none"]) {
      expect((await app.anonymous.get(`${base}/git/blobs/${name}`)).status).toBe(404);
    }
  });

  test("at an address that cannot be read is 400", async () => {
    for (const path of ["git/blobs/%zz", "git/trees/%zz", "git/tags/%zz", "raw/%zz"]) {
      expect([path, (await app.anonymous.get(`${base}/${path}`)).status]).toEqual([path, 400]);
    }
  });

  test("of what no ref reaches any more are not shown, nor those of another repository", async () => {
    await work.write("secret.txt", "a secret\n");
    const commit = await work.commit("a mistake");
    const oid = await work.git("rev-parse", "HEAD:secret.txt");
    await work.push(`${app.url}/alice/objects.git`, alice.token, "HEAD:refs/heads/mistake");
    expect((await app.anonymous.get(`${base}/git/blobs/${oid}`)).status).toBe(200);
    await work.push(`${app.url}/alice/objects.git`, alice.token, ":refs/heads/mistake");
    for (const path of [
      `git/blobs/${oid}`,
      `git/trees/${commit}`,
      `git/commits/${commit}`,
      `raw/secret.txt?ref=${commit}`,
    ]) {
      expect([path, (await app.anonymous.get(`${base}/${path}`)).status]).toEqual([path, 404]);
    }
    await app.repository(alice, "other", { auto_init: true });
    expect(
      (await app.anonymous.get(`/repos/alice/other/git/blobs/${await work.git("rev-parse", "main~1:run.sh")}`)).status,
    ).toBe(404);
  });
});

describe("refs", () => {
  test("all, with the type of what they point at", async () => {
    const { body } = await app.anonymous.get<{ ref: string; url: string; object: { type: string; sha: string } }[]>(
      `${base}/git/refs`,
    );
    const listed = (await work.git("ls-remote", "--refs", `${app.url}/alice/objects.git`))
      .split("\n")
      .map((line) => line.split("\t").toReversed());
    expect(body.map((ref) => [ref.ref, ref.object.sha])).toEqual(listed as string[][]);
    expect(body.map((ref) => [ref.ref, ref.object.type])).toEqual([
      ["refs/heads/feature/one", "commit"],
      ["refs/heads/main", "commit"],
      ["refs/tags/light", "commit"],
      ["refs/tags/tree", "tree"],
      ["refs/tags/v1", "tag"],
    ]);
    expect(redact(body[0])).toMatchObject({
      url: `<url>/api/v1${base}/git/refs/heads/feature/one`,
      object: { url: `<url>/api/v1${base}/git/commits/${body[0]?.object.sha}` },
    });
  });

  test("whose names begin so", async () => {
    const names = async (path: string) =>
      (await app.anonymous.get<{ ref: string }[]>(`${base}/git/refs/${path}`)).body.map((ref) => ref.ref);
    expect(await names("heads/main")).toEqual(["refs/heads/main"]);
    expect(await names("heads%2Ffeature")).toEqual(["refs/heads/feature/one"]);
    expect(await names("tags")).toEqual(["refs/tags/light", "refs/tags/tree", "refs/tags/v1"]);
    expect(await names("refs/tags/v")).toEqual(["refs/tags/v1"]);
    expect((await app.anonymous.get(`${base}/git/refs/none`)).status).toBe(404);
    expect((await app.anonymous.get(`${base}/git/refs/${encodeURIComponent("tags/%")}`)).status).toBe(404);
  });
});

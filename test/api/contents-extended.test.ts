import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findLicense } from "../../src/domain/git/licenses/licenses.ts";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { useTestApp } from "../support/test-app.ts";

interface Entry {
  path: string;
  type: string;
  size: number;
  content?: string | null;
  last_commit_sha?: string;
  last_commit_message?: string;
  last_committer_date?: string;
  last_author_date?: string;
  lfs_oid?: string;
  lfs_size?: number;
}

interface Extended {
  dir_contents?: Entry[];
  file_contents?: Entry;
}

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
const base = "/repos/alice/site";
const lfsOid = "a1".repeat(32);
let first = "";
let second = "";

const licenseText = (key: string) => findLicense(key)?.body ?? "";

beforeAll(async () => {
  await app.repository(alice, "site");
  await app.repository(alice, "secret", { private: true });
  await app.repository(alice, "empty");
  await work.write("a.txt", "one\n");
  await work.write("docs/b.md", "b\n");
  await work.write("big.iso", `version https://git-lfs.github.com/spec/v1\noid sha256:${lfsOid}\nsize 12345\n`);
  await work.write("LICENSE-MIT", licenseText("MIT").replace("[year] [fullname]", "2031 The Smiths"));
  await work.write("LICENSE-APACHE", licenseText("Apache-2.0").replaceAll("\n", "\r\n"));
  await work.write("COPYING.txt", "Do as you please, but not on Sundays.\n");
  await work.write("docs/LICENSE", licenseText("GPL-3.0"));
  first = await work.commit("first");
  await work.git("branch", "older");
  await work.write("a.txt", "two\n");
  await work.write("license.md", "SPDX-License-Identifier: isc\n");
  second = await work.commit("second\n\nwith a body\n");
  for (const name of ["site", "secret"]) {
    await work.push(`${app.url}/alice/${name}.git`, alice.token, "main", "older");
  }
});

describe("who may read", () => {
  test.each(["contents-ext", "contents-ext/a.txt", 'file-contents?body={"files":["a.txt"]}', "licenses"])(
    "%s",
    async (path) => {
      for (const client of [app.anonymous, bob.api]) {
        const { status, body } = await client.get<{ message: string }>(`/repos/alice/secret/${path}`);
        expect([status, body.message]).toEqual([404, 'There is no repository "alice/secret"']);
      }
      expect((await (await app.scoped(alice, "read:user")).get(`${base}/${path}`)).status).toBe(403);
      expect((await alice.api.get(`/repos/alice/secret/${path}`)).status).toBe(200);
    },
  );

  test("the question by POST needs a token that may write, as any POST does, and works on an archived repository", async () => {
    const asked = { files: ["a.txt"] };
    expect((await app.anonymous.post("/repos/alice/secret/file-contents", asked)).status).toBe(404);
    expect((await (await app.scoped(alice, "read:repository")).post(`${base}/file-contents`, asked)).status).toBe(403);
    expect((await app.anonymous.post(`${base}/file-contents`, asked)).status).toBe(200);
    await app.repository(alice, "old", { auto_init: true });
    await alice.api.patch("/repos/alice/old", { archived: true });
    expect((await alice.api.post("/repos/alice/old/file-contents", asked)).body).toEqual([null]);
  });
});

describe("contents-ext", () => {
  test("tells no more than it is asked for", async () => {
    const { status, body } = await app.anonymous.get<Extended>(`${base}/contents-ext/a.txt`);
    expect(status).toBe(200);
    const file = body.file_contents;
    expect(file).toMatchObject({ path: "a.txt", type: "file", size: 4, content: null });
    expect(body).not.toHaveProperty("dir_contents");
    for (const field of ["last_commit_sha", "last_commit_message", "last_author_date", "lfs_oid"]) {
      expect(file).not.toHaveProperty(field);
    }
  });

  test("tells content, commits and what stands in LFS", async () => {
    const all = "?includes=file_content,commit_metadata,commit_message,lfs_metadata";
    const file = (await app.anonymous.get<Extended>(`${base}/contents-ext/a.txt${all}`)).body.file_contents;
    expect(file).toMatchObject({
      content: Buffer.from("two\n").toString("base64"),
      last_commit_sha: second,
      last_commit_message: "second\n\nwith a body\n",
    });
    expect(file).not.toHaveProperty("lfs_oid");
    const committed = new Date(await work.git("log", "-1", "--format=%cI", second)).getTime();
    expect(new Date(file?.last_committer_date ?? "").getTime()).toBe(committed);
    const written = new Date(await work.git("log", "-1", "--format=%aI", second)).getTime();
    expect(new Date(file?.last_author_date ?? "").getTime()).toBe(written);
    const pointer = (await app.anonymous.get<Extended>(`${base}/contents-ext/big.iso${all}`)).body.file_contents;
    expect(pointer).toMatchObject({ lfs_oid: lfsOid, lfs_size: 12345, last_commit_sha: first });
    const older = (await app.anonymous.get<Extended>(`${base}/contents-ext/a.txt${all}&ref=older`)).body.file_contents;
    expect(older).toMatchObject({ last_commit_sha: first, last_commit_message: "first\n" });
  });

  test("lists directories, the root included", async () => {
    const { body } = await app.anonymous.get<Extended>(`${base}/contents-ext?includes=commit_message,lfs_metadata`);
    expect(body).not.toHaveProperty("file_contents");
    const entries = new Map(body.dir_contents?.map((entry) => [entry.path, entry]));
    expect([...entries.keys()].sort()).toEqual(
      ["COPYING.txt", "LICENSE-APACHE", "LICENSE-MIT", "a.txt", "big.iso", "docs", "license.md"].sort(),
    );
    expect(entries.get("docs")).toMatchObject({ type: "dir", last_commit_sha: first, last_commit_message: "first\n" });
    expect(entries.get("big.iso")).toMatchObject({ lfs_oid: lfsOid });
    expect(entries.get("a.txt")).toMatchObject({ last_commit_sha: second });
    const plain = (await app.anonymous.get<Extended>(`${base}/contents-ext/docs`)).body.dir_contents ?? [];
    expect(plain.map(({ path }) => path)).toEqual(["docs/LICENSE", "docs/b.md"]);
    expect(plain[0]).not.toHaveProperty("last_commit_sha");
    expect((await app.anonymous.get("/repos/alice/empty/contents-ext")).body).toEqual({ dir_contents: [] });
  });

  test("refuses what it does not know", async () => {
    const { status, body } = await app.anonymous.get<{ message: string }>(`${base}/contents-ext?includes=blame`);
    expect([status, body.message]).toEqual([
      422,
      'includes must name file_content, lfs_metadata, commit_metadata, commit_message, not "blame"',
    ]);
    expect((await app.anonymous.get(`${base}/contents-ext/none`)).status).toBe(404);
    expect((await app.anonymous.get(`${base}/contents-ext?ref=none`)).status).toBe(404);
  });
});

describe("file-contents", () => {
  test("describes files in the order of their paths, by GET and by POST", async () => {
    const files = ["docs/b.md", "none", "a.txt", "docs"];
    const posted = await app.anonymous.post<(Entry | null)[]>(`${base}/file-contents`, { files });
    expect(posted.status).toBe(200);
    expect(posted.body.map((entry) => entry?.path ?? null)).toEqual(["docs/b.md", null, "a.txt", null]);
    expect(posted.body[2]).toMatchObject({
      content: Buffer.from("two\n").toString("base64"),
      last_commit_sha: second,
    });
    const query = `body=${encodeURIComponent(JSON.stringify({ files }))}`;
    expect((await app.anonymous.get(`${base}/file-contents?${query}`)).body).toEqual(posted.body);
    const older = await app.anonymous.get<Entry[]>(`${base}/file-contents?${query}&ref=older`);
    expect(older.body[2]).toMatchObject({ content: Buffer.from("one\n").toString("base64"), last_commit_sha: first });
    const single = await app.anonymous.get<Entry>(`${base}/contents/a.txt?ref=main`);
    expect(single.body).toMatchObject({ last_commit_sha: second });
  });

  test.each([
    ["body=nothing", 'body must be JSON such as {"files": ["README.md"]}, not "nothing"'],
    ["body={}", "files is required"],
    ["", "body is required"],
  ])("refuses %p", async (query, message) => {
    const { status, body } = await app.anonymous.get<{ message: string }>(`${base}/file-contents?${query}`);
    expect([status, body.message]).toEqual([422, message]);
  });

  test("refuses none and more than fifty", async () => {
    for (const count of [0, 51]) {
      const files = Array.from({ length: count }, () => "a.txt");
      expect((await app.anonymous.post(`${base}/file-contents`, { files })).status).toBe(422);
    }
    expect((await app.anonymous.post(`${base}/file-contents?ref=none`, { files: ["a.txt"] })).status).toBe(404);
  });
});

describe("licenses", () => {
  test("are those of the files of the root that are one", async () => {
    expect((await app.anonymous.get(`${base}/licenses`)).body).toEqual(["Apache-2.0", "ISC", "MIT"]);
    expect((await app.anonymous.get("/repos/alice/empty/licenses")).body).toEqual([]);
  });
});

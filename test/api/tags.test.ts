import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";

interface TagJson {
  name: string;
  id: string;
  message: string;
  commit: { sha: string };
}

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
const base = "/repos/alice/tree";
let first = "";
let second = "";

beforeAll(async () => {
  await app.repository(alice, "tree");
  await work.write("a", "1\n");
  first = await work.commit("first");
  await work.git("tag", "-a", "-m", "The first\n\nof many", "v1", first);
  await work.write("a", "2\n");
  second = await work.commit("second");
  await work.git("tag", "light/weight");
  await work.push(
    `${app.url}/alice/tree.git`,
    alice.token,
    "main",
    "v1",
    "light/weight",
    `${first}^{tree}:refs/tags/of-a-tree`,
  );
});

test("only those who may write change tags, and not in an archive", async () => {
  const reader = await app.scoped(alice, "read:repository");
  for (const [method, path, body] of [
    ["POST", "tags", { tag_name: "x" }],
    ["DELETE", "tags/v1", undefined],
  ] as const) {
    const options = body === undefined ? {} : { body };
    expect([method, (await app.anonymous.request(method, `${base}/${path}`, options)).status]).toEqual([method, 401]);
    expect([method, (await bob.api.request(method, `${base}/${path}`, options)).status]).toEqual([method, 403]);
    expect([method, (await reader.request(method, `${base}/${path}`, options)).status]).toEqual([method, 403]);
    expect([method, (await bob.api.request(method, `/repos/alice/none/${path}`, options)).status]).toEqual([
      method,
      404,
    ]);
  }
  await app.repository(alice, "archive", { auto_init: true });
  await alice.api.patch("/repos/alice/archive", { archived: true });
  expect((await alice.api.post("/repos/alice/archive/tags", { tag_name: "x" })).status).toBe(423);
});

describe("read", () => {
  test("an annotated tag, whole", async () => {
    const oid = await work.git("rev-parse", "v1");
    const { body } = await app.anonymous.get(`${base}/tags/v1`);
    expect(redact(body)).toEqual({
      name: "v1",
      message: "The first\n\nof many",
      id: oid,
      commit: { url: `<url>/api/v1${base}/git/commits/${first}`, sha: first, created: "<time>" },
      zipball_url: `<url>/api/v1${base}/archive/v1.zip`,
      tarball_url: `<url>/api/v1${base}/archive/v1.tar.gz`,
      archive_download_count: { zip: 0, tar_gz: 0 },
    });
    expect(redact((await app.anonymous.get(`${base}/git/tags/${oid}`)).body)).toEqual({
      tag: "v1",
      sha: oid,
      url: `<url>/api/v1${base}/git/tags/${oid}`,
      message: "The first\n\nof many\n",
      tagger: { name: "Carl Committer", email: "carl@example.com", date: "<time>" },
      object: { type: "commit", url: `<url>/api/v1${base}/git/commits/${first}`, sha: first },
      verification: {
        verified: false,
        reason: "gpg.error.not_signed_commit",
        signature: "",
        signer: null,
        payload: "",
      },
      archive_download_count: { zip: 0, tar_gz: 0 },
    });
    expect((await app.anonymous.get(`${base}/git/tags/${first}`)).status).toBe(404);
    expect((await app.anonymous.get(`${base}/git/tags/v1`)).status).toBe(404);
  });

  test("all of them, of a commit or of something else", async () => {
    const { body, headers } = await app.anonymous.get<TagJson[]>(`${base}/tags`);
    expect(headers.get("x-total-count")).toBe("3");
    expect(body.map((tag) => [tag.name, tag.commit?.sha ?? null, tag.message]) as unknown).toEqual([
      ["light/weight", second, "second"],
      ["of-a-tree", null, ""],
      ["v1", first, "The first\n\nof many"],
    ]);
    expect((await app.anonymous.get<TagJson[]>(`${base}/tags?limit=1&page=3`)).body.map((tag) => tag.name)).toEqual([
      "v1",
    ]);
    for (const path of ["light/weight", "light%2Fweight"]) {
      expect((await app.anonymous.get<TagJson>(`${base}/tags/${path}`)).body.id).toBe(second);
    }
    expect((await app.anonymous.get(`${base}/tags/light`)).status).toBe(404);
    expect((await app.anonymous.get(`${base}/contents?ref=of-a-tree`)).status).toBe(404);
  });
});

describe("create and delete", () => {
  test.each(["a..b", "a~1", "x.lock"])("a tag of the impossible name %s does not exist", async (name) => {
    expect((await alice.api.delete(`${base}/tags/${name}`)).status).toBe(404);
    expect((await alice.api.get(`${base}/tags/${name}`)).status).toBe(404);
  });

  test("lightweight, or annotated when there is a message", async () => {
    const light = await alice.api.post<TagJson>(`${base}/tags`, { tag_name: "n1", target: "v1" });
    expect([light.status, light.body.id, light.body.commit.sha]).toEqual([201, first, first]);
    const annotated = await alice.api.post<TagJson>(`${base}/tags`, { tag_name: "dir/n2", message: "Notes\r\n" });
    expect([annotated.status, annotated.body.message, annotated.body.commit.sha]).toEqual([201, "Notes", second]);
    await work.git("fetch", "-q", `${app.url}/alice/tree.git`, "+refs/tags/*:refs/fetched/*");
    expect(await work.git("cat-file", "-t", "refs/fetched/n1")).toBe("commit");
    expect(await work.git("cat-file", "-t", annotated.body.id)).toBe("tag");
    expect(await work.git("rev-parse", "refs/fetched/dir/n2^{commit}")).toBe(second);
    expect(
      await work.git("for-each-ref", "--format=%(taggername) %(taggeremail) %(contents)", "refs/fetched/dir/n2"),
    ).toStartWith("alice <alice@example.com> Notes");
    await work.git("fsck", "--strict");
    for (const path of ["n1", "dir/n2"]) {
      expect((await alice.api.delete(`${base}/tags/${path}`)).status).toBe(204);
      expect((await alice.api.delete(`${base}/tags/${path}`)).status).toBe(404);
    }
  });

  test("not what exists, is in the way, has no target or no name", async () => {
    const post = async (body: Record<string, unknown>) => (await alice.api.post(`${base}/tags`, body)).status;
    expect(await post({ tag_name: "v1" })).toBe(409);
    expect(await post({ tag_name: "v1/below" })).toBe(409);
    expect(await post({ tag_name: "light" })).toBe(409);
    expect(await post({ tag_name: "x", target: "none" })).toBe(404);
    for (const name of ["a..b", "a b", "-a", "a.lock", "", "x".repeat(300)]) {
      expect([name, await post({ tag_name: name })]).toEqual([name, 422]);
    }
    expect(await post({})).toBe(422);
  });
});

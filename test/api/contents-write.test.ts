import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import type { TestUser } from "../support/test-app.ts";
import { useTestApp } from "../support/test-app.ts";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { redact } from "../support/redact.ts";

interface FileAnswer {
  content: { sha: string; path: string; content: string } | null;
  commit: {
    sha: string;
    message: string;
    parents: { sha: string }[];
    author: { name: string; email: string; date: string };
    committer: { name: string; email: string; date: string };
  };
  message?: string;
}

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const base64 = (text: string) => Buffer.from(text).toString("base64");
const text = (answer: { content: { content: string } | null }) =>
  Buffer.from(answer.content?.content ?? "", "base64").toString();

let made = 0;
/** A repository of alice with a README. */
async function repository(fields: Record<string, unknown> = { auto_init: true }): Promise<string> {
  const name = `repo-${++made}`;
  await app.repository(alice, name, fields);
  return `/repos/alice/${name}`;
}

async function clone(path: string): Promise<GitWorkTree> {
  const work = await GitWorkTree.create();
  await work.git("fetch", "-q", `${app.url}${path.replace("/repos", "")}.git`, "+refs/*:refs/fetched/*");
  return work;
}

const create = (user: TestUser, path: string, file: string, body: Record<string, unknown> = {}) =>
  user.api.post<FileAnswer>(`${path}/contents/${file}`, { content: base64("new\n"), ...body });

describe("who may write", () => {
  test("nobody who may only read, nor anybody with a token for reading, nor into an archive", async () => {
    const path = await repository();
    const body = { content: base64("x") };
    const reader = await app.scoped(alice, "read:repository");
    for (const [method, file] of [
      ["POST", "contents/x"],
      ["PUT", "contents/README.md"],
      ["DELETE", "contents/README.md"],
      ["POST", "contents"],
    ] as const) {
      expect([method, (await app.anonymous.request(method, `${path}/${file}`, { body })).status]).toEqual([
        method,
        401,
      ]);
      expect([method, (await bob.api.request(method, `${path}/${file}`, { body })).status]).toEqual([method, 403]);
      expect([method, (await reader.request(method, `${path}/${file}`, { body })).status]).toEqual([method, 403]);
    }
    const hidden = await repository({ private: true, auto_init: true });
    expect((await create(bob, hidden, "x")).status).toBe(404);
    await alice.api.patch(path, { archived: true });
    expect((await create(alice, path, "x")).status).toBe(423);
  });
});

describe("create", () => {
  test("takes a file that is too large to be held, alone and beside others", async () => {
    const path = await repository();
    // Hardly compresses, and is not the same anywhere.
    const large = Buffer.concat(Array.from({ length: 140 }, () => crypto.getRandomValues(new Uint8Array(65_536))));
    const middle = large.subarray(0, 2_000_001);
    expect((await create(alice, path, "large", { content: large.toString("base64") })).status).toBe(201);
    const files = [
      { operation: "create", path: "copy", content: large.toString("base64") },
      { operation: "create", path: "middle", content: middle.toString("base64") },
      { operation: "create", path: "small", content: base64("new\n") },
    ];
    expect((await alice.api.post(`${path}/contents`, { files })).status).toBe(201);
    const modules = await create(alice, path, ".gitmodules", { content: large.toString("base64") });
    expect([modules.status, modules.body.message]).toEqual([
      422,
      expect.stringContaining(`it has ${large.length} bytes`),
    ]);
    expect((await create(alice, path, "bad", { content: `${middle.toString("base64")}A` })).status).toBe(422);
    using work = await clone(path);
    for (const [file, content] of [
      ["large", large],
      ["copy", large],
      ["middle", middle],
      ["small", Buffer.from("new\n")],
    ] as const) {
      expect(await work.git("rev-parse", `refs/fetched/heads/main:${file}`)).toBe(
        new Bun.CryptoHasher("sha1").update(`blob ${content.length}\0`).update(content).digest("hex"),
      );
    }
    expect(await work.git("fsck", "--full", "--strict")).toBe("");
    expect(readdirSync(app.forge.files.temporaryDirectory)).toEqual([]);
  });

  test("answers with the file and its commit, and git finds both", async () => {
    const path = await repository();
    const { status, body } = await create(alice, path, "docs/new.txt", { message: "Add a note" });
    expect(status).toBe(201);
    using work = await clone(path);
    const head = await work.git("rev-parse", "refs/fetched/heads/main");
    const blob = await work.git("rev-parse", `${head}:docs/new.txt`);
    const tree = await work.git("rev-parse", `${head}^{tree}`);
    const parent = await work.git("rev-parse", `${head}^`);
    const api = `<url>/api/v1${path}`;
    expect(redact(body)).toEqual({
      content: {
        name: "new.txt",
        path: "docs/new.txt",
        sha: blob,
        last_commit_sha: head,
        last_commit_when: "<time>",
        type: "file",
        size: 4,
        encoding: "base64",
        content: base64("new\n"),
        target: null,
        url: `${api}/contents/docs/new.txt?ref=main`,
        html_url: `<url>${path.replace("/repos", "")}/src/branch/main/docs/new.txt`,
        git_url: `${api}/git/blobs/${blob}`,
        download_url: `${api}/raw/docs/new.txt?ref=main`,
        submodule_git_url: null,
        _links: {
          self: `${api}/contents/docs/new.txt?ref=main`,
          git: `${api}/git/blobs/${blob}`,
          html: `<url>${path.replace("/repos", "")}/src/branch/main/docs/new.txt`,
        },
      },
      commit: {
        url: `${api}/git/commits/${head}`,
        html_url: `<url>${path.replace("/repos", "")}/commit/${head}`,
        sha: head,
        created: "<time>",
        author: { name: "alice", email: "alice@example.com", date: "<time>" },
        committer: { name: "alice", email: "alice@example.com", date: "<time>" },
        parents: [{ url: `${api}/git/commits/${parent}`, sha: parent, created: "<time>" }],
        message: "Add a note\n",
        tree: { url: `${api}/git/trees/${tree}`, sha: tree, created: "<time>" },
      },
      verification: {
        verified: false,
        reason: "gpg.error.not_signed_commit",
        signature: "",
        signer: null,
        payload: "",
      },
    });
    expect(await work.git("show", `${head}:docs/new.txt`)).toBe("new");
    await work.git("fsck", "--strict");
  });

  test("the first commit of an empty repository makes its branch, whatever it is called", async () => {
    const path = await repository({});
    expect((await create(alice, path, "a.txt")).status).toBe(201);
    expect((await alice.api.get(path)).body).toMatchObject({ empty: false, default_branch: "main" });
    const other = await repository({});
    expect((await create(alice, other, "a.txt", { branch: "trunk" })).status).toBe(201);
    expect((await alice.api.get(other)).body).toMatchObject({ empty: false, default_branch: "trunk" });
  });

  test("with empty names and addresses, as Go programs send them, is the caller's", async () => {
    const path = await repository();
    const nobody = { name: "", email: "" };
    const { status, body } = await create(alice, path, "a.txt", { author: nobody, committer: nobody });
    expect([status, body.commit.author.name, body.commit.author.email]).toEqual([201, "alice", "alice@example.com"]);
  });

  test("with names, dates, a sign-off and a new branch", async () => {
    const path = await repository();
    const { body } = await create(alice, path, "a.txt", {
      new_branch: "topic/x",
      author: { name: "Ann", email: "ann@example.com" },
      committer: { name: "Carl", email: "carl@example.com" },
      dates: { author: "2020-02-03T04:05:06+02:00", committer: "2021-02-03T04:05:06Z" },
      signoff: true,
    });
    expect(body.commit.author).toEqual({ name: "Ann", email: "ann@example.com", date: "2020-02-03T04:05:06+02:00" });
    expect(body.commit.committer).toEqual({ name: "Carl", email: "carl@example.com", date: "2021-02-03T04:05:06Z" });
    expect(body.commit.message).toBe("Add a.txt\n\nSigned-off-by: Carl <carl@example.com>\n");
    using work = await clone(path);
    expect(
      await work.git("log", "-1", "--format=%an %ae %ad %cn %ce %cd", "--date=raw", "refs/fetched/heads/topic/x"),
    ).toBe("Ann ann@example.com 1580695506 +0200 Carl carl@example.com 1612325106 +0000");
    expect((await alice.api.get(`${path}/contents/a.txt`)).status).toBe(404);
    expect((await alice.api.get(`${path}/contents/a.txt?ref=topic/x`)).status).toBe(200);
  });

  test("nothing is stored of what cannot be", async () => {
    const path = await repository();
    await create(alice, path, "dir/file", {});
    const before = (await alice.api.get<{ commit: { id: string } }>(`${path}/branches/main`)).body.commit.id;
    const cases: [file: string, body: Record<string, unknown>, status: number][] = [
      ["README.md", {}, 422],
      ["dir", {}, 422],
      ["README.md/x", {}, 422],
      ["..%2Fescape", {}, 422],
      ["a%2F..%2Fb", {}, 422],
      [".git%2Fconfig", {}, 422],
      ["x%2F.GIT%2Fhooks", {}, 422],
      ["%2Fabsolute", {}, 422],
      ["trailing%2F", {}, 422],
      ["a%2F%2Fb", {}, 422],
      ["x", { content: "no base64!" }, 422],
      ["x", { content: "YQ" }, 422],
      ["x", { content: undefined }, 422],
      ["x", { branch: "nothing" }, 404],
      ["x", { branch: "bad..name" }, 422],
      ["x", { new_branch: "bad name" }, 422],
      ["x", { new_branch: "main/below" }, 409],
      ["x", { new_branch: "b".repeat(101) }, 422],
      ["x", { author: { name: "a <b>" } }, 422],
      ["x", { author: { email: "no mail" } }, 422],
      ["x", { dates: { author: "yesterday" } }, 422],
      ["x", { signoff: "yes" }, 422],
    ];
    for (const [file, body, status] of cases) {
      expect([file, body, (await create(alice, path, file, body)).status]).toEqual([file, body, status]);
    }
    expect((await alice.api.get<{ commit: { id: string } }>(`${path}/branches/main`)).body.commit.id).toBe(before);
  });

  test("an existing new_branch is refused", async () => {
    const path = await repository();
    await create(alice, path, "a", { new_branch: "topic" });
    expect((await create(alice, path, "b", { new_branch: "topic" })).status).toBe(422);
  });

  test("odd names", async () => {
    const path = await repository();
    for (const name of ["with space", "grün ✓", "100%", "a#b?c", "x&y=z", "back\\slash"]) {
      expect([name, (await create(alice, path, encodeURIComponent(name))).body.content?.path]).toEqual([name, name]);
      expect([
        name,
        (await alice.api.get<{ path: string }>(`${path}/contents/${encodeURIComponent(name)}`)).body.path,
      ]).toEqual([name, name]);
    }
  });
});

describe("update and delete", () => {
  test("only what the caller has seen", async () => {
    const path = await repository();
    const { body } = await create(alice, path, "a.txt");
    const sha = body.content?.sha ?? "";
    expect((await alice.api.put(`${path}/contents/a.txt`, { content: base64("x") })).status).toBe(422);
    expect((await alice.api.put(`${path}/contents/a.txt`, { content: base64("x"), sha: "1".repeat(40) })).status).toBe(
      422,
    );
    expect((await alice.api.put(`${path}/contents/none.txt`, { content: base64("x"), sha })).status).toBe(404);
    expect((await alice.api.delete(`${path}/contents/a.txt`, { sha: "1".repeat(40) })).status).toBe(422);
    expect((await alice.api.delete(`${path}/contents/none.txt`, { sha })).status).toBe(404);

    const updated = await alice.api.put<FileAnswer>(`${path}/contents/a.txt`, { content: base64("newer\n"), sha });
    expect([updated.status, text(updated.body), updated.body.commit.message]).toEqual([
      200,
      "newer\n",
      "Update a.txt\n",
    ]);
    const moved = await alice.api.put<FileAnswer>(`${path}/contents/b/c.txt`, {
      content: base64("moved\n"),
      sha: updated.body.content?.sha,
      from_path: "a.txt",
    });
    expect([moved.status, moved.body.content?.path]).toEqual([200, "b/c.txt"]);
    expect((await alice.api.get(`${path}/contents/a.txt`)).status).toBe(404);
    const deleted = await alice.api.delete<FileAnswer>(`${path}/contents/b/c.txt`, {
      sha: moved.body.content?.sha,
      message: "Away",
    });
    expect([deleted.status, deleted.body.content, deleted.body.commit.message]).toEqual([200, null, "Away\n"]);
    expect((await alice.api.get(`${path}/contents/b`)).status).toBe(404);
    using work = await clone(path);
    expect(await work.git("ls-tree", "-r", "--name-only", "refs/fetched/heads/main")).toBe("README.md");
  });
});

describe("several files", () => {
  test("are one commit, or none at all", async () => {
    const path = await repository();
    const readme = (await alice.api.get<{ sha: string }>(`${path}/contents/README.md`)).body.sha;
    const files = [
      { operation: "create", path: "new.txt", content: base64("new\n") },
      { operation: "update", path: "docs/README.md", from_path: "README.md", sha: readme },
    ];
    const { status, body } = await alice.api.post<{ files: unknown[]; commit: { sha: string } }>(`${path}/contents`, {
      files,
      message: "Both",
    });
    expect(status).toBe(201);
    expect(body.files).toMatchObject([{ path: "new.txt" }, { path: "docs/README.md", sha: readme }]);
    const again = [
      { operation: "create", path: "third", content: "" },
      { operation: "delete", path: "new.txt", sha: "2".repeat(40) },
    ];
    expect((await alice.api.post(`${path}/contents`, { files: again })).status).toBe(422);
    const readmeAway = await alice.api.post<{ files: unknown[] }>(`${path}/contents`, {
      files: [{ operation: "delete", path: "docs/README.md", sha: readme }],
      new_branch: "away",
    });
    expect([readmeAway.status, readmeAway.body.files]).toEqual([201, []]);
    expect((await alice.api.post(`${path}/contents`, { files: [] })).status).toBe(422);
    expect((await alice.api.post(`${path}/contents`, { files: [{ operation: "explode", path: "x" }] })).status).toBe(
      422,
    );
    expect(
      (await alice.api.post(`${path}/contents`, { files: [{ operation: "delete", path: "new.txt" }] })).status,
    ).toBe(422);
    using work = await clone(path);
    expect(await work.git("rev-parse", "refs/fetched/heads/main")).toBe(body.commit.sha);
    expect(await work.git("ls-tree", "-r", "--name-only", "refs/fetched/heads/main")).toBe("docs/README.md\nnew.txt");
  });
});

test("commits made at the same time all land, none lost", async () => {
  const path = await repository();
  const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => create(alice, path, `file-${index}`)));
  expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 12 }, () => 201));
  using work = await clone(path);
  expect((await work.git("ls-tree", "--name-only", "refs/fetched/heads/main")).split("\n")).toHaveLength(13);
  expect(await work.git("rev-list", "--count", "refs/fetched/heads/main")).toBe("13");
});

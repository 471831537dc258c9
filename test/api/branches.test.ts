import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";

interface BranchJson {
  name: string;
  commit: { id: string };
}

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const ann = await app.user("ann");
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
const base = "/repos/alice/tree";
let first = "";
let second = "";

beforeAll(async () => {
  await app.repository(alice, "tree");
  await work.write("a", "1\n");
  first = await work.commit("first");
  await work.git("tag", "-a", "-m", "annotated", "v1");
  await work.write("a", "2\n");
  second = await work.commit("second");
  await work.push(
    `${app.url}/alice/tree.git`,
    alice.token,
    "main",
    "main:refs/heads/feature/a",
    `${first}:refs/heads/old`,
    `${first}:refs/heads/100%#x`,
    "v1",
  );
});

describe("who may", () => {
  test("only those who may write, to what is not archived, and nobody knows of what is hidden", async () => {
    const reader = await app.scoped(alice, "read:repository");
    for (const [method, path, body] of [
      ["POST", "branches", { new_branch_name: "x" }],
      ["DELETE", "branches/old", undefined],
      ["PATCH", "branches/old", { name: "x" }],
      ["PUT", "branches/old", { new_commit_id: second }],
    ] as const) {
      const options = body === undefined ? {} : { body };
      expect([method, (await app.anonymous.request(method, `${base}/${path}`, options)).status]).toEqual([method, 401]);
      expect([method, (await bob.api.request(method, `${base}/${path}`, options)).status]).toEqual([method, 403]);
      expect([method, (await reader.request(method, `${base}/${path}`, options)).status]).toEqual([method, 403]);
      expect([method, (await bob.api.request(method, `/repos/alice/nothing/${path}`, options)).status]).toEqual([
        method,
        404,
      ]);
    }
    await app.repository(alice, "archive", { auto_init: true });
    await alice.api.post("/repos/alice/archive/branches", { new_branch_name: "other" });
    await alice.api.patch("/repos/alice/archive", { archived: true });
    expect((await alice.api.post("/repos/alice/archive/branches", { new_branch_name: "x" })).status).toBe(423);
    expect((await alice.api.delete("/repos/alice/archive/branches/other")).status).toBe(423);
    expect((await alice.api.patch("/repos/alice/archive/branches/other", { name: "x" })).status).toBe(423);
    expect(
      (await alice.api.get<{ user_can_push: boolean }>("/repos/alice/archive/branches/other")).body.user_can_push,
    ).toBe(false);
  });
});

describe("read", () => {
  test("one, whole, with its latest commit and the user whose address it has", async () => {
    const person = (name: string, email: string, username: string) => ({ name, email, username });
    const { status, body } = await bob.api.get(`${base}/branches/main`);
    expect(status).toBe(200);
    expect(redact(body)).toEqual({
      name: "main",
      commit: {
        id: second,
        message: "second\n",
        url: `<url>/alice/tree/commit/${second}`,
        author: person("Ann Author", "ann@example.com", ann.name),
        committer: person("Carl Committer", "carl@example.com", ""),
        verification: {
          verified: false,
          reason: "gpg.error.not_signed_commit",
          signature: "",
          signer: null,
          payload: "",
        },
        timestamp: "<time>",
        added: null,
        removed: null,
        modified: null,
      },
      protected: false,
      required_approvals: 0,
      enable_status_check: false,
      status_check_contexts: [],
      user_can_push: false,
      user_can_merge: false,
      effective_branch_protection_name: "",
    });
    expect((await alice.api.get(`${base}/branches/main`)).body).toMatchObject({
      user_can_push: true,
      user_can_merge: true,
    });
  });

  test("names with slashes and odd characters, in one segment or over several", async () => {
    for (const path of ["feature%2Fa", "feature/a"]) {
      expect((await bob.api.get<BranchJson>(`${base}/branches/${path}`)).body.name).toBe("feature/a");
    }
    expect((await bob.api.get<BranchJson>(`${base}/branches/${encodeURIComponent("100%#x")}`)).body.name).toBe(
      "100%#x",
    );
    for (const path of ["feature", "v1", first, "none/such", "refs/heads/main"]) {
      expect([path, (await bob.api.get(`${base}/branches/${path}`)).status]).toEqual([path, 404]);
    }
  });

  test("all, in pages", async () => {
    const { body, headers } = await bob.api.get<BranchJson[]>(`${base}/branches`);
    expect(body.map((branch) => [branch.name, branch.commit.id])).toEqual([
      ["100%#x", first],
      ["feature/a", second],
      ["main", second],
      ["old", first],
    ]);
    expect(headers.get("x-total-count")).toBe("4");
    const page = await bob.api.get<BranchJson[]>(`${base}/branches?page=2&limit=3`);
    expect(page.body.map((branch) => branch.name)).toEqual(["old"]);
    expect(page.headers.get("link")).toContain('page=1&limit=3>; rel="first"');
    await app.repository(alice, "empty");
    const none = await bob.api.get("/repos/alice/empty/branches");
    expect([none.body, none.headers.get("x-total-count")]).toEqual([[], "0"]);
  });
});

describe("create", () => {
  test("from a branch, a tag, a commit, the first digits of one, or the default branch", async () => {
    for (const [name, start, oid] of [
      ["c1", { old_ref_name: "old" }, first],
      ["c2", { old_ref_name: "v1" }, first],
      ["c3", { old_ref_name: first }, first],
      ["c4", { old_ref_name: first.slice(0, 10) }, first],
      ["c5", { old_branch_name: "old" }, first],
      ["c6/deep", {}, second],
    ] as const) {
      const { status, body } = await alice.api.post<BranchJson>(`${base}/branches`, {
        new_branch_name: name,
        ...start,
      });
      expect([name, status, body.name, body.commit.id]).toEqual([name, 201, name, oid]);
      expect(await work.git("ls-remote", `${app.url}/alice/tree.git`, `refs/heads/${name}`)).toStartWith(oid);
    }
  });

  test("not what exists, is in the way, has no start or no name", async () => {
    const post = async (body: Record<string, unknown>) => (await alice.api.post(`${base}/branches`, body)).status;
    expect(await post({ new_branch_name: "main" })).toBe(409);
    expect(await post({ new_branch_name: "main/below" })).toBe(409);
    expect(await post({ new_branch_name: "feature" })).toBe(409);
    expect(await post({ new_branch_name: "x", old_ref_name: "none" })).toBe(404);
    expect(await post({ new_branch_name: "x", old_ref_name: "1".repeat(40) })).toBe(404);
    for (const name of ["a..b", "a b", "-a", "a.lock", ".a", "a/", "/a", "HEAD", "a~1", "a@{1}", "x".repeat(101), ""]) {
      expect([name, await post({ new_branch_name: name })]).toEqual([name, 422]);
    }
    expect(await post({})).toBe(422);
    expect((await alice.api.post("/repos/alice/empty/branches", { new_branch_name: "x" })).status).toBe(404);
  });

  test("not from what only another repository, or a deleted branch, has", async () => {
    await app.repository(alice, "leaky", { auto_init: true });
    await alice.api.post("/repos/alice/leaky/contents/x", { content: "", new_branch: "gone" });
    const { id } = (await alice.api.get<BranchJson>("/repos/alice/leaky/branches/gone")).body.commit;
    expect((await alice.api.get(`/repos/alice/leaky/git/commits/${id}`)).status).toBe(200);
    expect((await alice.api.delete("/repos/alice/leaky/branches/gone")).status).toBe(204);
    for (const path of [`git/commits/${id}`, `git/trees/${id}`, `contents/x?ref=${id}`, `commits?sha=${id}`]) {
      expect([path, (await alice.api.get(`/repos/alice/leaky/${path}`)).status]).toEqual([path, 404]);
    }
    expect(
      (await alice.api.post("/repos/alice/leaky/branches", { new_branch_name: "back", old_ref_name: id })).status,
    ).toBe(404);
  });
});

describe("delete and rename", () => {
  test("the default branch stays", async () => {
    expect((await alice.api.delete(`${base}/branches/main`)).status).toBe(403);
    expect((await alice.api.delete(`${base}/branches/none`)).status).toBe(404);
    expect((await alice.api.delete(`${base}/branches/feature/a`)).status).toBe(204);
    expect((await alice.api.get(`${base}/branches/feature/a`)).status).toBe(404);
  });

  test("a renamed default branch is the default branch", async () => {
    await app.repository(alice, "renamed", { auto_init: true });
    const path = "/repos/alice/renamed";
    await alice.api.post(`${path}/branches`, { new_branch_name: "other" });
    expect((await alice.api.patch(`${path}/branches/main`, { name: "main/next" })).status).toBe(204);
    expect((await alice.api.get(path)).body).toMatchObject({ default_branch: "main/next", empty: false });
    expect((await alice.api.get<BranchJson[]>(`${path}/branches`)).body.map((branch) => branch.name)).toEqual([
      "main/next",
      "other",
    ]);
    expect((await alice.api.patch(`${path}/branches/other`, { name: "main/next" })).status).toBe(422);
    expect((await alice.api.patch(`${path}/branches/other`, { name: "main/next/below" })).status).toBe(409);
    expect((await alice.api.patch(`${path}/branches/other`, { name: "a..b" })).status).toBe(422);
    expect((await alice.api.patch(`${path}/branches/none`, { name: "x" })).status).toBe(404);
    expect((await alice.api.patch(`${path}/branches/main%2Fnext`, { name: "main" })).status).toBe(204);
    expect((await alice.api.get(path)).body).toMatchObject({ default_branch: "main" });
  });
});

describe("move", () => {
  test("to another commit of the repository, forwards or where it is forced to", async () => {
    const path = `${base}/branches/moving`;
    const put = async (body: object, at = path) => {
      const { status, body: answer } = await alice.api.put<{ message?: string } | null>(at, body);
      return [status, answer?.message ?? null];
    };
    const tip = async () => (await alice.api.get<BranchJson>(path)).body.commit.id;
    await alice.api.post(`${base}/branches`, { new_branch_name: "moving", old_ref_name: "old" });
    expect(await put({ new_commit_id: second.slice(0, 12), old_commit_id: first })).toEqual([204, null]);
    expect(await tip()).toBe(second);
    expect(await put({ new_commit_id: first })).toEqual([409, expect.stringContaining("would give up commits")]);
    expect(await put({ new_commit_id: first, old_commit_id: first, force: true })).toEqual([
      409,
      expect.stringContaining(`is at ${second}, not at "${first}"`),
    ]);
    expect(await tip()).toBe(second);
    expect(await put({ new_commit_id: first, old_commit_id: second, force: true })).toEqual([204, null]);
    expect(await tip()).toBe(first);
    // Where it is already, nothing moves, and nothing is told.
    const told = async () =>
      (
        await app.forge.database
          .sql`select 1 from outbox where kind = 'refs.moved' and payload->>'reason' = 'move branch'`
      ).length;
    const before = await told();
    expect(before).toBe(2);
    expect(await put({ new_commit_id: first })).toEqual([204, null]);
    expect(await told()).toBe(before);
  });

  test("not to what is no commit of it, nor a branch that is not there", async () => {
    const put = async (branch: string, body: object) =>
      (await alice.api.put(`${base}/branches/${branch}`, body)).status;
    const tree = await work.git("rev-parse", `${first}^{tree}`);
    await work.write("elsewhere", "1\n");
    const elsewhere = await work.commit("not pushed");
    for (const to of [tree, elsewhere, "f".repeat(40), "main", "zzzz"]) {
      expect([to, await put("old", { new_commit_id: to, force: true })]).toEqual([to, 404]);
    }
    expect(await put("none", { new_commit_id: first })).toBe(404);
    for (const body of [{}, { new_commit_id: "" }, { new_commit_id: first, force: "yes" }]) {
      expect([body, await put("old", body)]).toEqual([body, 422]);
    }
    expect((await alice.api.get<BranchJson>(`${base}/branches/old`)).body.commit.id).toBe(first);
  });
});

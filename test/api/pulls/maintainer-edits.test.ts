import { beforeAll, describe, expect, spyOn, test } from "bun:test";
import { findObject } from "../../../src/domain/git/lfs/queries.ts";
import { commitFile, type PullJson } from "../../support/pulls.ts";
import { testPassword, useTestApp, type TestUser } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

/** Commits over the API, and LFS objects, for the branch of a fork whose open pull request says `allow_maintainer_edit`. */

const app = await useTestApp();
// Alice and carol write to the base, bob has the fork, mallory reads both.
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const mallory = await app.user("mallory");
const { sql } = app.forge.database;
const fork = "/repos/bob/site";
let topics = 0;
let forkId = 0;

beforeAll(async () => {
  await app.repository(alice, "site");
  await commitFile(alice, "alice/site", { path: "a.txt", text: "one\n" });
  await alice.api.put("/repos/alice/site/collaborators/carol", { permission: "write" });
  forkId = (await bob.api.post<{ id: number }>("/repos/alice/site/forks", {})).body.id;
});

/** An open pull request from a new branch of the fork. */
async function offered({ allowed = true, poster = bob } = {}): Promise<{
  branch: string;
  number: number;
  head: string;
}> {
  const branch = `topic-${++topics}`;
  const head = await commitFile(bob, "bob/site", { path: `${branch}.txt`, text: "b\n", branch, from: "main" });
  const fields = { title: branch, base: "main", head: `bob:${branch}` };
  const { status, body } = await poster.api.post<PullJson>("/repos/alice/site/pulls", fields);
  expect(status).toBe(201);
  await bob.api.patch(`/repos/alice/site/pulls/${body.number}`, { allow_maintainer_edit: allowed });
  return { branch, number: body.number, head };
}

/** All refs and LFS objects of the fork. */
async function stateOf() {
  const refs = await sql<{ name: string; oid: string }[]>`
    select name, encode(oid, 'hex') as oid from ref where repository_id = ${forkId} order by name`;
  return Object.fromEntries(refs.map(({ name, oid }) => [name, oid]));
}

const create = (who: TestUser, branch: string, more: object = {}) =>
  who.api.post<{ message: string; commit: { sha: string } }>(`${fork}/contents/new-${branch}-${++topics}.txt`, {
    content: btoa("new\n"),
    message: "Help",
    branch,
    ...more,
  });

async function refused(run: () => Promise<{ status: number; body: { message: string } }>, status: number, why: string) {
  const before = await stateOf();
  const answer = await run();
  expect({ status: answer.status, message: answer.body.message }).toEqual({
    status,
    message: expect.stringContaining(why),
  });
  expect(await stateOf()).toEqual(before);
}

const onlyRead = "not push to it";

describe("a commit over the API", () => {
  test("is for nobody while no open pull request allows it", async () => {
    const { branch, number } = await offered({ allowed: false });
    await refused(() => create(alice, branch), 403, onlyRead);
    const other = await offered();
    // One pull request opens its own branch.
    await refused(() => create(alice, branch), 403, onlyRead);
    await refused(() => create(alice, "main"), 403, onlyRead);
    await refused(() => create(alice, ""), 403, onlyRead);
    await bob.api.patch(`/repos/alice/site/pulls/${number}`, { allow_maintainer_edit: true });
    await alice.api.patch(`/repos/alice/site/pulls/${number}`, { state: "closed" });
    await refused(() => create(alice, branch), 403, onlyRead);
    await alice.api.patch(`/repos/alice/site/pulls/${other.number}`, { state: "closed" });
  });

  test("is not for those who only read the base, or whom the fork's owner keeps away, or without a scope", async () => {
    const { branch } = await offered();
    await refused(() => create(mallory, branch), 403, onlyRead);
    const bad = await mallory.api.post(`${fork}/contents/bad.txt`, { content: 7 });
    expect(bad.status).toBe(403);
    expect((await app.anonymous.post(`${fork}/contents/bad.txt`, {})).status).toBe(401);
    const reads = await app.withPassword("alice").post<{ sha1: string }>("/users/alice/tokens", {
      name: "reads",
      scopes: ["read:repository"],
    });
    expect(reads.status).toBe(201);
    await refused(() => create({ ...alice, api: app.withToken(reads.body.sha1) } as TestUser, branch), 403, "");
    expect((await bob.api.put("/user/blocks/carol", {})).status).toBe(204);
    await refused(() => create(carol, branch), 403, "");
    expect((await bob.api.delete("/user/blocks/carol")).status).toBe(204);
  });

  test("is not even refused where the fork is private", async () => {
    const { branch } = await offered();
    expect((await bob.api.patch(fork, { private: true })).status).toBe(200);
    const hidden = await create(alice, branch);
    expect(hidden.status).toBe(404);
    const unknown = await alice.api.post<{ message: string }>("/repos/bob/unknown/contents/a.txt", {});
    expect(hidden.body.message.replace("bob/site", "bob/unknown")).toBe(unknown.body.message);
    expect((await bob.api.patch(fork, { private: false })).status).toBe(200);
  });

  test("makes and deletes no branch", async () => {
    const { branch } = await offered();
    await refused(() => create(alice, branch, { new_branch: "mine" }), 403, "no other one");
    await refused(() => create(alice, "main", { new_branch: branch }), 403, onlyRead);
  });

  test("is none with a pull request from a stranger's branch", async () => {
    // The base's default does not open what the poster may not push to.
    await alice.api.patch("/repos/alice/site", { default_allow_maintainer_edit: true });
    const branch = `topic-${++topics}`;
    await commitFile(bob, "bob/site", { path: `${branch}.txt`, text: "b\n", branch, from: "main" });
    const made = await mallory.api.post("/repos/alice/site/pulls", { title: "x", base: "main", head: `bob:${branch}` });
    expect(made.status).toBe(201);
    await refused(() => create(alice, branch), 403, onlyRead);
    await alice.api.patch("/repos/alice/site", { default_allow_maintainer_edit: false });
  });

  test("moves the head of the pull request, in the maintainer's name", async () => {
    const { branch, number, head } = await offered();
    for (const who of [alice, carol]) {
      const made = await create(who, branch);
      expect(made.status).toBe(201);
      expect((await stateOf())[`refs/heads/${branch}`]).toBe(made.body.commit.sha);
      const shown = await alice.api.get<PullJson>(`/repos/alice/site/pulls/${number}`);
      expect(shown.body).toMatchObject({ mergeable: true, head: { sha: made.body.commit.sha } });
    }
    const path = `${branch}.txt`;
    const { body: file } = await alice.api.get<{ sha: string }>(`${fork}/contents/${path}?ref=${branch}`);
    const changed = await alice.api.put<{ content: { sha: string } }>(`${fork}/contents/${path}`, {
      content: btoa("better\n"),
      sha: file.sha,
      branch,
    });
    expect(changed.status).toBe(200);
    const several = await carol.api.post(`${fork}/contents`, {
      branch,
      files: [{ operation: "create", path: "several.txt", content: btoa("s\n") }],
    });
    expect(several.status).toBe(201);
    const gone = await carol.api.delete(`${fork}/contents/${path}`, { sha: changed.body.content.sha, branch });
    expect(gone.status).toBe(200);
    const { body } = await alice.api.get<{ author: { login: string } }[]>(`${fork}/commits?sha=${branch}&not=${head}`);
    expect(body.map(({ author }) => author.login)).toEqual(["carol", "carol", "alice", "carol", "alice"]);
  });

  test("is decided again when it is written", async () => {
    const { branch, number } = await offered();
    const { engine } = app.forge.git;
    const write = engine.write.bind(engine);
    const spy = spyOn(engine, "write").mockImplementation(async (view, name, args, signal) => {
      if (name === "commitChanges") {
        await bob.api.patch(`/repos/alice/site/pulls/${number}`, { allow_maintainer_edit: false });
      }
      return write(view, name, args, signal);
    });
    await refused(() => create(alice, branch), 403, "any more");
    spy.mockRestore();
  });

  test("is refused by the fork's own rules for its branches", async () => {
    const { branch } = await offered();
    const rule = { rule_name: branch, enable_push: true };
    expect((await bob.api.post(`${fork}/branch_protections`, rule)).status).toBe(201);
    await refused(() => create(alice, branch), 403, "");
  });
});

describe("an LFS object", () => {
  const content = Buffer.from("large\n");
  const lfs = (who: TestUser, path: string, method: string, body: string | Buffer<ArrayBuffer>) =>
    fetch(`${app.url}/bob/site.git/info/lfs/${path}`, {
      method,
      body,
      headers: {
        authorization: `Basic ${btoa(`${who.name}:${testPassword}`)}`,
        accept: "application/vnd.git-lfs+json",
        ...(method === "POST" ? { "content-type": "application/vnd.git-lfs+json" } : {}),
      },
    });
  const objectOf = (text: string) => {
    const bytes = Buffer.concat([content, Buffer.from(text)]);
    return { bytes, oid: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"), size: bytes.length };
  };
  const batch = (who: TestUser, { oid, size }: { oid: string; size: number }) =>
    lfs(who, "objects/batch", "POST", JSON.stringify({ operation: "upload", objects: [{ oid, size }] }));
  const put = (who: TestUser, { oid, bytes }: { oid: string; bytes: Buffer<ArrayBuffer> }) =>
    lfs(who, `objects/${oid}`, "PUT", bytes);
  const isLinked = async (oid: string) => (await findObject(app.forge.database.db, forkId, oid)) !== null;

  beforeAll(async () => {
    // What the others have opened.
    const { body } = await alice.api.get<PullJson[]>("/repos/alice/site/pulls?state=open&limit=50");
    for (const { number } of body) {
      await alice.api.patch(`/repos/alice/site/pulls/${number}`, { state: "closed" });
    }
  });

  test("is taken from nobody who may push to no branch", async () => {
    await offered({ allowed: false });
    const object = objectOf("no");
    for (const who of [alice, carol, mallory]) {
      expect((await batch(who, object)).status).toBe(403);
      expect((await put(who, object)).status).toBe(403);
    }
    await offered();
    expect((await batch(mallory, object)).status).toBe(403);
    expect((await put(mallory, object)).status).toBe(403);
    expect(await isLinked(object.oid)).toBe(false);
  });

  test("is taken from maintainers, with what git-lfs asks beside it, and locks are for writers", async () => {
    const { number } = await offered();
    const object = objectOf("yes");
    const planned = await batch(carol, object);
    expect(planned.status).toBe(200);
    const [{ actions }] = (
      (await planned.json()) as { objects: [{ actions: { upload: { header: Record<string, string> } } }] }
    ).objects;
    expect((await lfs(carol, "locks/verify", "POST", "{}")).status).toBe(200);
    expect((await lfs(carol, "locks", "POST", JSON.stringify({ path: "a.bin" }))).status).toBe(403);
    const put = await fetch(`${app.url}/bob/site.git/info/lfs/objects/${object.oid}`, {
      method: "PUT",
      body: object.bytes,
      headers: actions.upload.header,
    });
    expect(put.status).toBe(200);
    await until("it to be linked", () => isLinked(object.oid));
    const { oid, size } = object;
    expect((await lfs(carol, "verify", "POST", JSON.stringify({ oid, size }))).status).toBe(200);
    await bob.api.patch(`/repos/alice/site/pulls/${number}`, { state: "closed" });
  });

  test("is refused at its end when the pull request was closed meanwhile", async () => {
    const { body } = await alice.api.get<PullJson[]>("/repos/alice/site/pulls?state=open&limit=50");
    const { blobs } = app.forge.files;
    const stage = blobs.stage.bind(blobs);
    const spy = spyOn(blobs, "stage").mockImplementation(async (...args) => {
      for (const { number } of body) {
        await bob.api.patch(`/repos/alice/site/pulls/${number}`, { state: "closed" });
      }
      return stage(...args);
    });
    const object = objectOf("late");
    const answer = await put(alice, object);
    spy.mockRestore();
    expect(answer.status).toBe(403);
    expect(await isLinked(object.oid)).toBe(false);
  });
});

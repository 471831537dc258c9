import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GitHttpBackend } from "../support/git-http-backend.ts";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { mustGit, runGit } from "../support/git.ts";
import { redact } from "../support/redact.ts";
import { TestApp, useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** Pull mirrors of git's own server, push mirrors to it and to servers of ours, over HTTP and SSH. */

interface PushMirror {
  remote_name: string;
  remote_address: string;
  last_error: string;
  last_update: string | null;
  public_key: string;
  branch_filter: string;
}
interface Failure {
  message: string;
}

const loopback = { outbound: { allowed_networks: ["127.0.0.0/8", "::1"] }, mirror: { minimum_interval_seconds: 60 } };
const app = await useTestApp(loopback);
const alice = await app.user("alice");
const bob = await app.user("bob");
const root = mkdtempSync(join(tmpdir(), "stithy-backend-"));
const backend = new GitHttpBackend({ root });
const credentials = { username: "ann", password: "secret-pass" };
const closed = new GitHttpBackend({ root, credentials });
const tree = await GitWorkTree.create();
afterAll(async () => {
  await backend[Symbol.asyncDispose]();
  await closed[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
  tree[Symbol.dispose]();
});

const sourceDirectory = () => backend.directory("source.git");
async function commit(branch: string, file: string, content: string): Promise<void> {
  await tree.git("checkout", "-q", "-B", branch);
  await tree.write(file, content);
  await tree.git("add", "-A");
  await tree.git("commit", "-qm", content.slice(0, 40));
  await tree.git("push", "-q", "--force", sourceDirectory(), branch);
}

beforeAll(async () => {
  await mustGit(root, ["init", "-q", "--bare", "-b", "main", "source.git"]);
  await commit("main", "a.txt", "first");
  await commit("topic", "b.txt", "topic");
  await tree.git("tag", "v1");
  await tree.git("push", "-q", sourceDirectory(), "v1");
  await bob.api.get("/user");
});

/** Names and oids of branches and tags, of a directory or over HTTP. */
async function refsAt(where: string, user = ""): Promise<string[]> {
  const url = user === "" ? where : where.replace("://", `://${user}@`);
  const lines = (await mustGit(root, ["ls-remote", "--heads", "--tags", url])).split("\n");
  return lines.filter((line) => line !== "" && !line.endsWith("^{}")).sort();
}
const ours = (name: string) => refsAt(`${app.url}/alice/${name}.git`, `alice:${alice.token}`);
const rowOf = async (id: number) => {
  const [row] = await app.forge.database.sql<
    { error: string; failures: number; next: string | null; synced: string | null }[]
  >`select m.last_error as error, failures, run_at as next, synced_at as synced from pull_mirror m
    left join job on kind = 'pull-mirror' and key = repository_id::text and state = 'waiting' where repository_id = ${id}`;
  const date = (value: string | null) => (value === null ? null : new Date(value));
  return row === undefined ? undefined : { ...row, next: date(row.next), synced: date(row.synced) };
};

describe("a pull mirror", () => {
  let id = 0;
  beforeAll(async () => {
    const body = { clone_addr: `${backend.url}/source.git`, repo_name: "pulled", mirror: true, mirror_interval: "2h" };
    const made = await alice.api.post<{ id: number; mirror: boolean; mirror_updated: string }>("/repos/migrate", body);
    expect(made).toMatchObject({ status: 201, body: { mirror: true, mirror_interval: "2h0m0s" } });
    id = made.body.id;
    expect(Math.abs(Date.parse(made.body.mirror_updated) - Date.now())).toBeLessThan(600_000);
  });
  const sync = async (api = alice.api) => (await api.post("/repos/alice/pulled/mirror-sync")).status;

  test("is synchronized by those who may write to it, and only if it is one", async () => {
    expect(await sync(app.anonymous)).toBe(401);
    expect(await sync(bob.api)).toBe(403);
    expect(await sync(await app.scoped(alice, "read:repository"))).toBe(403);
    await app.repository(alice, "plain");
    expect((await alice.api.get("/repos/alice/plain")).body).toMatchObject({ mirror_updated: "0001-01-01T00:00:00Z" });
    const { status, body } = await alice.api.post<Failure>("/repos/alice/plain/mirror-sync");
    expect({ status, message: body.message }).toEqual({
      status: 422,
      message: 'The repository "alice/plain" is not a mirror',
    });
  });

  test("follows new, moved, forced and deleted branches and tags", async () => {
    await commit("main", "a.txt", "second");
    await commit("new/branch", "c.txt", "new");
    await tree.git("tag", "-a", "v2", "-m", "Second");
    await tree.git("push", "-q", sourceDirectory(), "v2", ":topic");
    await tree.git("checkout", "-q", "main");
    await tree.git("reset", "-q", "--hard", "HEAD~1");
    await commit("main", "a.txt", "another second");
    expect(await sync()).toBe(200);
    const theirs = await refsAt(sourceDirectory());
    await until("the mirror is where its source is", async () => (await ours("pulled")).join() === theirs.join());
    await until("it says so", async () => (await rowOf(id))?.error === "" && (await rowOf(id))?.next !== null);
    expect((await alice.api.get("/repos/alice/pulled/branches/main")).status).toBe(200);
  });

  test("follows another default branch, also when the former one is gone", async () => {
    await mustGit(sourceDirectory(), ["branch", "-m", "main", "trunk"]);
    await mustGit(sourceDirectory(), ["symbolic-ref", "HEAD", "refs/heads/trunk"]);
    expect(await sync()).toBe(200);
    await until("the default branch is the new one", async () => {
      const { body } = await alice.api.get<{ default_branch: string }>("/repos/alice/pulled");
      return body.default_branch === "trunk";
    });
    await until(
      "the former branch is gone",
      async () => (await ours("pulled")).join() === (await refsAt(sourceDirectory())).join(),
    );
    await mustGit(sourceDirectory(), ["branch", "-m", "trunk", "main"]);
    await mustGit(sourceDirectory(), ["symbolic-ref", "HEAD", "refs/heads/main"]);
  });

  test("leaves out branches and tags that are named as something else, and follows the others", async () => {
    const oid = await mustGit(sourceDirectory(), ["rev-parse", "main"]);
    const odd = [`refs/heads/${oid}`, `refs/tags/${oid}`, "refs/heads/HEAD", "refs/tags/refs/heads/main"];
    const theirs = await refsAt(sourceDirectory());
    for (const name of odd) {
      await mustGit(sourceDirectory(), ["update-ref", name, oid]);
    }
    await mustGit(sourceDirectory(), ["symbolic-ref", "HEAD", `refs/heads/${oid}`]);
    await mustGit(sourceDirectory(), ["update-ref", "refs/heads/beside", oid]);
    expect(await sync()).toBe(200);
    const expected = [...theirs, `${oid}\trefs/heads/beside`].sort();
    await until("it has the others", async () => (await ours("pulled")).join() === expected.join());
    await until("it says so", async () => (await rowOf(id))?.error === "");
    const { body } = await alice.api.get<{ default_branch: string }>("/repos/alice/pulled");
    expect(body.default_branch).toBe("main");
    const migrated = await alice.api.post<{ default_branch: string }>("/repos/migrate", {
      clone_addr: `${backend.url}/source.git`,
      repo_name: "brought",
    });
    expect([migrated.status, migrated.body.default_branch]).toEqual([201, "main"]);
    await until("it is there", async () => (await ours("brought")).join() === expected.join());
    await mustGit(sourceDirectory(), ["symbolic-ref", "HEAD", "refs/heads/main"]);
    for (const name of [...odd, "refs/heads/beside"]) {
      await mustGit(sourceDirectory(), ["update-ref", "-d", name]);
    }
  });

  test("is found as one, by those who may see it", async () => {
    const found = async (api: typeof alice.api) =>
      (await api.get<{ data: { name: string }[] }>("/repos/search?mode=mirror")).body.data.map(({ name }) => name);
    expect(await found(bob.api)).toEqual(["pulled"]);
    await alice.api.patch("/repos/alice/pulled", { private: true });
    expect(await found(bob.api)).toEqual([]);
    expect(await found(alice.api)).toEqual(["pulled"]);
    await alice.api.patch("/repos/alice/pulled", { private: false });
  });

  test("takes nobody's pushes, and no commits over the API", async () => {
    const url = `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/pulled.git`;
    const pushed = await runGit(tree.directory, ["push", url, "HEAD:refs/heads/mine"]);
    expect(pushed.code).not.toBe(0);
    const content = Buffer.from("x").toString("base64");
    const { status, body } = await alice.api.post<Failure>("/repos/alice/pulled/contents/x.txt", {
      content,
      message: "x",
    });
    expect({ status, message: body.message }).toMatchObject({ status: 403 });
    expect(body.message).toContain("is a mirror");
    expect((await alice.api.post("/repos/alice/pulled/branches", { new_branch_name: "mine" })).status).toBe(403);
    expect((await ours("pulled")).join()).not.toContain("refs/heads/mine");
  });

  test("that fails keeps why, leaves what is there, rests longer each time, and goes on when it can", async () => {
    const before = await ours("pulled");
    backend.intercept = () => new Response("down", { status: 502 });
    const rests: number[] = [];
    for (const failures of [1, 2, 3]) {
      const asked = Date.now();
      expect(await sync()).toBe(200);
      await until("it has failed", async () => (await rowOf(id))?.failures === failures);
      const row = await rowOf(id);
      expect(row?.error).toContain("502");
      rests.push(((row?.next?.getTime() ?? 0) - asked) / 60_000);
    }
    expect(rests.map((rest) => rest >= 1)).toEqual([true, true, true]);
    expect(rests[1]).toBeGreaterThanOrEqual(4);
    expect(rests[2]).toBeGreaterThanOrEqual(16);
    expect(await ours("pulled")).toEqual(before);
    backend.intercept = () => null;
    await app.forge.database.sql`update job set run_at = now() where kind = 'pull-mirror' and key = ${String(id)}`;
    app.forge.pulse.ring();
    await until("it went well", async () => (await rowOf(id))?.failures === 0);
    expect((await rowOf(id))?.error).toBe("");
  });

  test("gets another interval, or none, and stops to prune", async () => {
    const patch = (body: object) => alice.api.patch<{ mirror_interval: string } & Failure>("/repos/alice/pulled", body);
    expect((await patch({ mirror_interval: "10s" })).status).toBe(422);
    expect((await patch({ mirror_interval: "often" })).status).toBe(422);
    expect((await patch({ mirror_interval: "90m" })).body.mirror_interval).toBe("1h30m0s");
    expect((await rowOf(id))?.next).not.toBeNull();
    expect((await patch({ mirror_interval: "0", enable_prune: false })).body.mirror_interval).toBe("0h0m0s");
    expect((await rowOf(id))?.next).toBeNull();
    const before = await ours("pulled");
    await mustGit(sourceDirectory(), ["branch", "-D", "new/branch"]);
    const synced = (await rowOf(id))?.synced?.getTime() ?? 0;
    expect(await sync()).toBe(200);
    await until("it was synchronized", async () => ((await rowOf(id))?.synced?.getTime() ?? 0) > synced);
    expect(await ours("pulled")).toEqual(before);
  });
});

describe("push mirrors", () => {
  const at = "/repos/alice/pushed/push_mirrors";
  beforeAll(async () => {
    await app.repository(alice, "pushed", { auto_init: true });
    await alice.api.put("/repos/alice/pushed/collaborators/bob", { permission: "write" });
    for (const name of ["one.git", "two.git", "odd.git"]) {
      await mustGit(root, ["init", "-q", "--bare", "-b", "main", name]);
    }
  });
  const add = (body: object, api = alice.api) => api.post<PushMirror & Failure>(at, body);
  const get = async (name: string) => (await alice.api.get<PushMirror>(`${at}/${name}`)).body;
  const pushed = (branch: string, content: string) =>
    alice.api.post("/repos/alice/pushed/contents/" + crypto.randomUUID(), {
      content: Buffer.from(content).toString("base64"),
      message: content,
      ...(branch === "main" ? {} : { new_branch: branch }),
    });
  const follows = (name: string, filter = /./) =>
    until(
      `${name} is where the repository is`,
      async () =>
        (await refsAt(backend.directory(name))).join() ===
        (await ours("pushed")).filter((line) => filter.test(line)).join(),
    );

  test("are for administrators of the repository", async () => {
    const body = { remote_address: `${backend.url}/one.git` };
    for (const [api, status] of [
      [app.anonymous, 401],
      [bob.api, 403],
      [await app.scoped(alice, "write:user"), 403],
    ] as const) {
      expect((await add(body, api)).status).toBe(status);
      expect((await api.get(at)).status).toBe(status);
      expect((await api.get(`${at}/x`)).status).toBe(status);
      expect((await api.delete(`${at}/x`)).status).toBe(status);
      expect((await api.post("/repos/alice/pushed/push_mirrors-sync")).status).toBe(status);
    }
  });

  test.each([
    [{ remote_address: "file:///tmp/x.git" }, "files of this server"],
    [{ remote_address: "http://10.1.2.3/x.git" }, "outbound.allowed_networks"],
    [{ remote_address: "http://localhost:1/" }, "no repository"],
    [{ remote_address: "git@127.0.0.1:x.git" }, "use_ssh"],
    [{ remote_address: "http://127.0.0.1/x.git", use_ssh: true }, "use_ssh"],
    [{ remote_address: "git@127.0.0.1:x.git", use_ssh: true, remote_password: "p" }, "remote_password"],
    [{ remote_address: "http://127.0.0.1/x.git", interval: "1s" }, "interval"],
    [{ remote_address: "http://127.0.0.1/x.git", interval: "-8h" }, "interval"],
    [{ remote_address: "http://127.0.0.1/x.git", branch_filter: "{".repeat(3000) }, "branch_filter"],
    [{ remote_address: "http://127.0.0.1/x.git", branch_filter: "[" }, "branch_filter"],
    [{}, "remote_address"],
  ])("are refused with a bad address or option (%#); none is kept", async (body, words) => {
    const { status, body: answer } = await add(body);
    expect([status, answer.message]).toEqual([422, expect.stringContaining(words)]);
    expect((await alice.api.get(at)).body).toEqual([]);
  });

  test("bring a repository there at once, after each push, and delete there what is deleted here", async () => {
    const made = await add({ remote_address: `${backend.url}/one.git`, sync_on_commit: true, interval: "8h" });
    expect({ status: made.status, body: redact(made.body) }).toEqual({
      status: 200,
      body: {
        branch_filter: "",
        created: "<time>",
        interval: "8h0m0s",
        last_error: "",
        last_update: null,
        public_key: "",
        remote_address: expect.any(String),
        remote_name: made.body.remote_name,
        repo_name: "pushed",
        sync_on_commit: true,
      },
    });
    expect(made.body.remote_address).toBe(`${backend.url}/one.git`);
    await follows("one.git");
    expect((await pushed("side", "side")).status).toBe(201);
    expect((await pushed("main", "main")).status).toBe(201);
    await alice.api.post("/repos/alice/pushed/tags", { tag_name: "v1", message: "First" });
    await follows("one.git");
    await alice.api.delete("/repos/alice/pushed/branches/side");
    await follows("one.git");
    expect(await runGit(backend.directory("one.git"), ["fsck", "--full", "--strict"])).toMatchObject({ code: 0 });
    await until("it says when", async () => (await get(made.body.remote_name)).last_update !== null);
    expect((await alice.api.delete(`${at}/${made.body.remote_name}`)).status).toBe(204);
    expect((await alice.api.get(`${at}/${made.body.remote_name}`)).status).toBe(404);
  });

  test("several, with a filter of branches and with a password; what fails is kept, and disturbs no other", async () => {
    await pushed("release/1", "release");
    const filtered = await add({ remote_address: `${backend.url}/two.git`, branch_filter: "{main,release/*}" });
    const url = `${closed.url}/odd.git`;
    const wrong = await add({ remote_address: url, remote_username: "ann", remote_password: "wrong-pass" });
    await pushed("other", "other");
    expect((await alice.api.post("/repos/alice/pushed/push_mirrors-sync")).status).toBe(200);
    await follows("two.git", /refs\/(heads\/(main|release\/1)|tags\/.*)$/);
    await until("the wrong one has failed", async () => (await get(wrong.body.remote_name)).last_error !== "");
    const failed = await get(wrong.body.remote_name);
    expect(failed.last_error).toContain("does not accept");
    expect(JSON.stringify(failed)).not.toContain("wrong-pass");
    await alice.api.delete(`${at}/${wrong.body.remote_name}`);
    const right = await add({ remote_address: url.replace("://", "://ann:secret-pass@") });
    expect(right.body.remote_address).toBe(url);
    await follows("odd.git");
    expect((await alice.api.get<PushMirror[]>(at)).body.map(({ remote_name: name }) => name)).toEqual([
      filtered.body.remote_name,
      right.body.remote_name,
    ]);
    const rows = await app.forge.database
      .sql`select address, last_error, encode(sealed_credentials, 'escape') from push_mirror`;
    expect(JSON.stringify(rows)).not.toContain("secret-pass");
  });

  test("a ref that is refused there is told by name", async () => {
    await mustGit(root, ["init", "-q", "--bare", "-b", "main", "strict.git"]);
    await Bun.write(join(root, "strict.git/hooks/update"), '#!/bin/sh\n[ "$1" != refs/heads/main ]\n');
    await mustGit(root, ["--version"]);
    Bun.spawnSync(["chmod", "+x", join(root, "strict.git/hooks/update")]);
    const { body } = await add({ remote_address: `${backend.url}/strict.git` });
    await until("it has failed", async () => (await get(body.remote_name)).last_error !== "");
    expect((await get(body.remote_name)).last_error).toContain("refs/heads/main");
    expect((await refsAt(backend.directory("strict.git"))).length).toBeGreaterThan(0);
    await alice.api.delete(`${at}/${body.remote_name}`);
  });

  test("over SSH with a key that the server makes, to a second server of ours", async () => {
    await using other = await TestApp.start({ ...loopback, ssh: { enabled: true } });
    const carol = await other.user("carol");
    await other.repository(carol, "copy");
    const address = `${other.ssh}/carol/copy.git`;
    const { status, body } = await add({ remote_address: address, use_ssh: true });
    expect(status).toBe(200);
    expect(body.public_key).toStartWith("ssh-ed25519 ");
    await until("it is refused without the key", async () => (await get(body.remote_name)).last_error !== "");
    expect((await get(body.remote_name)).last_error).toContain("does not accept the key");
    const key = { title: "mirror", key: body.public_key, read_only: false };
    expect((await carol.api.post("/repos/carol/copy/keys", key)).status).toBe(201);
    await alice.api.post("/repos/alice/pushed/push_mirrors-sync");
    const there = () => refsAt(`${other.url}/carol/copy.git`);
    await until("the copy is there", async () => (await there()).join() === (await ours("pushed")).join());
    // A server with another host key is not believed any more.
    const { sql } = app.forge.database;
    await until("the host key is known", async () => {
      const [row] = await sql<
        { key: string | null }[]
      >`select host_key as key from push_mirror where name = ${body.remote_name}`;
      return row?.key?.startsWith("SHA256:") === true;
    });
    await sql`update push_mirror set host_key = 'SHA256:other' where name = ${body.remote_name}`;
    await alice.api.post("/repos/alice/pushed/push_mirrors-sync");
    await until("it is told", async () => (await get(body.remote_name)).last_error.includes("host key"));
    await alice.api.delete(`${at}/${body.remote_name}`);
  });
});

test("a chain of three servers converges: a push mirror there, and a pull mirror of that", async () => {
  await using second = await TestApp.start(loopback);
  const carol = await second.user("carol");
  await second.repository(carol, "middle");
  await app.repository(alice, "chain", { auto_init: true });
  const mirror = {
    remote_address: `${second.url}/carol/middle.git`,
    remote_username: "carol",
    remote_password: carol.token,
    sync_on_commit: true,
  };
  expect((await alice.api.post("/repos/alice/chain/push_mirrors", mirror)).status).toBe(200);
  const last = { clone_addr: `${second.url}/carol/middle.git`, repo_name: "end", mirror: true };
  const content = Buffer.from("chain").toString("base64");
  await alice.api.post("/repos/alice/chain/contents/x.txt", { content, message: "x", new_branch: "side" });
  await until(
    "the middle is where the first is",
    async () => (await refsAt(`${second.url}/carol/middle.git`)).join() === (await ours("chain")).join(),
  );
  expect((await alice.api.post("/repos/migrate", last)).status).toBe(201);
  expect(await ours("end")).toEqual(await ours("chain"));
});

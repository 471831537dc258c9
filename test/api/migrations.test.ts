import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runMigration } from "../../src/domain/exchange/migrations/run-migration.ts";
import { GitHttpBackend } from "../support/git-http-backend.ts";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { mustGit } from "../support/git.ts";
import { TestApp, useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** Repositories that are brought from git's own server over HTTP, and from a second server of ours. */

interface Repository {
  id: number;
  name: string;
  empty: boolean;
  mirror: boolean;
  default_branch: string;
  original_url: string;
  mirror_interval: string;
  open_issues_count: number;
}
interface Migration {
  id: number;
  full_name: string;
  clone_addr: string;
  state: string;
  step: string;
  percentage: number;
  error: string;
  finished_at: string | null;
}
interface Failure {
  message: string;
}

const loopback = { outbound: { allowed_networks: ["127.0.0.0/8", "::1"] } };
const app = await useTestApp({ ...loopback, git: { push_limit_bytes: 1024 * 1024 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
const root = mkdtempSync(join(tmpdir(), "stithy-backend-"));
const backend = new GitHttpBackend({ root });
const closed = new GitHttpBackend({ root, credentials: { username: "ann", password: "se cret:pass" } });
afterAll(async () => {
  await backend[Symbol.asyncDispose]();
  await closed[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

const migrate = (body: object, api = alice.api) => api.post<Repository & Failure>("/repos/migrate", body);
const refsOf = (directory: string) => mustGit(directory, ["for-each-ref", "--format=%(objectname) %(refname)"]);
const clone = (name: string) => mustGit(root, ["ls-remote", "--heads", "--tags", `${app.url}/alice/${name}.git`]);
const leftovers = () => readdirSync(app.forge.files.temporaryDirectory).filter((name) => !name.endsWith(".lock"));
const count = async (table: string) => {
  const [row] = await app.forge.database.sql<{ n: string }[]>`
    select count(*) as n from ${app.forge.database.sql(table)}`;
  return Number(row?.n);
};

beforeAll(async () => {
  using tree = await GitWorkTree.create("trunk");
  for (let at = 0; at < 30; at++) {
    await tree.write(`file-${at % 7}.txt`, `line ${at}\n`.repeat(at + 1));
    await tree.git("add", "-A");
    await tree.git("commit", "-qm", `Commit ${at}`);
  }
  await tree.git("tag", "-a", "v1.0", "-m", "First");
  await tree.git("branch", "topic/deep", "HEAD~10");
  await mustGit(root, ["clone", "-q", "--mirror", tree.directory, "tour.git"]);
  await tree.write("large.bin", crypto.getRandomValues(new Uint8Array(60_000)));
  for (let at = 0; at < 30; at++) {
    await tree.write(`large-${at}.bin`, crypto.getRandomValues(new Uint8Array(60_000)));
  }
  await tree.git("add", "-A");
  await tree.git("commit", "-qm", "Large");
  await mustGit(root, ["clone", "-q", "--mirror", tree.directory, "large.git"]);
  await mustGit(root, ["init", "-q", "--bare", "-b", "main", "empty.git"]);
  mkdirSync(join(root, "none.git"));
});

test("labels and milestones of plain git are none, and asking for them changes nothing", async () => {
  const body = { clone_addr: `${backend.url}/tour.git`, service: "git", labels: true, milestones: true };
  expect(await migrate({ ...body, repo_name: "plain-labels" })).toMatchObject({ status: 201 });
  expect((await alice.api.get("/repos/alice/plain-labels/labels")).body).toEqual([]);
  await alice.api.delete("/repos/alice/plain-labels");
});

describe("refused", () => {
  test("to nobody in particular, without the scope, and into what is somebody else's", async () => {
    const body = { clone_addr: `${backend.url}/tour.git`, repo_name: "x" };
    expect((await migrate(body, app.anonymous)).status).toBe(401);
    expect((await migrate(body, await app.scoped(alice, "read:repository"))).status).toBe(403);
    expect((await migrate({ ...body, repo_owner: "bob" })).status).toBe(403);
    expect((await migrate({ ...body, repo_owner: "nobody" })).status).toBe(422);
    expect((await migrate({ ...body, uid: bob.id })).status).toBe(404);
    expect((await migrate({ ...body, uid: 999_999 })).status).toBe(404);
  });

  test.each([
    ["a file", "file:///etc/passwd", "files of this server"],
    ["a path", "/var/lib/repository", "files of this server"],
    ["a relative path", "../repository", "files of this server"],
    ["a Windows path", "C:\\repository", "files of this server"],
    ["nothing", "", "clone_addr"],
    ["a word", "repository", "must begin with"],
    ["another scheme", "ftp://example.com/x.git", "must begin with"],
    ["a user name for git://", "git://ann:pass@example.com/x.git", "knows none"],
    ["an option of git", "--upload-pack=touch", "must begin with"],
    ["a helper of git", "ext::sh -c touch", "must"],
    ["a query", "https://example.com/x.git?a=b", "no query"],
    ["no path", "https://example.com/", "names a server and no repository"],
    ["a line break", "https://example.com/x.git\nHost: y", "clone_addr"],
    ["2,100 characters", `https://example.com/${"x".repeat(2100)}`, "at most 2048"],
  ])("for %s as the address", async (_, address, words) => {
    const { status, body } = await migrate({ clone_addr: address, repo_name: "never" });
    expect(status).toBe(422);
    expect(body.message).toContain(words);
  });

  test.each([
    ["http://10.0.0.1/x.git"],
    ["http://[::ffff:10.0.0.1]/x.git"],
    ["http://169.254.169.254/latest/x.git"],
    ["http://192.168.0.1:3000/x.git"],
    ["ssh://git@10.0.0.1/x.git"],
    ["git@10.0.0.1:x.git"],
    ["git://10.0.0.1/x.git"],
    ["git://0xa000001/x.git"],
    ["http://0xa000001/x.git"],
    ["http://167772161/x.git"],
  ])("for the private address %s, with the setting that allows it", async (address) => {
    const { status, body } = await migrate({ clone_addr: address, repo_name: "never" });
    expect(status).toBe(422);
    expect(body.message).toContain("outbound.allowed_networks");
  });

  test("for what redirects to a private address", async () => {
    await using hop = new GitHttpBackend({ root });
    hop.intercept = () => new Response(null, { status: 302, headers: { location: "http://10.0.0.1/x.git" } });
    const { status, body } = await migrate({ clone_addr: `${hop.url}/tour.git`, repo_name: "never" });
    expect({ status, message: body.message }).toMatchObject({ status: 422 });
    expect(body.message).toContain("10.0.0.1");
  });

  test("for what is no repository, a wrong password, and a server that is not there", async () => {
    const gone = new GitHttpBackend({ root });
    const { url } = gone;
    await gone[Symbol.asyncDispose]();
    for (const [body, words] of [
      [{ clone_addr: `${backend.url}/missing.git` }, "There is no git repository"],
      [{ clone_addr: `${backend.url}/none.git` }, "no git repository"],
      [{ clone_addr: `${closed.url}/tour.git` }, "does not accept"],
      [{ clone_addr: `${closed.url}/tour.git`, auth_username: "ann", auth_password: "wrong-pass" }, "does not accept"],
      [{ clone_addr: `${url}/tour.git` }, "could not be reached"],
    ] as const) {
      const answer = await migrate({ ...body, repo_name: "never" });
      expect([words, answer.status]).toEqual([words, 422]);
      expect(answer.body.message).toContain(words);
      expect(answer.body.message).not.toContain("wrong-pass");
    }
  });

  test("for what is not supported, names the field", async () => {
    const address = `${backend.url}/tour.git`;
    for (const [fields, name] of [
      [{ pull_requests: true, service: "gogs" }, "pull_requests"],
      [{ issues: true, service: "onedev" }, "issues"],
      [{ labels: true, service: "gitlab" }, "labels"],
      [{ milestones: true, service: "gitlab" }, "milestones"],
      [{ lfs_endpoint: "https://example.com/lfs" }, "lfs_endpoint"],
      [{ lfs: true, clone_addr: "ssh://git@127.0.0.1/x.git" }, "lfs_endpoint"],
      [{ labels: true, service: "gitea", clone_addr: "git://127.0.0.1/x.git" }, "clone_addr"],
      [{ clone_addr: "git://ann@127.0.0.1/x.git" }, "clone_addr"],
      [{ mirror_interval: "8h" }, "mirror_interval"],
      [{ mirror: true, mirror_interval: "soon" }, "mirror_interval"],
      [{ mirror: true, mirror_interval: "1s" }, "mirror_interval"],
      [{ service: "svn" }, "service"],
      [{ repo_name: "a/b" }, "name"],
    ] as const) {
      const { status, body } = await migrate({ clone_addr: address, repo_name: "never", ...fields });
      expect([name, status]).toEqual([name, 422]);
      expect(body.message).toContain(name);
    }
  });

  test("for a pack beyond the limit: nothing of it stays, and the migration tells why", async () => {
    const { status, body } = await migrate({ clone_addr: `${backend.url}/large.git`, repo_name: "large" });
    expect(status).toBe(422);
    expect(body.message).toContain("git.push_limit_bytes");
    expect((await alice.api.get("/repos/alice/large")).status).toBe(404);
    const [last] = (await alice.api.get<Migration[]>("/user/migrations")).body;
    expect(last).toMatchObject({ full_name: "alice/large", state: "failed", error: body.message });
    expect(leftovers()).toEqual([]);
  });

  test("for a pack that breaks off, and one that is none", async () => {
    await using hop = new GitHttpBackend({ root });
    for (const answer of ["0008NAK\n", "0008NAK\n000d\u0001PACKxxxx0000", "what?"]) {
      hop.intercept = (request) =>
        request.method === "POST"
          ? new Response(answer, { headers: { "content-type": "application/x-git-upload-pack-result" } })
          : null;
      expect((await migrate({ clone_addr: `${hop.url}/tour.git`, repo_name: "broken" })).status).toBe(422);
      expect((await alice.api.get("/repos/alice/broken")).status).toBe(404);
    }
    expect(leftovers()).toEqual([]);
  });

  test("has left nothing: no repository, no mirror, no credential, no file", async () => {
    expect((await alice.api.get<unknown[]>("/user/repos")).body).toEqual([]);
    expect(await count("pull_mirror")).toBe(0);
    const [row] = await app.forge.database.sql<{ n: string }[]>`
      select count(*) as n from repository_migration where sealed_credentials is not null`;
    expect(Number(row?.n)).toBe(0);
  });
});

test("a repository is brought with all its branches and tags, and its default branch", async () => {
  const { status, body } = await migrate({
    clone_addr: `${backend.url}/tour.git`,
    repo_name: "tour",
    description: "Brought",
    issues: true,
    labels: true,
    milestones: true,
    pull_requests: true,
    releases: true,
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({ name: "tour", empty: false, mirror: false, default_branch: "trunk" });
  expect(body.original_url).toBe(`${backend.url}/tour.git`);
  expect((await alice.api.get<Repository>("/repos/alice/tour")).body.original_url).toBe(body.original_url);
  const theirs = (await refsOf(backend.directory("tour.git"))).replaceAll(" ", "\t").split("\n");
  const ours = (await clone("tour")).split("\n").filter((line) => !line.endsWith("^{}"));
  expect(ours.sort()).toEqual(theirs.sort());
  const [last] = (await alice.api.get<Migration[]>("/user/migrations")).body;
  expect(last).toMatchObject({ state: "done", percentage: 100, clone_addr: `${backend.url}/tour.git`, error: "" });
  expect((await alice.api.get(`/user/migrations/${last?.id}`)).body).toEqual(last);
  expect((await bob.api.get(`/user/migrations/${last?.id}`)).status).toBe(404);
  expect((await alice.api.delete(`/user/migrations/${last?.id}`)).status).toBe(404);
  expect((await migrate({ clone_addr: `${backend.url}/tour.git`, repo_name: "tour" })).status).toBe(409);
});

test("an empty one, and one behind a password, which is nowhere to be read", async () => {
  expect(await migrate({ clone_addr: `${backend.url}/empty.git`, repo_name: "empty" })).toMatchObject({
    status: 201,
    body: { empty: true },
  });
  const url = new URL(`${closed.url}/tour.git`);
  url.username = "ann";
  url.password = "se cret:pass";
  expect((await migrate({ clone_addr: url.href, repo_name: "closed" })).status).toBe(201);
  const named = { auth_username: "ann", auth_password: "se cret:pass", clone_addr: `${closed.url}/tour.git` };
  const mirror = await migrate({ ...named, repo_name: "closed-mirror", mirror: true, mirror_interval: "1h30m" });
  expect(mirror).toMatchObject({ status: 201, body: { mirror: true, mirror_interval: "1h30m0s" } });
  expect(mirror.body.original_url).toBe(`${closed.url}/tour.git`);
  expect((await alice.api.fetch("GET", "/user/migrations").then((r) => r.text())).includes("cret")).toBe(false);
  const { sql } = app.forge.database;
  const rows = JSON.stringify([
    await sql`select * from repository_migration`,
    await sql`select address from pull_mirror`,
  ]);
  expect(rows).not.toContain("cret");
  const sealed = await sql<{ sealed: Uint8Array }[]>`select sealed_credentials as sealed from pull_mirror`;
  expect(Buffer.from(sealed[0]?.sealed ?? []).toString("latin1")).not.toContain("cret");
});

test("into an organization, by its name and by its id", async () => {
  const id = await app.organization("forge", alice);
  const clone_addr = `${backend.url}/tour.git`;
  expect((await migrate({ clone_addr, repo_name: "named", repo_owner: "forge" })).status).toBe(201);
  expect((await migrate({ clone_addr, repo_name: "numbered", uid: id })).status).toBe(201);
  expect((await migrate({ clone_addr, repo_name: "x", uid: id }, bob.api)).status).toBe(404);
  expect((await alice.api.get("/repos/forge/numbered")).status).toBe(200);
});

test("cancelled half-way, nothing stays", async () => {
  await using slow = new GitHttpBackend({ root });
  const held = Promise.withResolvers<void>();
  slow.intercept = async (request) => {
    if (request.method === "POST") {
      await held.promise;
    }
    return null;
  };
  const answer = migrate({ clone_addr: `${slow.url}/tour.git`, repo_name: "slow" });
  await until("the pack is asked for", () => slow.requests.some((line) => line.startsWith("POST")));
  const [running] = (await alice.api.get<Migration[]>("/user/migrations")).body;
  expect(running).toMatchObject({ state: "running", step: "git", finished_at: null });
  expect((await bob.api.delete(`/user/migrations/${running?.id}`)).status).toBe(404);
  expect((await alice.api.delete(`/user/migrations/${running?.id}`)).status).toBe(204);
  held.resolve();
  expect((await answer).status).toBe(422);
  expect((await alice.api.get("/repos/alice/slow")).status).toBe(404);
  expect((await alice.api.get<Migration>(`/user/migrations/${running?.id}`)).body.state).toBe("cancelled");
  await until("nothing is left of it", () => leftovers().length === 0);
  expect((await alice.api.get<Migration>(`/user/migrations/${running?.id}`)).body.state).toBe("cancelled");
});

test("a database connection that ends half-way fails the try, and neither the migration nor its repository", async () => {
  await using slow = new GitHttpBackend({ root });
  const held = Promise.withResolvers<void>();
  slow.intercept = async (request) => {
    if (request.method === "POST") {
      await held.promise;
    }
    return null;
  };
  const answer = migrate({ clone_addr: `${slow.url}/tour.git`, repo_name: "interrupted" });
  await until("the pack is asked for", () => slow.requests.some((line) => line.startsWith("POST")));
  const [running] = (await alice.api.get<Migration[]>("/user/migrations")).body;
  let isFirst = true;
  const change = ((...args: Parameters<typeof app.forge.change>) => {
    if (isFirst) {
      isFirst = false;
      return Promise.reject(Object.assign(new Error("write CONNECTION_CLOSED"), { code: "CONNECTION_CLOSED" }));
    }
    return app.forge.change(...args);
  }) as typeof app.forge.change;
  const tried = runMigration({ ...app.forge, change }, running!.id, new AbortController().signal);
  expect(await tried.catch((error: Error) => error.message)).toBe("write CONNECTION_CLOSED");
  expect((await alice.api.get<Migration>(`/user/migrations/${running?.id}`)).body.state).toBe("running");
  held.resolve();
  expect((await answer).status).toBe(201);
});

describe("from a second server of ours", () => {
  test("labels, milestones, issues with comments and releases come with their numbers, times and texts", async () => {
    await using other = await TestApp.start(loopback);
    const carol = await other.user("carol");
    await other.repository(carol, "source", { auto_init: true, private: true });
    const at = "/repos/carol/source";
    const label = { name: "kind/bug", color: "#d73a4a", exclusive: true };
    const labels = [(await carol.api.post<{ id: number }>(`${at}/labels`, label)).body.id];
    const { id: milestone } = (await carol.api.post<{ id: number }>(`${at}/milestones`, { title: "1.0" })).body;
    for (let index = 1; index <= 60; index++) {
      await carol.api.post(`${at}/issues`, { title: `Issue ${index}`, body: `Body ${index}`, labels, milestone });
    }
    await carol.api.patch(`${at}/issues/7`, { state: "closed" });
    for (const body of ["First comment", "Second comment"]) {
      await carol.api.post(`${at}/issues/7/comments`, { body });
    }
    await carol.api.delete(`${at}/issues/30`);
    await carol.api.post(`${at}/releases`, { tag_name: "v1", name: "One", body: "Notes", target_commitish: "main" });
    const request = {
      clone_addr: `${other.url}/carol/source.git`,
      auth_token: carol.token,
      service: "gitea",
      labels: true,
      milestones: true,
      issues: true,
      releases: true,
    };
    const answer = await migrate({ ...request, repo_name: "target" });
    expect({ status: answer.status, message: answer.body.message }).toEqual({
      status: 201,
      message: undefined as never,
    });
    const there = "/repos/alice/target";
    expect((await alice.api.get(`${there}/labels`)).body).toMatchObject([{ name: "kind/bug", exclusive: true }]);
    expect((await alice.api.get(`${there}/milestones`)).body).toMatchObject([{ title: "1.0" }]);
    expect((await alice.api.get<Repository>(there)).body.open_issues_count).toBe(58);
    expect((await alice.api.get(`${there}/issues/30`)).status).toBe(404);
    const source = (await carol.api.get<{ created_at: string }>(`${at}/issues/7`)).body;
    const { body: issue } = await alice.api.get<{ body: string }>(`${there}/issues/7`);
    expect(issue).toMatchObject({
      title: "Issue 7",
      state: "closed",
      created_at: source.created_at,
      labels: [{ name: "kind/bug" }],
      milestone: { title: "1.0" },
      user: { login: "alice" },
    });
    expect(issue.body).toMatch(/^\*Written by carol there on \d{4}-\d\d-\d\d\*\n\nBody 7$/);
    const comments = (await alice.api.get<{ body: string }[]>(`${there}/issues/7/comments`)).body;
    expect(comments.map(({ body }) => body.split("\n\n")[1])).toEqual(["First comment", "Second comment"]);
    expect((await alice.api.get(`${there}/issues/60`)).status).toBe(200);
    expect((await alice.api.get(`${there}/releases`)).body).toMatchObject([
      { tag_name: "v1", name: "One", body: "Notes" },
    ]);
    // The next issue has the next number.
    expect((await alice.api.post<{ number: number }>(`${there}/issues`, { title: "New" })).body.number).toBe(61);
    // A token that may not read it there.
    const reader = await other.token(carol, ["read:user"]);
    expect((await migrate({ ...request, auth_token: reader, repo_name: "again" })).status).toBe(422);
  });

  test("an API that answers nonsense or says 'later' is borne, or told; nothing stays", async () => {
    await using other = await TestApp.start(loopback);
    const carol = await other.user("carol");
    await other.repository(carol, "source", { auto_init: true });
    await using hop = new GitHttpBackend({ root });
    let laters = 1;
    const answers: Record<string, string> = {
      "/labels": '[{"name":"\\u0000"},null,5,{"name":"x","color":"zzz"}]',
      "/issues": '[{"number":-1},{"number":3,"title":"","body":null,"user":null,"labels":"x","created_at":"?"}]',
    };
    hop.intercept = async (request) => {
      const { pathname, search } = new URL(request.url);
      if (!pathname.startsWith("/api/")) {
        return fetch(`${other.url}${pathname}${search}`, {
          method: request.method,
          body: request.method === "POST" ? await request.arrayBuffer() : null,
          headers: { "content-type": request.headers.get("content-type") ?? "" },
        });
      }
      if (laters-- > 0) {
        return new Response("later", { status: 429, headers: { "retry-after": "1" } });
      }
      const [, answer = "[]"] = Object.entries(answers).find(([end]) => pathname.endsWith(end)) ?? [];
      return new Response(answer, { headers: { "content-type": "application/json" } });
    };
    const request = { clone_addr: `${hop.url}/carol/source.git`, service: "gitea", labels: true, issues: true };
    expect((await migrate({ ...request, repo_name: "odd" })).status).toBe(201);
    expect((await alice.api.get("/repos/alice/odd/labels")).body).toMatchObject([{ name: "x", color: "cccccc" }]);
    expect((await alice.api.get("/repos/alice/odd/issues/3")).body).toMatchObject({ title: "Issue 3" });
    answers["/issues"] = '{"message":"no"}';
    const { status, body } = await migrate({ ...request, repo_name: "odder" });
    expect({ status, message: body.message }).toMatchObject({ status: 422 });
    expect(body.message).toContain("else than a list");
    expect((await alice.api.get("/repos/alice/odder")).status).toBe(404);
  });
});

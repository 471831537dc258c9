import { describe, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { useTestApp } from "../support/test-app.ts";

/** Tokens for named repositories: what they open, and that nothing else opens with them. */

const app = await useTestApp({ auth: { tokens_per_user: 12 } });
const admin = await app.admin();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.organization("forge", alice);
const named = await app.repository(alice, "Named", { private: true, auto_init: true });
const other = await app.repository(alice, "other", { private: true, auto_init: true });
const open = await app.repository(alice, "open", { auto_init: true });
await app.repository(bob, "hidden", { private: true });
await app.repository(alice, "ours", { private: true }, "forge");

interface Token {
  id: number;
  sha1: string;
  scopes: string[];
  repositories: string[] | null;
}
interface Failure {
  message: string;
}
interface Repo {
  full_name: string;
}

const password = app.withPassword("alice");
async function restrictedTo(...repositories: string[]): Promise<Token> {
  const { status, body } = await password.post<Token>("/users/alice/tokens", {
    name: crypto.randomUUID(),
    scopes: ["all"],
    repositories,
  });
  expect(status).toBe(201);
  return body;
}
const token = await restrictedTo("ALICE/named");
const client = app.withToken(token.sha1);
const names = async (path: string) => {
  const { headers, body } = await client.get<Repo[] | { data: Repo[] }>(path);
  const repositories = Array.isArray(body) ? body : body.data;
  expect(Number(headers.get("x-total-count"))).toBe(repositories.length);
  return repositories.map(({ full_name: name }) => name);
};

describe("a token for one repository", () => {
  test("says so when it is made and in the list", async () => {
    expect(token.repositories).toEqual(["alice/Named"]);
    const listed = (await password.get<Token[]>("/users/alice/tokens")).body;
    expect(listed.find(({ id }) => id === token.id)?.repositories).toEqual(["alice/Named"]);
    expect(listed.find(({ id }) => id !== token.id)?.repositories).toBeNull();
  });

  test("reads and changes it, by name and by id", async () => {
    expect((await client.get<Repo>("/repos/alice/named")).body.full_name).toBe("alice/Named");
    expect((await client.get<Repo>(`/repositories/${named.id}`)).body.full_name).toBe("alice/Named");
    expect((await client.get("/repos/alice/named/contents/README.md")).status).toBe(200);
    expect((await client.patch("/repos/alice/named", { description: "changed" })).status).toBe(200);
    const file = { content: btoa("new\n"), message: "Add" };
    expect((await client.post("/repos/alice/named/contents/new.txt", file)).status).toBe(201);
  });

  test("meets every other one as one that is not there, public ones, too", async () => {
    const absent = await client.get<Failure>("/repos/alice/nothing");
    for (const name of ["other", "open"]) {
      const { status, body } = await client.get<Failure>(`/repos/alice/${name}`);
      expect({ status, body }).toEqual({
        status: 404,
        body: { ...absent.body, message: absent.body.message.replace("nothing", name) },
      });
      expect((await client.patch(`/repos/alice/${name}`, { description: "changed" })).status).toBe(404);
      expect((await client.delete(`/repos/alice/${name}`)).status).toBe(404);
      expect((await client.get(`/repos/alice/${name}/contents/README.md`)).status).toBe(404);
      expect((await client.get(`/repos/alice/${name}/branches`)).status).toBe(404);
    }
    expect((await client.get(`/repositories/${other.id}`)).status).toBe(404);
    expect((await client.get(`/repositories/${open.id}`)).status).toBe(404);
    expect((await client.get("/repos/forge/ours")).status).toBe(404);
    expect((await client.get("/repos/bob/hidden")).status).toBe(404);
  });

  test("is alone in every list, and its number in every count", async () => {
    for (const path of ["/user/repos", "/users/alice/repos", "/repos/search"]) {
      expect(await names(path)).toEqual(["alice/Named"]);
    }
    expect(await names("/orgs/forge/repos")).toEqual([]);
    await alice.api.put("/user/starred/alice/open");
    expect(await names("/user/starred")).toEqual([]);
  });

  test("makes no other repository, no credential, and changes nothing of account, organization and server", async () => {
    const calls: [string, string, unknown?][] = [
      ["POST", "/user/repos", { name: "made" }],
      ["POST", "/orgs/forge/repos", { name: "made" }],
      ["POST", "/orgs", { username: "made" }],
      ["PATCH", "/user/settings", { full_name: "Changed" }],
      ["POST", "/user/keys", { title: "key", key: "ssh-ed25519 AAAA" }],
      ["POST", "/users/alice/tokens", { name: "more", scopes: ["all"] }],
      ["GET", "/users/alice/tokens"],
      ["PUT", "/user/following/bob"],
    ];
    for (const [method, path, body] of calls) {
      const answer = await client.request<Failure>(method, path, body === undefined ? {} : { body });
      expect({ path, status: answer.status }).toEqual({ path, status: 403 });
    }
    expect((await alice.api.get("/repos/alice/made")).status).toBe(404);
    expect((await client.get("/user")).status).toBe(200);
    expect((await client.get("/version")).status).toBe(200);
  });

  test("of a site administrator opens no other repository, no list of users, and acts as nobody else", async () => {
    const { value } = await made(admin, ["alice/Named"]);
    const restricted = app.withToken(value);
    expect((await restricted.get("/repos/alice/Named")).status).toBe(200);
    expect((await restricted.get("/repos/alice/other")).status).toBe(404);
    for (const sudo of ["alice", "admin"]) {
      expect((await restricted.get("/repos/alice/other", { sudo })).status).toBe(403);
    }
    expect((await restricted.delete("/admin/users/alice/two_factor")).status).toBe(403);
  });

  async function made(user: { name: string }, repositories: string[]): Promise<{ value: string }> {
    const { body } = await app
      .withPassword(user.name)
      .post<Token>(`/users/${user.name}/tokens`, { name: crypto.randomUUID(), scopes: ["all"], repositories });
    return { value: body.sha1 };
  }

  test("gives no more than its user has: who loses access loses it with the token", async () => {
    await app.forge.database
      .sql`insert into collaborator (repository_id, user_id, mode) values (${other.id}, ${bob.id}, 2)`;
    const { value } = await made(bob, ["alice/other"]);
    expect((await app.withToken(value).get("/repos/alice/other")).status).toBe(200);
    await app.forge.database.sql`delete from collaborator where user_id = ${bob.id}`;
    expect((await app.withToken(value).get("/repos/alice/other")).status).toBe(404);
    const [listed] = (await app.withPassword("bob").get<Token[]>("/users/bob/tokens")).body;
    expect(listed?.repositories).toEqual([]);
  });

  test("opens the same over git and LFS, and nothing else", async () => {
    using scratch = new Scratch();
    const url = (name: string) => `${app.url.replace("://", `://alice:${token.sha1}@`)}/alice/${name}.git`;
    const work = join(scratch.path, "named");
    await mustGit(scratch.path, ["clone", "-q", url("named"), work]);
    await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "From a restricted token"]);
    expect((await runGit(work, ["push", "-q", "origin", "HEAD:main"])).code).toBe(0);
    for (const name of ["other", "open"]) {
      // The header goes with the first request already, or git would find out that anybody may read the public one.
      const header = `http.extraHeader=Authorization: token ${token.sha1}`;
      const { code, stderr } = await runGit(tmpdir(), ["-c", header, "ls-remote", `${app.url}/alice/${name}.git`]);
      expect({ code, stderr }).toEqual({ code: 128, stderr: expect.stringContaining("not found") });
      expect((await runGit(work, ["push", "-q", url(name), "HEAD:refs/heads/x"])).code).not.toBe(0);
    }
    const lfs = (name: string) =>
      fetch(`${app.url}/alice/${name}.git/info/lfs/locks`, {
        headers: { authorization: `Bearer ${token.sha1}`, accept: "application/vnd.git-lfs+json" },
      });
    expect([(await lfs("named")).status, (await lfs("other")).status, (await lfs("open")).status]).toEqual([
      200, 404, 404,
    ]);
  });

  test("is asked for its repository anew with the token of LFS that was made for it", async () => {
    const { sha1, id } = await restrictedTo("alice/other");
    const oid = "a".repeat(64);
    const headers = {
      authorization: `Bearer ${sha1}`,
      accept: "application/vnd.git-lfs+json",
      "content-type": "application/vnd.git-lfs+json",
    };
    const batch = await fetch(`${app.url}/alice/other.git/info/lfs/objects/batch`, {
      method: "POST",
      headers,
      body: JSON.stringify({ operation: "upload", objects: [{ oid, size: 1 }] }),
    });
    const { objects } = (await batch.json()) as {
      objects: { actions: { upload: { href: string; header: Record<string, string> } } }[];
    };
    const { href, header } = objects[0]?.actions.upload ?? { href: "", header: {} };
    await app.forge.database.sql`delete from access_token_repository where token_id = ${id}`;
    expect((await fetch(href, { method: "PUT", headers: header, body: "x" })).status).toBe(404);
  });
});

test("a token whose repository is deleted is restricted to nothing, also when the name is used again", async () => {
  await app.repository(alice, "gone", { private: true });
  const { sha1, id } = await restrictedTo("alice/gone");
  expect((await app.withToken(sha1).get("/repos/alice/gone")).status).toBe(200);
  await alice.api.delete("/repos/alice/gone");
  await app.repository(alice, "gone");
  expect((await app.withToken(sha1).get("/repos/alice/gone")).status).toBe(404);
  expect((await app.withToken(sha1).get<Repo[]>("/user/repos")).body).toEqual([]);
  const listed = (await password.get<Token[]>("/users/alice/tokens")).body.find((each) => each.id === id);
  expect(listed?.repositories).toEqual([]);
});

test("a renamed repository stays the token's", async () => {
  await app.repository(alice, "before", { private: true });
  const { sha1 } = await restrictedTo("alice/before");
  await alice.api.patch("/repos/alice/before", { name: "after" });
  const moved = await app.withToken(sha1).get("/repos/alice/before");
  expect({ status: moved.status, location: moved.headers.get("location") }).toEqual({
    status: 307,
    location: `${app.url}/api/v1/repos/alice/after`,
  });
  expect((await client.get("/repos/alice/before")).status).toBe(404);
});

describe("a token is refused", () => {
  test.each([
    [["alice/nothing"], 'There is no repository "alice/nothing"'],
    [["bob/hidden"], 'There is no repository "bob/hidden"'],
    [["alice/named", "nonsense"], 'There is no repository "nonsense"'],
    [[], "1 to 100 repositories"],
    [Array.from({ length: 101 }, (_, number) => `alice/${number}`), "1 to 100 repositories"],
  ])("for the repositories %p", async (repositories, message) => {
    const before = (await password.get<Token[]>("/users/alice/tokens?limit=50")).headers.get("x-total-count");
    const { status, body } = await password.post<Failure>("/users/alice/tokens", {
      name: "refused",
      scopes: ["all"],
      repositories,
    });
    expect({ status, message: body.message }).toEqual({ status: 422, message: expect.stringContaining(message) });
    expect((await password.get<Token[]>("/users/alice/tokens?limit=50")).headers.get("x-total-count")).toBe(before);
  });

  test.each([
    [{ name: "x" }, 400, "at least one scope"],
    [{ name: "x", scopes: [] }, 400, "at least one scope"],
    [{ name: "x", scopes: ["read:everything"] }, 400, '"read:everything" is not a scope'],
    [{ name: "x", scopes: ["write:admin"] }, 400, "only for site administrators"],
    [{ scopes: ["all"] }, 422, "name"],
    [{ name: " ", scopes: ["all"] }, 422, "name"],
    [{ name: "x", scopes: ["all"], expires_at: "yesterday" }, 422, "expires_at"],
    [{ name: "x", scopes: ["all"], expires_at: "2020-01-01T00:00:00Z" }, 422, "expired"],
  ])("for %p", async (body, status, message) => {
    const answer = await password.post<Failure>("/users/alice/tokens", body);
    expect({ status: answer.status, message: answer.body.message }).toEqual({
      status,
      message: expect.stringContaining(message),
    });
  });

  test("when the user has as many as one can have, however many are made at once", async () => {
    await app.user("carol");
    const carol = app.withPassword("carol");
    const made = await Promise.all(
      Array.from({ length: 15 }, (_, number) =>
        carol.post("/users/carol/tokens", { name: `token ${number}`, scopes: ["read:user"] }),
      ),
    );
    // One more is what the factory made.
    expect(made.filter(({ status }) => status === 201)).toHaveLength(11);
    expect(made.filter(({ status }) => status === 422)).toHaveLength(4);
  });
});

test("a site administrator's token has no more say than its user has today", async () => {
  const boss = await app.admin("boss");
  const scoped = await app.scoped(boss, "write:admin", "read:user");
  expect((await scoped.delete("/admin/users/bob/two_factor")).status).toBe(404);
  await app.forge.database.sql`update account set is_admin = false where owner_id = ${boss.id}`;
  const refused = await scoped.delete<Failure>("/admin/users/bob/two_factor");
  expect({ status: refused.status, message: refused.body.message }).toEqual({
    status: 403,
    message: expect.stringContaining("scope"),
  });
  expect((await boss.api.get("/user", { sudo: "alice" })).status).toBe(403);
  expect((await scoped.get("/user")).status).toBe(200);
});

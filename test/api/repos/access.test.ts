import { describe, expect, test } from "bun:test";
import { redact } from "../../support/redact.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const admin = await app.admin();
await app.organization("secret", alice, { visibility: "private" });
await app.organization("open", alice);
await app.repository(alice, "public");
await app.repository(alice, "private", { private: true });
await app.repository(alice, "public", {}, "secret");
const { id: privateId } = await app.repository(alice, "team-only", { private: true }, "open");

const missing = (name: string) => ({ message: `There is no repository "${name}"`, url: "<url>/api/swagger" });

describe("what a caller may not see answers exactly as what does not exist", () => {
  test.each(["alice/private", "alice/nothing", "nobody/nothing", "secret/public", "open/team-only"])(
    "%s",
    async (name) => {
      for (const [client, method] of [
        [app.anonymous, "GET"],
        [bob.api, "GET"],
        [bob.api, "PATCH"],
        [bob.api, "DELETE"],
      ] as const) {
        const { status, body, headers } = await client.request(
          method,
          `/repos/${name}`,
          method === "PATCH" ? { body: { description: "mine now" } } : {},
        );
        expect({ status, body: redact(body), type: headers.get("content-type") }).toEqual({
          status: 404,
          body: missing(name),
          type: "application/json;charset=utf-8",
        });
      }
      expect((await app.anonymous.delete(`/repos/${name}`)).status).toBe(401);
    },
  );

  test("and is not even read, so that it takes as long", async () => {
    const ask = { presented: { kind: "token", token: bob.token }, remoteAddress: "test", sudo: null } as const;
    for (const [ownerName, repositoryName] of [
      ["alice", "private"],
      ["alice", "nothing"],
      ["open", "team-only"],
    ]) {
      expect(
        (await app.forge.identity.identify(ask, { ownerName: ownerName!, repositoryName: repositoryName! })).repository,
      ).toBeNull();
    }
    expect((await app.forge.identity.identify(ask, { repositoryId: privateId })).repository).toBeNull();
    expect((await app.forge.identity.identify(ask, { ownerName: "secret" })).owner).toBeNull();
    expect((await app.forge.identity.identify(ask, { ownerName: "open" })).owner).not.toBeNull();
  });

  test("by id too", async () => {
    expect((await bob.api.get(`/repositories/${privateId}`)).status).toBe(404);
    expect((await bob.api.get("/repositories/999999")).status).toBe(404);
    expect((await alice.api.get(`/repositories/${privateId}`)).status).toBe(200);
    expect((await app.anonymous.get(`/repositories/${privateId}`)).status).toBe(401);
  });

  test("a broken body does not tell them apart", async () => {
    for (const name of ["private", "nothing"]) {
      expect((await bob.api.request("PATCH", `/repos/alice/${name}`, { body: "{" })).status).toBe(404);
    }
  });
});

describe("what a caller may see but not do is forbidden", () => {
  test("changing and deleting somebody else's public repository", async () => {
    expect((await bob.api.patch("/repos/alice/public", { description: "mine" })).status).toBe(403);
    expect((await bob.api.delete("/repos/alice/public")).status).toBe(403);
    expect((await alice.api.get<{ description: string }>("/repos/alice/public")).body.description).toBe("");
  });

  test("creating in an organization without a team that may", async () => {
    expect((await bob.api.post("/orgs/open/repos", { name: "mine" })).status).toBe(403);
    expect((await bob.api.post("/org/secret/repos", { name: "mine" })).status).toBe(404);
    expect((await app.anonymous.post("/orgs/open/repos", { name: "mine" })).status).toBe(401);
  });

  test("creating for others without administering the site", async () => {
    expect((await bob.api.post("/admin/users/alice/repos", { name: "planted" })).status).toBe(403);
    expect((await app.anonymous.post("/admin/users/alice/repos", { name: "planted" })).status).toBe(401);
    expect((await alice.api.get("/repos/alice/planted")).status).toBe(404);
  });
});

describe("a token for public things only", () => {
  test("makes nothing that is not public", async () => {
    const client = await app.scoped(alice, "all", "public-only");
    expect((await client.post("/orgs", { username: "hidden-org", visibility: "private" })).status).toBe(403);
    expect((await client.post("/orgs", { username: "hidden-org", visibility: "limited" })).status).toBe(403);
    expect((await client.post("/orgs", { username: "shown-org", visibility: "public" })).status).toBe(201);
    expect((await client.post("/user/repos", { name: "hidden", private: true })).status).toBe(403);
    const ofAdmin = await app.scoped(admin, "all", "public-only");
    // What is not public does not exist for such a token.
    expect((await ofAdmin.post("/admin/users/secret/repos", { name: "in-a-private-organization" })).status).toBe(404);
  });
});

describe("a site administrator", () => {
  test("sees and manages what is others'", async () => {
    const { status, body } = await admin.api.get<{ permissions: unknown }>("/repos/alice/private");
    expect({ status, permissions: body.permissions }).toEqual({
      status: 200,
      permissions: { admin: true, push: true, pull: true },
    });
  });
});

async function permissionsFor(client: typeof alice.api, name: string) {
  return (await client.get<{ permissions: unknown }>(`/repos/${name}`)).body.permissions;
}

describe("permissions in the answer", () => {
  test("follow access, and the code unit", async () => {
    expect(await permissionsFor(alice.api, "alice/public")).toEqual({ admin: true, push: true, pull: true });
    expect(await permissionsFor(bob.api, "alice/public")).toEqual({ admin: false, push: false, pull: true });
    expect(await permissionsFor(app.anonymous, "alice/public")).toEqual({ admin: false, push: false, pull: true });
    await app.repository(alice, "codeless");
    await alice.api.patch("/repos/alice/codeless", { has_code: false });
    expect(await permissionsFor(alice.api, "alice/codeless")).toEqual({ admin: true, push: false, pull: false });
  });
});

describe("scoped tokens", () => {
  test("reading needs read:repository", async () => {
    expect((await (await app.scoped(alice, "read:repository")).get("/repos/alice/private")).status).toBe(200);
    expect((await (await app.scoped(alice, "write:repository")).get("/repos/alice/private")).status).toBe(200);
    const { status, body } = await (await app.scoped(alice, "write:issue")).get("/repos/alice/private");
    expect({ status, body: redact(body) }).toEqual({
      status: 403,
      body: { message: "The token does not have the required scope: read:repository", url: "<url>/api/swagger" },
    });
  });

  test("what the token lacks is said alike for what exists and what does not", async () => {
    const client = await app.scoped(bob, "read:issue");
    const hidden = await client.get("/repos/alice/private");
    const absent = await client.get("/repos/alice/nothing");
    expect([hidden.status, hidden.body]).toEqual([absent.status, absent.body]);
  });

  test("changing needs write:repository", async () => {
    const client = await app.scoped(alice, "read:repository");
    expect((await client.patch("/repos/alice/public", { description: "x" })).status).toBe(403);
    expect((await client.delete("/repos/alice/public")).status).toBe(403);
  });

  test("some operations need two categories", async () => {
    expect((await (await app.scoped(alice, "write:repository")).post("/user/repos", { name: "a" })).status).toBe(403);
    expect((await (await app.scoped(alice, "write:user")).post("/user/repos", { name: "a" })).status).toBe(403);
    expect(
      (await (await app.scoped(alice, "write:user", "write:repository")).post("/user/repos", { name: "a" })).status,
    ).toBe(201);
    expect((await (await app.scoped(alice, "write:organization")).post("/orgs/open/repos", { name: "b" })).status).toBe(
      403,
    );
    expect((await (await app.scoped(alice, "read:user")).get("/user/repos")).status).toBe(403);
  });

  test("public-only tokens see and touch public things only", async () => {
    const client = await app.scoped(alice, "all", "public-only");
    expect((await client.get("/repos/alice/public")).status).toBe(200);
    expect((await client.get("/repos/alice/private")).status).toBe(404);
    expect((await client.get("/repos/secret/public")).status).toBe(404);
    expect((await client.delete("/repos/alice/private")).status).toBe(404);
    const { body } = await client.get<{ full_name: string; private: boolean }[]>("/user/repos");
    expect(body.map((repository) => repository.full_name)).toContain("alice/public");
    expect(body.filter((repository) => repository.private || repository.full_name.startsWith("secret/"))).toEqual([]);
    expect((await client.post("/user/repos", { name: "hidden", private: true })).status).toBe(403);
    expect((await client.patch("/repos/alice/public", { private: true })).status).toBe(403);
  });
});

test("an organization has no tokens to list, make or delete", async () => {
  const owner = app.withPassword("alice");
  expect((await owner.get("/users/open/tokens")).status).toBe(404);
  expect((await owner.post("/users/open/tokens", { name: "x", scopes: ["all"] })).status).toBe(404);
  expect((await owner.delete("/users/open/tokens/x")).status).toBe(404);
});

import { describe, expect, test } from "bun:test";
import { findEndpointSpec } from "../../src/api/common/endpoint.ts";
import { apiRoutes } from "../../src/api/index.ts";
import { forgeWithoutLimits } from "../contract/product-document.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp } from "../support/test-app.ts";
import { accessWords, givesAccess, givesAccessBySome, givesNone } from "./gives-access.ts";
import { listOperations } from "./operations.ts";

/** Giving access needs what it opens: no token makes a friend of its holder see more than the token does. */

const app = await useTestApp();
const admin = await app.admin("root");
const owner = await app.user("owner");
await app.user("friend");
await app.organization("forge", owner);
await app.repository(owner, "site", { auto_init: true });
await owner.api.post("/orgs/forge/repos", { name: "tools", private: true });
const { id: teamId } = await makeTeam(owner, "forge", { name: "readers", permission: "read" }, []);

const writing = listOperations().operations.filter(({ method }) => method !== "GET" && method !== "DELETE");
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

describe("the operations that give access", () => {
  const declared = new Map(
    apiRoutes(forgeWithoutLimits()).routes.flatMap(({ method, path, handler }) => {
      const spec = findEndpointSpec(handler);
      const name = `${method} ${path.replace(/^\/api\/v1/, "").replaceAll(/:(\w+)\+?/g, "{$1}")}`;
      return spec?.givesAccess === undefined ? [] : [[name, spec.givesAccess] as const];
    }),
  );

  test("are declared as they are written down", () => {
    const always: typeof givesAccess = Object.fromEntries(
      [...declared].flatMap(([name, to]) => (Array.isArray(to) ? [[name, to.toSorted()]] : [])),
    );
    expect(always).toEqual(givesAccess);
    const some = [...declared].filter(([, to]) => to === "by some changes").map(([name]) => name);
    expect(some.toSorted()).toEqual(givesAccessBySome.toSorted());
  });

  test("are found by their names, and a new one is reviewed", () => {
    const known = new Set([...Object.keys(givesAccess), ...givesAccessBySome, ...Object.keys(givesNone)]);
    const found = writing.filter(({ path }) => accessWords.some((word) => word.test(path))).map(nameOf);
    expect(found.filter((name) => !known.has(name))).toEqual([]);
    const all = new Set(writing.map(nameOf));
    expect([...known].filter((name) => !all.has(name))).toEqual([]);
  });
});

describe("a token that may change an organization and nothing else", () => {
  const calls = [
    ["PUT", `/teams/${teamId}/members/friend`, undefined],
    ["PATCH", `/teams/${teamId}`, { permission: "admin" }],
    ["POST", "/orgs/forge/teams", { name: "more", permission: "admin" }],
    ["PUT", `/teams/${teamId}/repos/forge/tools`, undefined],
  ] as const;

  test.each(calls)("%s %s needs the scopes of what a team opens", async (method, path, body) => {
    const narrow = await app.scoped(owner, "write:organization");
    const { status, body: answer } = await narrow.request<{ message: string }>(method, path, { body });
    expect(status).toBe(403);
    expect(answer.message).toContain("write:repository");
  });

  test("puts nobody into a team who would read what is private", async () => {
    const publicOnly = await app.scoped(
      owner,
      "write:organization",
      "write:repository",
      "write:package",
      "public-only",
    );
    const { status, body } = await publicOnly.put<{ message: string }>(`/teams/${teamId}/members/friend`);
    expect({ status, message: body.message }).toEqual({
      status: 403,
      message: "The token is for public things only, and this gives access to others",
    });
    expect((await owner.api.get(`/teams/${teamId}/members/friend`)).status).toBe(404);
    const enough = await app.scoped(owner, "write:organization", "write:repository", "write:package");
    expect((await enough.put(`/teams/${teamId}/members/friend`)).status).toBe(204);
    expect((await enough.delete(`/teams/${teamId}/members/friend`)).status).toBe(204);
  });

  test("does not show it to more people, and describes it", async () => {
    const narrow = await app.scoped(owner, "write:organization");
    const visibility = async () => (await owner.api.get<{ visibility: string }>("/orgs/forge")).body.visibility;
    expect((await narrow.patch("/orgs/forge", { visibility: "private" })).status).toBe(200);
    expect((await narrow.patch("/orgs/forge", { visibility: "limited" })).status).toBe(403);
    expect((await narrow.patch("/orgs/forge", { repo_admin_change_team_access: true })).status).toBe(403);
    expect(await visibility()).toBe("private");
    expect((await narrow.patch("/orgs/forge", { visibility: "private", description: "Tools" })).status).toBe(200);
    const both = await app.scoped(owner, "write:organization", "write:repository");
    expect((await both.patch("/orgs/forge", { visibility: "public" })).status).toBe(200);
    expect(await visibility()).toBe("public");
  });
});

test("a token of a site administrator opens no account without the scopes of all that it opens", async () => {
  const narrow = await app.scoped(admin, "write:admin");
  for (const change of [{ password: "a new password of theirs" }, { admin: true }, { email: "mallory@example.com" }]) {
    const { status, body } = await narrow.patch<{ message: string }>("/admin/users/owner", change);
    expect({ status, needs: body.message.includes("write:repository") }).toEqual({ status: 403, needs: true });
  }
  expect((await narrow.patch("/admin/users/owner", { full_name: "The owner" })).status).toBe(200);
  expect((await admin.api.patch("/admin/users/friend", { admin: true })).status).toBe(200);
  expect((await admin.api.patch("/admin/users/friend", { admin: false })).status).toBe(200);
});

test("a token for public things gives nobody a repository, whatever the repository is today", async () => {
  const publicOnly = await app.scoped(owner, "all", "public-only");
  const calls = [
    ["PUT", "/repos/owner/site/collaborators/friend", { permission: "admin" }],
    ["POST", "/repos/owner/site/transfer", { new_owner: "friend" }],
    ["POST", "/repos/owner/site/push_mirrors", { remote_address: "https://example.com/a.git", interval: "8h" }],
    ["POST", "/repos/owner/site/keys", { title: "key", key: "ssh-ed25519 AAAA" }],
  ] as const;
  for (const [method, path, body] of calls) {
    const { status } = await publicOnly.request(method, path, { body });
    expect({ path, status }).toEqual({ path, status: 403 });
  }
  expect((await owner.api.get("/repos/owner/site/collaborators/friend")).status).toBe(404);
});

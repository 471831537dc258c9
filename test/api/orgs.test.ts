import { describe, expect, test } from "bun:test";
import { redact } from "../support/redact.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const admin = await app.admin();

const names = ({ body }: { body: { name: string }[] }) => body.map(({ name }) => name);

test("whoever makes an organization owns it", async () => {
  const sent = {
    username: "Forge",
    full_name: "The Forge",
    email: "forge@example.com",
    description: "Iron",
    website: "https://forge.example",
    location: "Here",
    visibility: "limited",
  };
  const { status, body } = await alice.api.post("/orgs", { ...sent, repo_admin_change_team_access: true });
  const { username, ...same } = sent;
  const expected = {
    ...same,
    id: "<id>",
    name: username,
    username,
    avatar_url: expect.stringContaining("/avatars/"),
    repo_admin_change_team_access: true,
  };
  expect({ status, body: redact(body) }).toEqual({ status: 201, body: expected });
  expect((await bob.api.get<typeof body>("/orgs/forge")).body).toEqual(body);
  expect((await alice.api.post("/orgs/forge/repos", { name: "site" })).status).toBe(201);
  expect((await bob.api.post("/orgs/forge/repos", { name: "mine" })).status).toBe(403);
});

test.each([
  ["a taken name", { username: "ALICE" }],
  ["a reserved name", { username: "api" }],
  ["a name that is no name", { username: "a b" }],
  ["no name", {}],
  ["an e-mail address that is none", { username: "other", email: "nobody" }],
  ["a website that is none", { username: "other", website: "javascript:alert(1)" }],
  ["an unknown visibility", { username: "other", visibility: "hidden" }],
])("%s is 422 and makes nothing", async (_, body) => {
  expect((await alice.api.post("/orgs", body)).status).toBe(422);
  expect((await admin.api.post("/admin/users/alice/orgs", body)).status).toBe(422);
  expect((await alice.api.get("/orgs/other")).status).toBe(404);
});

test("nobody, a token without the scope, and who may not make organizations makes none", async () => {
  expect((await app.anonymous.post("/orgs", { username: "other" })).status).toBe(401);
  const reader = await app.scoped(alice, "read:organization", "write:user");
  expect((await reader.post("/orgs", { username: "other" })).status).toBe(403);
  const dave = await app.user("dave");
  await app.forge.database.sql`update account set may_create_organizations = false where owner_id = ${dave.id}`;
  expect((await dave.api.post("/orgs", { username: "other" })).status).toBe(403);
  expect((await alice.api.get("/orgs/other")).status).toBe(404);
});

test("site administrators make organizations for users, who own them", async () => {
  expect((await alice.api.post("/admin/users/bob/orgs", { username: "gift" })).status).toBe(403);
  expect((await admin.api.post("/admin/users/nobody/orgs", { username: "gift" })).status).toBe(404);
  expect((await admin.api.post("/admin/users/forge/orgs", { username: "gift" })).status).toBe(404);
  expect((await admin.api.post("/admin/users/bob/orgs", { username: "gift" })).status).toBe(201);
  expect(names(await bob.api.get("/user/orgs"))).toEqual(["gift"]);
  expect(names(await admin.api.get("/user/orgs"))).toEqual([]);
  expect(names(await admin.api.get("/admin/users/bob/orgs"))).toEqual(["gift"]);
  expect((await bob.api.get("/admin/users/bob/orgs")).status).toBe(403);
});

describe("an organization is changed", () => {
  test("by its owners and site administrators, field by field", async () => {
    await app.organization("changing", alice, { email: "old@example.com", description: "Old" });
    await makeTeam(alice, "changing", { name: "devs", permission: "admin", includes_all_repositories: true }, [bob]);
    for (const [client, status] of [
      [app.anonymous, 401],
      [bob.api, 403],
      [carol.api, 403],
      [await app.scoped(alice, "read:organization"), 403],
    ] as const) {
      expect((await client.patch("/orgs/changing", { description: "Mine" })).status).toBe(status);
      expect((await client.delete("/orgs/changing")).status).toBe(status);
      expect((await client.post("/orgs/changing/rename", { new_name: "mine" })).status).toBe(status);
    }
    const before = (await alice.api.get<object>("/orgs/changing")).body;
    const { status, body } = await alice.api.patch<object>("/orgs/changing", {
      full_name: "Changed",
      visibility: "private",
      repo_admin_change_team_access: true,
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: { ...before, full_name: "Changed", visibility: "private", repo_admin_change_team_access: true },
    });
    expect(
      (await admin.api.patch<object>("/orgs/changing", { email: null, repo_admin_change_team_access: null })).body,
    ).toEqual(body);
    expect((await admin.api.patch<object>("/orgs/changing", { email: "", description: "" })).body).toEqual({
      ...body,
      email: "",
      description: "",
    });
    expect((await alice.api.get<object>("/orgs/changing")).body).toEqual({ ...body, email: "", description: "" });
    expect((await carol.api.get("/orgs/changing")).status).toBe(404);
    expect((await carol.api.patch("/orgs/changing", {})).status).toBe(404);
    expect((await bob.api.get("/orgs/changing")).status).toBe(200);
  });

  test.each([
    ["visibility", { visibility: "hidden" }],
    ["email", { email: "nobody" }],
    ["website", { website: "ftp://example.com" }],
    ["full_name", { full_name: "x".repeat(101) }],
    ["description", { description: "x".repeat(256) }],
    ["location", { location: "x".repeat(51) }],
    ["repo_admin_change_team_access", { repo_admin_change_team_access: "yes" }],
  ])("and a wrong %s is named and changes nothing", async (field, body) => {
    const before = (await alice.api.get("/orgs/forge")).body;
    const answer = await alice.api.patch<{ message: string }>("/orgs/forge", { full_name: "Other", ...body });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(field);
    expect((await alice.api.get("/orgs/forge")).body).toEqual(before);
  });

  test("its address is shown to signed-in callers only", async () => {
    await app.organization("mailed", alice, { email: "we@example.com" });
    expect((await app.anonymous.get<{ email: string }>("/orgs/mailed")).body.email).toBe("");
    expect((await carol.api.get<{ email: string }>("/orgs/mailed")).body.email).toBe("we@example.com");
  });

  test("a token for public things does not hide it", async () => {
    await app.organization("shown", alice);
    const client = await app.scoped(alice, "all", "public-only");
    expect((await client.patch("/orgs/shown", { visibility: "private" })).status).toBe(403);
    expect((await client.patch("/orgs/shown", { description: "Seen" })).status).toBe(200);
  });
});

test("a renamed organization is found under its new name, and the old one leads there", async () => {
  await app.organization("former", alice);
  await app.repository(alice, "tool", {}, "former");
  for (const [name, status] of [
    ["a b", 422],
    ["alice", 422],
    ["api", 422],
    ["", 422],
    ["later", 204],
  ] as const) {
    expect((await alice.api.post("/orgs/former/rename", { new_name: name })).status).toBe(status);
  }
  expect((await alice.api.get<{ name: string }>("/orgs/later")).body.name).toBe("later");
  expect((await alice.api.get("/repos/later/tool")).status).toBe(200);
  const moved = await app.anonymous.get("/repos/former/tool");
  expect([moved.status, moved.headers.get("location")]).toEqual([307, `${app.url}/api/v1/repos/later/tool`]);
  expect((await alice.api.post("/orgs/later/rename", { new_name: "LATER" })).status).toBe(204);
  expect((await alice.api.get<{ name: string }>("/orgs/later")).body.name).toBe("LATER");
});

test("an organization is deleted when it has no repositories left", async () => {
  const organizationId = await app.organization("ending", alice);
  await makeTeam(alice, "ending", { name: "devs" }, [bob]);
  await app.repository(alice, "last", {}, "ending");
  const refused = await alice.api.delete<{ message: string }>("/orgs/ending");
  expect({ status: refused.status, message: refused.body.message }).toEqual({
    status: 422,
    message: '"ending" has a repository, which must be deleted first',
  });
  expect((await alice.api.get("/orgs/ending")).status).toBe(200);
  expect((await alice.api.delete("/repos/ending/last")).status).toBe(204);
  expect((await alice.api.delete("/orgs/ending")).status).toBe(204);
  expect((await alice.api.get("/orgs/ending")).status).toBe(404);
  expect(
    await app.forge.database.sql`select id from team where organization_id = ${organizationId}`.then(
      (rows) => rows.length,
    ),
  ).toBe(0);
  expect((await alice.api.delete("/orgs/alice")).status).toBe(404);
  expect((await alice.api.get("/users/alice")).status).toBe(200);
});

describe("lists of organizations", () => {
  test("have those that the caller may know of", async () => {
    await app.organization("list-private", alice, { visibility: "private" });
    await app.organization("list-limited", alice, { visibility: "limited" });
    await app.organization("list-public", alice);
    const listed = async (client: typeof bob.api) =>
      names(await client.get("/orgs?limit=50")).filter((name) => name.startsWith("list-"));
    expect(await listed(app.anonymous)).toEqual(["list-public"]);
    expect(await listed(carol.api)).toEqual(["list-limited", "list-public"]);
    expect(await listed(alice.api)).toEqual(["list-limited", "list-private", "list-public"]);
    expect(await listed(admin.api)).toEqual(["list-limited", "list-private", "list-public"]);
    expect(await listed(await app.scoped(alice, "all", "public-only"))).toEqual(["list-public"]);
    const page = await alice.api.get<unknown[]>("/orgs?limit=1&page=2");
    expect([page.body.length, Number(page.headers.get("x-total-count"))]).toEqual([
      1,
      names(await alice.api.get("/orgs?limit=50")).length,
    ]);
  });

  test("of a user have the memberships that the caller may know of", async () => {
    const dora = await app.user("dora");
    await app.organization("dora-one", dora);
    await app.organization("dora-two", dora);
    await app.organization("dora-hidden", dora, { visibility: "private" });
    await makeTeam(dora, "dora-two", { name: "friends" }, [bob]);
    expect((await dora.api.put("/orgs/dora-one/public_members/dora")).status).toBe(204);
    expect((await dora.api.put("/orgs/dora-hidden/public_members/dora")).status).toBe(204);
    expect(names(await carol.api.get("/users/dora/orgs"))).toEqual(["dora-one"]);
    expect(names(await bob.api.get("/users/dora/orgs"))).toEqual(["dora-one", "dora-two"]);
    expect(names(await dora.api.get("/users/dora/orgs"))).toEqual(["dora-hidden", "dora-one", "dora-two"]);
    expect(names(await admin.api.get("/users/dora/orgs"))).toEqual(["dora-hidden", "dora-one", "dora-two"]);
    expect(names(await dora.api.get("/user/orgs"))).toEqual(["dora-hidden", "dora-one", "dora-two"]);
    expect((await app.anonymous.get("/users/dora/orgs")).status).toBe(401);
    expect((await carol.api.get("/users/nobody/orgs")).status).toBe(404);
    expect((await carol.api.get("/users/forge/orgs")).status).toBe(404);
    expect((await (await app.scoped(dora, "read:user")).get("/user/orgs")).status).toBe(403);
  });
});

test("what a user may do in an organization is told to them, to its members and to site administrators", async () => {
  await app.organization("rights", alice);
  await makeTeam(alice, "rights", { name: "writers", permission: "write", can_create_org_repo: true }, [bob]);
  const writes = { is_owner: false, is_admin: false, can_write: true, can_read: true, can_create_repository: true };
  expect((await bob.api.get("/users/bob/orgs/rights/permissions")).body).toEqual(writes);
  expect((await alice.api.get("/users/bob/orgs/rights/permissions")).body).toEqual(writes);
  expect((await admin.api.get("/users/alice/orgs/rights/permissions")).body).toEqual({
    is_owner: true,
    is_admin: true,
    can_write: true,
    can_read: true,
    can_create_repository: true,
  });
  expect((await carol.api.get("/users/carol/orgs/rights/permissions")).body).toEqual({
    is_owner: false,
    is_admin: false,
    can_write: false,
    can_read: false,
    can_create_repository: false,
  });
  expect((await carol.api.get("/users/bob/orgs/rights/permissions")).status).toBe(403);
  expect((await bob.api.get("/users/nobody/orgs/rights/permissions")).status).toBe(404);
  expect((await bob.api.get("/users/bob/orgs/alice/permissions")).status).toBe(404);
  expect((await carol.api.get("/users/bob/orgs/list-private/permissions")).status).toBe(404);
});

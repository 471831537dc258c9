import { describe, expect, test } from "bun:test";
import { makeTeam, ownersTeamId, type TeamJson } from "../support/team.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const stranger = await app.user("stranger");
const admin = await app.admin();
await app.organization("forge", alice, { email: "forge@example.com" });
await app.organization("hidden", alice, { visibility: "private" });
const members = await makeTeam(alice, "forge", { name: "members", permission: "read" }, [carol]);

const unitNames = [
  "repo.code",
  "repo.issues",
  "repo.pulls",
  "repo.releases",
  "repo.wiki",
  "repo.packages",
  "repo.projects",
  "repo.actions",
  "repo.ext_issues",
  "repo.ext_wiki",
];
const mapOf = (mode: string) => Object.fromEntries(unitNames.map((unit) => [unit, mode]));
const names = ({ body }: { body: { name?: string; login?: string }[] }) => body.map(({ name, login }) => name ?? login);

describe("a team is made", () => {
  test("whole, with its organization, and read the same", async () => {
    const sent = {
      name: "Writers",
      description: "They write",
      permission: "write",
      units: ["repo.code", "repo.wiki"],
      includes_all_repositories: true,
      can_create_org_repo: true,
    };
    const { status, body } = await alice.api.post<TeamJson>("/orgs/forge/teams", sent);
    const organization = (await alice.api.get<object>("/orgs/forge")).body;
    expect({ status, body: { ...body, id: 0 } }).toEqual({
      status: 201,
      body: {
        ...sent,
        id: 0,
        organization,
        units_map: { "repo.code": "write", "repo.wiki": "write" },
      } as never,
    });
    expect((await alice.api.get<TeamJson>(`/teams/${body.id}`)).body).toEqual(body);
    expect(body.organization?.email).toBe("forge@example.com");
  });

  test("with rights for each unit, or as administrators", async () => {
    const mixed = await makeTeam(alice, "forge", {
      name: "mixed",
      units_map: { "repo.issues": "write", "repo.code": "read", "repo.wiki": "none" },
    });
    expect(mixed).toMatchObject({
      permission: "write",
      units: ["repo.code", "repo.issues"],
      units_map: { "repo.code": "read", "repo.issues": "write", "repo.wiki": "none" },
    });
    const outside = { "repo.code": "write", "repo.ext_issues": "read", "repo.ext_wiki": "none" };
    expect(await makeTeam(alice, "forge", { name: "outside", units_map: outside })).toMatchObject({
      permission: "write",
      units: ["repo.code", "repo.ext_issues"],
      units_map: outside,
    });
    const visitor = await app.user("visitor");
    const wiki = { name: "wiki", includes_all_repositories: true, units_map: { "repo.ext_wiki": "write" } };
    expect(await makeTeam(alice, "forge", wiki, [visitor])).toMatchObject({
      permission: "none",
      units: ["repo.ext_wiki"],
    });
    await alice.api.post("/orgs/forge/repos", { name: "unopened", private: true });
    expect((await visitor.api.get("/repos/forge/unopened")).status).toBe(404);
    expect((await visitor.api.get<unknown[]>("/orgs/forge/repos")).body).toEqual([]);
    expect((await alice.api.delete("/repos/forge/unopened")).status).toBe(204);
    const admins = await makeTeam(alice, "forge", { name: "admins", permission: "admin" });
    expect(admins).toMatchObject({
      permission: "admin",
      units: unitNames,
      units_map: mapOf("admin"),
      includes_all_repositories: false,
      can_create_org_repo: false,
    });
    expect(await makeTeam(alice, "forge", { name: "plain" })).toMatchObject({
      permission: "read",
      units_map: mapOf("read"),
    });
    expect(await makeTeam(alice, "forge", { name: "guests", units: [] })).toMatchObject({
      permission: "none",
      units: [],
      units_map: {},
    });
  });

  test.each([
    ["name", {}],
    ["name", { name: "" }],
    ["name", { name: "a b" }],
    ["name", { name: ".." }],
    ["name", { name: "x".repeat(256) }],
    ["permission", { name: "wrong", permission: "rule" }],
    ["permission", { name: "wrong", permission: "owner" }],
    ["units", { name: "wrong", units: ["repo.coffee"] }],
    ["units", { name: "wrong", units: "repo.code" }],
    ["units_map", { name: "wrong", units_map: { "repo.coffee": "read" } }],
    ["units_map", { name: "wrong", units_map: { "repo.code": "rule" } }],
    ["description", { name: "wrong", description: "x".repeat(256) }],
    ["includes_all_repositories", { name: "wrong", includes_all_repositories: "yes" }],
    ['"MEMBERS" is taken', { name: "MEMBERS" }],
    ['"owners" is taken', { name: "owners" }],
  ])("and a wrong %s is named and makes nothing (%#)", async (named, body) => {
    const count = (await alice.api.get("/orgs/forge/teams")).headers.get("x-total-count");
    const answer = await alice.api.post<{ message: string }>("/orgs/forge/teams", body);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(named);
    expect((await alice.api.get("/orgs/forge/teams")).headers.get("x-total-count")).toBe(count);
  });

  test("by owners and site administrators only", async () => {
    const reader = await app.scoped(alice, "read:organization", "write:repository");
    for (const [client, known, hidden] of [
      [app.anonymous, 401, 401],
      [stranger.api, 403, 404],
      [carol.api, 403, 404],
      [reader, 403, 403],
    ] as const) {
      expect((await client.post("/orgs/forge/teams", { name: "mine" })).status).toBe(known);
      expect((await client.post("/orgs/hidden/teams", { name: "mine" })).status).toBe(hidden);
    }
    expect((await admin.api.post("/orgs/forge/teams", { name: "by-admin" })).status).toBe(201);
    expect((await alice.api.post("/orgs/alice/teams", { name: "mine" })).status).toBe(404);
  });
});

describe("teams are listed", () => {
  test("to members, the owners first, and searched", async () => {
    await app.organization("many", alice);
    await makeTeam(alice, "many", { name: "beta", description: "Alpine" }, [carol]);
    await makeTeam(alice, "many", { name: "Alpha" });
    expect(names(await carol.api.get("/orgs/many/teams"))).toEqual(["Owners", "Alpha", "beta"]);
    expect((await stranger.api.get("/orgs/many/teams")).status).toBe(403);
    expect((await app.anonymous.get("/orgs/many/teams")).status).toBe(401);
    expect((await stranger.api.get("/orgs/hidden/teams")).status).toBe(404);
    const search = async (query: string) => {
      const { body, headers } = await carol.api.get<{ ok: boolean; data: TeamJson[] }>(
        `/orgs/many/teams/search?${query}`,
      );
      expect(body.ok).toBe(true);
      expect(headers.get("x-total-count")).toBe(String(body.data.length));
      return body.data.map(({ name }) => name);
    };
    expect(await search("q=ALP")).toEqual(["Alpha", "beta"]);
    expect(await search("q=alp&include_desc=false")).toEqual(["Alpha"]);
    expect(await search("q=%25")).toEqual([]);
    expect(await search("")).toEqual(["Owners", "Alpha", "beta"]);
    expect((await stranger.api.get("/orgs/many/teams/search")).status).toBe(403);
    const own = await carol.api.get<TeamJson[]>("/user/teams");
    expect(own.body.map(({ name, organization }) => `${organization?.name}/${name}`)).toEqual([
      "forge/members",
      "many/beta",
    ]);
    expect((await app.anonymous.get("/user/teams")).status).toBe(401);
  });

  test("to those who may see one: its members, owners, site administrators", async () => {
    const secret = await makeTeam(alice, "hidden", { name: "secret" });
    for (const path of ["", "/members", "/members/carol", "/repos"]) {
      const [hidden, absent] = [
        await carol.api.get<{ message: string }>(`/teams/${secret.id}${path}`),
        await carol.api.get<{ message: string }>(`/teams/999999${path}`),
      ];
      expect([hidden.status, absent.status]).toEqual([404, 404]);
      expect(hidden.body.message.replace(String(secret.id), "999999")).toBe(absent.body.message);
    }
    const other = await makeTeam(alice, "forge", { name: "other" });
    expect((await carol.api.get(`/teams/${other.id}`)).status).toBe(403);
    expect((await stranger.api.get(`/teams/${other.id}`)).status).toBe(404);
    expect((await app.anonymous.get(`/teams/${other.id}`)).status).toBe(401);
    expect((await admin.api.get(`/teams/${other.id}`)).status).toBe(200);
    expect((await alice.api.get("/teams/0")).status).toBe(404);
    expect((await alice.api.get("/teams/x")).status).toBe(404);
    expect((await (await app.scoped(alice, "all", "public-only")).get(`/teams/${secret.id}`)).status).toBe(404);
  });
});

describe("a team is changed", () => {
  test("where the request says so, and only there", async () => {
    const made = await makeTeam(alice, "forge", {
      name: "tomatoes",
      description: "Red",
      units_map: { "repo.code": "write", "repo.wiki": "read" },
    });
    expect((await carol.api.patch(`/teams/${made.id}`, { name: "mine" })).status).toBe(403);
    expect((await stranger.api.patch(`/teams/${made.id}`, { name: "mine" })).status).toBe(404);
    const edit = async (body: object) => (await alice.api.patch<TeamJson>(`/teams/${made.id}`, body)).body;
    expect(await edit({ name: "tomatoes" })).toEqual(made);
    expect(await edit({ name: "potatoes", description: "" })).toEqual({ ...made, name: "potatoes", description: "" });
    expect(await edit({ name: "potatoes", includes_all_repositories: true, can_create_org_repo: true })).toMatchObject({
      includes_all_repositories: true,
      can_create_org_repo: true,
      units: made.units,
    });
    expect(await edit({ name: "", permission: "admin" })).toMatchObject({
      name: "potatoes",
      permission: "admin",
      units_map: mapOf("admin"),
    });
    expect(await edit({ name: "potatoes", permission: "read", units: ["repo.pulls"] })).toMatchObject({
      permission: "read",
      units: ["repo.pulls"],
    });
    expect((await alice.api.get<TeamJson>(`/teams/${made.id}`)).body.units).toEqual(["repo.pulls"]);
  });

  test.each([
    ["permission", { permission: "rule" }],
    ["units", { units: ["coffee"] }],
    ["units_map", { units_map: { "repo.code": "admin" } }],
    ["name", { name: "a/b" }],
    ["taken", { name: "members" }],
  ])("and a wrong %s is named and changes nothing", async (named, fields) => {
    const made = await makeTeam(alice, "forge", { name: `kept-${named}`, description: "Kept" });
    const { status, body } = await alice.api.patch<{ message: string }>(`/teams/${made.id}`, {
      name: made.name,
      description: "Lost",
      ...fields,
    });
    expect(status).toBe(422);
    expect(body.message).toContain(named);
    expect((await alice.api.get<TeamJson>(`/teams/${made.id}`)).body).toEqual(made);
  });
});

describe("the owners' team stays", () => {
  test.each([
    ["name", { name: "Rulers" }],
    ["permission", { permission: "write" }],
    ["includes_all_repositories", { includes_all_repositories: false }],
    ["can_create_org_repo", { can_create_org_repo: false }],
  ])("with its %s", async (named, fields) => {
    const id = await ownersTeamId(alice, "forge");
    const before = (await alice.api.get<TeamJson>(`/teams/${id}`)).body;
    const { status, body } = await alice.api.patch<{ message: string }>(`/teams/${id}`, { name: "Owners", ...fields });
    expect(status).toBe(422);
    expect(body.message).toContain(named);
    expect((await alice.api.get<TeamJson>(`/teams/${id}`)).body).toEqual(before);
  });

  test("and is described", async () => {
    const id = await ownersTeamId(alice, "forge");
    const { status, body } = await alice.api.patch<TeamJson>(`/teams/${id}`, {
      name: "Owners",
      permission: "admin",
      description: "We",
    });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { name: "Owners", permission: "owner", description: "We", units_map: mapOf("owner") },
    });
  });

  test("and is not deleted, with its last member", async () => {
    const id = await ownersTeamId(alice, "forge");
    expect((await alice.api.delete(`/teams/${id}`)).status).toBe(422);
    expect((await alice.api.delete(`/teams/${id}/members/alice`)).status).toBe(422);
    expect((await alice.api.delete("/orgs/forge/members/alice")).status).toBe(422);
    expect((await admin.api.delete("/orgs/forge/members/alice")).status).toBe(422);
    expect(names(await alice.api.get(`/teams/${id}/members`))).toEqual(["alice"]);
    expect((await alice.api.put(`/teams/${id}/members/bob`)).status).toBe(204);
    expect((await alice.api.delete(`/teams/${id}/members/alice`)).status).toBe(204);
    expect((await alice.api.get(`/teams/${id}`)).status).toBe(404);
    expect((await bob.api.delete("/orgs/forge/members/bob")).status).toBe(422);
    expect((await bob.api.put(`/teams/${id}/members/alice`)).status).toBe(204);
    expect((await alice.api.delete("/orgs/forge/members/bob")).status).toBe(204);
  });

  test("and of two owners who remove each other in the same moment one stays", async () => {
    for (let round = 0; round < 5; round++) {
      const name = `race-${round}`;
      await app.organization(name, alice);
      const id = await ownersTeamId(alice, name);
      expect((await alice.api.put(`/teams/${id}/members/bob`)).status).toBe(204);
      const answers = await Promise.all([
        alice.api.delete(`/teams/${id}/members/bob`),
        round % 2 === 0 ? bob.api.delete(`/teams/${id}/members/alice`) : bob.api.delete(`/orgs/${name}/members/alice`),
        admin.api.delete(`/orgs/${name}/members/alice`),
      ]);
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
      expect((await admin.api.get<unknown[]>(`/teams/${id}/members`)).body).toHaveLength(1);
    }
  });

  test("and who owns an organization alone is not deleted without it", async () => {
    const dora = await app.user("dora");
    await app.organization("alone", dora);
    expect((await admin.api.delete("/admin/users/dora")).status).toBe(422);
    expect((await admin.api.get<unknown[]>("/orgs/alone/members")).body).toHaveLength(1);
  });
});

describe("members of a team", () => {
  test("come and go, and with the last team the membership", async () => {
    const team = await makeTeam(alice, "forge", { name: "crew" });
    expect((await stranger.api.put(`/teams/${team.id}/members/stranger`)).status).toBe(404);
    expect((await carol.api.put(`/teams/${team.id}/members/carol`)).status).toBe(403);
    for (const name of ["nobody", "forge"]) {
      expect((await alice.api.put(`/teams/${team.id}/members/${name}`)).status).toBe(404);
    }
    expect((await alice.api.put(`/teams/${team.id}/members/Bob`)).status).toBe(204);
    expect((await alice.api.put(`/teams/${team.id}/members/bob`)).status).toBe(204);
    const { status, body } = await bob.api.get<{ login: string }>(`/teams/${team.id}/members/bob`);
    expect([status, body.login]).toEqual([200, "bob"]);
    expect((await bob.api.get(`/teams/${team.id}/members/carol`)).status).toBe(404);
    expect((await bob.api.delete(`/teams/${team.id}/members/bob`)).status).toBe(403);
    expect((await bob.api.put("/orgs/forge/public_members/bob")).status).toBe(204);
    expect((await alice.api.delete(`/teams/${team.id}/members/bob`)).status).toBe(204);
    expect((await alice.api.delete(`/teams/${team.id}/members/bob`)).status).toBe(404);
    expect((await alice.api.get("/orgs/forge/members/bob")).status).toBe(404);
    expect((await app.anonymous.get("/orgs/forge/public_members/bob")).status).toBe(404);
    // Nothing of it comes back with a later membership.
    expect((await alice.api.put(`/teams/${team.id}/members/bob`)).status).toBe(204);
    expect((await app.anonymous.get("/orgs/forge/public_members/bob")).status).toBe(404);
    expect((await alice.api.delete(`/teams/${team.id}`)).status).toBe(204);
    expect((await alice.api.get("/orgs/forge/members/bob")).status).toBe(404);
    expect((await alice.api.delete(`/teams/${team.id}`)).status).toBe(404);
  });

  test("are none of those whom the organization blocked", async () => {
    const team = await makeTeam(alice, "forge", { name: "friends" });
    expect((await alice.api.put("/orgs/forge/block/stranger")).status).toBe(204);
    expect((await alice.api.put(`/teams/${team.id}/members/stranger`)).status).toBe(403);
    expect((await alice.api.put("/orgs/forge/unblock/stranger")).status).toBe(204);
    expect((await alice.api.put(`/teams/${team.id}/members/stranger`)).status).toBe(204);
    expect((await alice.api.delete("/orgs/forge/members/stranger")).status).toBe(204);
  });
});

describe("repositories of a team", () => {
  test("are given and taken, and kept", async () => {
    await app.organization("shop", alice);
    const team = await makeTeam(alice, "shop", { name: "clerks", permission: "read" }, [bob]);
    const keepers = await makeTeam(alice, "shop", { name: "keepers", permission: "admin" }, [carol]);
    await app.repository(alice, "till", { private: true }, "shop");
    await app.repository(alice, "safe", { private: true }, "shop");
    await app.repository(alice, "own");
    const of = `/teams/${team.id}/repos`;
    expect((await bob.api.put(`${of}/shop/till`)).status).toBe(404);
    for (const path of ["shop/nothing", "alice/own", "nobody/till", "forge/till"]) {
      expect((await alice.api.put(`${of}/${path}`)).status).toBe(404);
      expect((await alice.api.get(`${of}/${path}`)).status).toBe(404);
    }
    expect((await alice.api.put(`${of}/Shop/Till`)).status).toBe(204);
    expect((await alice.api.put(`${of}/shop/till`)).status).toBe(204);
    expect(names(await bob.api.get(of))).toEqual(["till"]);
    expect((await bob.api.get<{ name: string }>(`${of}/shop/till`)).body.name).toBe("till");
    expect((await alice.api.get(`${of}/shop/safe`)).status).toBe(404);
    expect((await bob.api.delete(`${of}/shop/till`)).status).toBe(403);
    expect((await carol.api.get(of)).status).toBe(403);
    expect((await stranger.api.get(of)).status).toBe(404);
    expect((await alice.api.delete(`${of}/shop/safe`)).status).toBe(404);
    expect((await alice.api.delete(`${of}/shop/till`)).status).toBe(204);
    expect(names(await bob.api.get(of))).toEqual([]);
    expect((await alice.api.get("/repos/shop/till")).status).toBe(200);
    expect(
      (await alice.api.patch(`/teams/${keepers.id}`, { name: "keepers", includes_all_repositories: true })).status,
    ).toBe(200);
    expect(names(await carol.api.get(`/teams/${keepers.id}/repos`))).toEqual(["safe", "till"]);
    expect((await alice.api.delete(`/teams/${keepers.id}/repos/shop/till`)).status).toBe(422);
  });

  test("are also given by the repository, by its administrators where the organization lets them", async () => {
    await app.organization("yard", alice);
    const admins = await makeTeam(
      alice,
      "yard",
      { name: "admins", permission: "admin", includes_all_repositories: true },
      [carol],
    );
    await makeTeam(alice, "yard", { name: "readers" }, [bob]);
    await app.repository(alice, "gate", { private: true }, "yard");
    const of = "/repos/yard/gate/teams";
    expect((await carol.api.put(`${of}/readers`)).status).toBe(403);
    expect((await bob.api.get(of)).status).toBe(404);
    expect((await alice.api.put(`${of}/nothing`)).status).toBe(404);
    expect((await alice.api.put(`${of}/Readers`)).status).toBe(204);
    expect((await alice.api.put(`${of}/readers`)).status).toBe(422);
    expect(names(await bob.api.get(of))).toEqual(["Owners", "admins", "readers"]);
    expect((await bob.api.put(`${of}/readers`)).status).toBe(403);
    expect((await bob.api.get<TeamJson>(`${of}/admins`)).body).toEqual(admins);
    expect((await alice.api.delete(`${of}/admins`)).status).toBe(422);
    expect((await alice.api.patch("/orgs/yard", { repo_admin_change_team_access: true })).status).toBe(200);
    expect((await carol.api.delete(`${of}/readers`)).status).toBe(204);
    expect((await bob.api.get("/repos/yard/gate")).status).toBe(404);
    expect((await carol.api.delete(`${of}/readers`)).status).toBe(422);
    expect((await carol.api.put(`${of}/readers`)).status).toBe(204);
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/readers"],
      ["PUT", "/readers"],
      ["DELETE", "/readers"],
    ] as const) {
      expect((await alice.api.request(method, `/repos/alice/own/teams${path}`)).status).toBe(405);
    }
  });

  test("of a public repository are told to members only", async () => {
    await app.organization("plaza", alice);
    await makeTeam(alice, "plaza", { name: "sweepers", includes_all_repositories: true }, [carol]);
    await app.repository(alice, "fountain", {}, "plaza");
    expect(names(await carol.api.get("/repos/plaza/fountain/teams"))).toEqual(["Owners", "sweepers"]);
    expect((await stranger.api.get("/repos/plaza/fountain/teams")).body).toEqual([]);
    expect((await stranger.api.get("/repos/plaza/fountain/teams/sweepers")).status).toBe(404);
    expect((await app.anonymous.get("/repos/plaza/fountain/teams")).status).toBe(401);
  });
});

test("nobody is a member of a team by its organization alone", async () => {
  expect(names(await alice.api.get(`/teams/${members.id}/members`))).toEqual(["carol"]);
});

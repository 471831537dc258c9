import { beforeAll, describe, expect, test } from "bun:test";
import { redact } from "../support/redact.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp } from "../support/test-app.ts";

interface Rule {
  id: number;
  name_pattern: string;
  whitelist_usernames: string[];
  whitelist_teams: string[];
  updated_at: string;
}

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carl = await app.user("carl");
const base = "/repos/forge/site/tag_protections";

beforeAll(async () => {
  await app.organization("forge", alice);
  await app.repository(alice, "site", { auto_init: true }, "forge");
  await alice.api.put("/repos/forge/site/collaborators/bob", { permission: "write" });
  await alice.api.put("/repos/forge/site/collaborators/carl", { permission: "read" });
});

const make = (body: object) => alice.api.post<Rule>(base, body);

test("administrators of the repository make rules, and nobody else sees them", async () => {
  const { id } = (await make({ name_pattern: "who*" })).body;
  const reader = await app.scoped(alice, "read:repository");
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["POST", "", { name_pattern: "x" }],
    ["GET", `/${id}`, undefined],
    ["PATCH", `/${id}`, { name_pattern: "y" }],
    ["DELETE", `/${id}`, undefined],
  ] as const) {
    const options = body === undefined ? {} : { body };
    const ask = async (api: typeof alice.api, at = base) => (await api.request(method, `${at}${path}`, options)).status;
    expect([method, path, await ask(app.anonymous)]).toEqual([method, path, 401]);
    expect([method, path, await ask(bob.api)]).toEqual([method, path, 403]);
    expect([method, path, await ask(bob.api, "/repos/forge/none/tag_protections")]).toEqual([method, path, 404]);
    if (method !== "GET") {
      expect([method, path, await ask(reader)]).toEqual([method, path, 403]);
    }
  }
  // One repository's rules are no other's.
  await app.repository(bob, "own");
  for (const method of ["GET", "PATCH", "DELETE"] as const) {
    const options = method === "PATCH" ? { body: {} } : {};
    expect((await bob.api.request(method, `/repos/bob/own/tag_protections/${id}`, options)).status).toBe(404);
  }
  expect((await alice.api.delete(`${base}/${id}`)).status).toBe(204);
  expect((await alice.api.get(`${base}/${id}`)).status).toBe(404);
});

test("a rule is made, read, changed and deleted, and each is told", async () => {
  const devs = await makeTeam(alice, "forge", { name: "devs", permission: "write" }, [carl]);
  await alice.api.put(`/teams/${devs.id}/repos/forge/site`);
  const { status, body } = await make({ name_pattern: "v*", whitelist_usernames: ["bob"], whitelist_teams: ["DEVS"] });
  expect(status).toBe(201);
  expect(redact(body)).toEqual({
    id: "<id>",
    name_pattern: "v*",
    whitelist_usernames: ["bob"],
    whitelist_teams: ["devs"],
    created_at: "<time>",
    updated_at: "<time>",
  });
  expect((await alice.api.get<Rule>(`${base}/${body.id}`)).body).toEqual(body);
  const other = (await make({ name_pattern: "nightly/**" })).body;
  const listed = await alice.api.get<Rule[]>(base);
  expect([listed.body, listed.headers.get("x-total-count")]).toEqual([[body, other], "2"]);
  const edited = await alice.api.patch<Rule>(`${base}/${body.id}`, { name_pattern: "[vV]*", whitelist_usernames: [] });
  expect([edited.status, edited.body]).toEqual([
    200,
    { ...body, name_pattern: "[vV]*", whitelist_usernames: [], updated_at: edited.body.updated_at },
  ]);
  const same = await alice.api.patch<Rule>(`${base}/${body.id}`, { name_pattern: null, whitelist_teams: null });
  expect(same.body.whitelist_teams).toEqual(["devs"]);
  expect((await alice.api.delete(`${base}/${body.id}`)).status).toBe(204);
  expect((await alice.api.delete(`${base}/${body.id}`)).status).toBe(404);
  await alice.api.delete(`${base}/${other.id}`);
});

describe("wrong input", () => {
  test.each([
    ["no pattern", {}, "name_pattern"],
    ["an empty pattern", { name_pattern: "" }, "name_pattern"],
    ["a pattern that does not end", { name_pattern: "v{1,2" }, "name_pattern"],
    ["a regular expression", { name_pattern: "/^v[0-9]+$/" }, "name_pattern"],
    ["a long pattern", { name_pattern: "v".repeat(256) }, "name_pattern"],
    ["control characters", { name_pattern: "v\u0000*" }, "name_pattern"],
    ["a user who is not there", { name_pattern: "x", whitelist_usernames: ["nobody-at-all"] }, "whitelist_usernames"],
    ["a user who may only read", { name_pattern: "x", whitelist_usernames: ["rob"] }, "whitelist_usernames"],
    ["a team that is not there", { name_pattern: "x", whitelist_teams: ["nobody"] }, "whitelist_teams"],
    [
      "too many users",
      { name_pattern: "x", whitelist_usernames: Array.from({ length: 101 }, () => "bob") },
      "whitelist_usernames",
    ],
  ])("%s", async (_, body, field) => {
    await app.user("rob").catch(() => {});
    const before = (await alice.api.get<Rule[]>(base)).body;
    const refused = await alice.api.post<{ message: string }>(base, body);
    expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining(field)]);
    expect((await alice.api.get<Rule[]>(base)).body).toEqual(before);
  });

  test("a pattern that there is already, and an edit that is refused changes nothing", async () => {
    const one = (await make({ name_pattern: "one*" })).body;
    const two = (await make({ name_pattern: "two*" })).body;
    expect((await make({ name_pattern: "one*" })).status).toBe(422);
    expect((await alice.api.patch(`${base}/${two.id}`, { name_pattern: "one*" })).status).toBe(422);
    expect(
      (await alice.api.patch(`${base}/${two.id}`, { name_pattern: "three*", whitelist_usernames: ["x"] })).status,
    ).toBe(422);
    expect((await alice.api.patch(`${base}/${one.id}`, { name_pattern: "one*" })).status).toBe(200);
    expect((await alice.api.get<Rule>(`${base}/${two.id}`)).body).toEqual(two);
    await Promise.all([one, two].map(({ id }) => alice.api.delete(`${base}/${id}`)));
  });
});

test("whoever may write no longer leaves the list; so does a team that is deleted", async () => {
  const ops = await makeTeam(alice, "forge", { name: "ops", permission: "write", includes_all_repositories: true });
  const { id } = (await make({ name_pattern: "left*", whitelist_usernames: ["bob"], whitelist_teams: ["ops"] })).body;
  const lists = async () => {
    const { whitelist_usernames: users, whitelist_teams: teams } = (await alice.api.get<Rule>(`${base}/${id}`)).body;
    return [...users, ...teams];
  };
  expect(await lists()).toEqual(["bob", "ops"]);
  await alice.api.put("/repos/forge/site/collaborators/bob", { permission: "read" });
  expect(await lists()).toEqual(["ops"]);
  await alice.api.delete(`/teams/${ops.id}`);
  expect(await lists()).toEqual([]);
});

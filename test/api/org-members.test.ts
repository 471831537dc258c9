import { describe, expect, test } from "bun:test";
import { makeTeam, ownersTeamId } from "../support/team.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const stranger = await app.user("stranger");
const admin = await app.admin();
await app.organization("forge", alice);
await app.organization("hidden", alice, { visibility: "private" });
await makeTeam(alice, "forge", { name: "devs" }, [bob, carol]);

const logins = ({ body }: { body: { login: string }[] }) => body.map(({ login }) => login);

describe("who is a member", () => {
  test("members know, others are told of public memberships only", async () => {
    expect((await bob.api.put("/orgs/forge/public_members/bob")).status).toBe(204);
    expect(logins(await carol.api.get("/orgs/forge/members"))).toEqual(["alice", "bob", "carol"]);
    expect(logins(await admin.api.get("/orgs/forge/members"))).toEqual(["alice", "bob", "carol"]);
    const seen = await stranger.api.get<{ login: string }[]>("/orgs/forge/members");
    expect([logins(seen), seen.headers.get("x-total-count")]).toEqual([["bob"], "1"]);
    expect(logins(await app.anonymous.get("/orgs/forge/public_members"))).toEqual(["bob"]);
    expect(logins(await alice.api.get("/orgs/forge/public_members"))).toEqual(["bob"]);
    expect((await app.anonymous.get("/orgs/forge/members")).status).toBe(401);
  });

  test.each([
    ["carol", "bob", 204],
    ["carol", "alice", 204],
    ["carol", "Carol", 204],
    ["carol", "stranger", 404],
    ["carol", "nobody", 404],
    ["stranger", "bob", 204],
    ["stranger", "carol", 404],
    ["stranger", "stranger", 404],
    ["admin", "carol", 204],
  ])("%s asks for %s: %d, without a body", async (asker, name, status) => {
    const client = { carol, stranger, admin }[asker]!.api;
    const answer = await client.get(`/orgs/forge/members/${name}`);
    expect([answer.status, answer.body]).toEqual([status, null]);
  });

  test("is asked of public members by anybody", async () => {
    for (const [name, status] of [
      ["bob", 204],
      ["carol", 404],
      ["nobody", 404],
    ] as const) {
      const answer = await app.anonymous.get(`/orgs/forge/public_members/${name}`);
      expect([answer.status, answer.body]).toEqual([status, null]);
    }
  });

  test("is hidden with the organization", async () => {
    for (const path of ["/members", "/members/alice", "/public_members", "/public_members/alice"]) {
      expect((await stranger.api.get(`/orgs/hidden${path}`)).status).toBe(404);
    }
    expect((await stranger.api.delete("/orgs/hidden/members/alice")).status).toBe(404);
    expect((await stranger.api.get("/orgs/alice/members")).status).toBe(404);
  });

  test("members whom nobody else may know of are known to members", async () => {
    const shy = await app.user("shy");
    await app.forge.database.sql`update owner set visibility = 'private' where id = ${shy.id}`;
    await app.organization("shy-org", shy);
    await makeTeam(shy, "shy-org", { name: "friends" }, [bob]);
    expect((await shy.api.put("/orgs/shy-org/public_members/shy")).status).toBe(204);
    expect(logins(await bob.api.get("/orgs/shy-org/members"))).toEqual(["bob", "shy"]);
    expect((await bob.api.get("/orgs/shy-org/members/shy")).status).toBe(204);
    expect(logins(await stranger.api.get("/orgs/shy-org/public_members"))).toEqual([]);
    expect((await stranger.api.get("/orgs/shy-org/public_members/shy")).status).toBe(404);
  });
});

test("members decide for themselves whether everybody knows", async () => {
  for (const method of ["PUT", "DELETE"]) {
    expect((await alice.api.request(method, "/orgs/forge/public_members/carol")).status).toBe(403);
    expect((await stranger.api.request(method, "/orgs/forge/public_members/stranger")).status).toBe(403);
    expect((await admin.api.request(method, "/orgs/forge/public_members/admin")).status).toBe(404);
    expect((await app.anonymous.request(method, "/orgs/forge/public_members/carol")).status).toBe(401);
  }
  expect((await app.anonymous.get("/orgs/forge/public_members/carol")).status).toBe(404);
  expect((await carol.api.put("/orgs/forge/public_members/CAROL")).status).toBe(204);
  expect((await carol.api.put("/orgs/forge/public_members/carol")).status).toBe(204);
  expect((await app.anonymous.get("/orgs/forge/public_members/carol")).status).toBe(204);
  expect((await carol.api.delete("/orgs/forge/public_members/carol")).status).toBe(204);
  expect((await app.anonymous.get("/orgs/forge/public_members/carol")).status).toBe(404);
});

test("a removed member is in no team and has nothing more in the repositories, at once", async () => {
  await app.organization("firm", alice);
  await makeTeam(
    alice,
    "firm",
    { name: "one", includes_all_repositories: true, permission: "write", can_create_org_repo: true },
    [bob, carol],
  );
  await makeTeam(alice, "firm", { name: "two" }, [bob]);
  await app.repository(alice, "plan", { private: true }, "firm");
  // Whoever makes a repository administers it: that goes, too.
  await app.repository(bob, "draft", { private: true }, "firm");
  expect((await bob.api.patch("/repos/firm/draft", { description: "Mine" })).status).toBe(200);
  for (const [client, status] of [
    [app.anonymous, 401],
    [carol.api, 403],
    [stranger.api, 403],
  ] as const) {
    expect((await client.delete("/orgs/firm/members/bob")).status).toBe(status);
  }
  expect((await alice.api.delete("/orgs/firm/members/stranger")).status).toBe(404);
  expect((await alice.api.delete("/orgs/firm/members/nobody")).status).toBe(404);
  expect((await alice.api.delete("/orgs/firm/members/bob")).status).toBe(204);
  for (const path of ["/repos/firm/plan", "/repos/firm/draft"]) {
    expect((await bob.api.get(path)).status).toBe(404);
    expect((await carol.api.get(path)).status).toBe(200);
  }
  expect((await bob.api.get("/orgs/firm/teams")).status).toBe(403);
  expect((await bob.api.post("/orgs/firm/repos", { name: "more" })).status).toBe(403);
  expect((await bob.api.get<{ name: string }[]>("/user/teams")).body.map(({ name }) => name)).not.toContain("two");
  expect((await alice.api.delete("/orgs/firm/members/bob")).status).toBe(404);
});

test("a thousand members and two hundred teams are listed with as many queries as few", async () => {
  const { sql } = app.forge.database;
  const organizationId = await app.organization("crowd", alice);
  await sql`with made as (
      insert into owner (kind, name, lower_name) select 'user', 'crowd-' || n, 'crowd-' || n from generate_series(1, 1000) n returning id
    ) insert into account (owner_id) select id from made`;
  await sql`insert into team (organization_id, name, lower_name, mode) select ${organizationId}, 'team-' || n, 'team-' || n, 1 from generate_series(1, 199) n`;
  await sql`insert into team_unit (team_id, unit, mode) select id, unit, 1 from team, unnest(array['code', 'wiki']) unit where organization_id = ${organizationId} and mode = 1`;
  await sql`insert into team_member (team_id, user_id) select t.id, o.id from team t, owner o where t.organization_id = ${organizationId} and t.mode = 1 and o.lower_name like 'crowd-%'
    and (o.id + t.id) % 20 = 0`;
  await sql`insert into team_member (team_id, user_id) select (select min(id) from team where organization_id = ${organizationId} and mode = 1), id from owner where lower_name like 'crowd-%' on conflict do nothing`;
  const counted = async (path: string) => {
    // The first request remembers the organization's row.
    await alice.api.get(path);
    const options = app.forge.database.sql.options as { debug?: unknown };
    let queries = 0;
    const before = options.debug;
    options.debug = () => queries++;
    const { status, body, headers } = await alice.api.get<unknown[]>(path);
    options.debug = before;
    expect(status).toBe(200);
    return { queries, rows: body.length, total: Number(headers.get("x-total-count")) };
  };
  const few = await counted("/orgs/forge/members?limit=50");
  const many = await counted("/orgs/crowd/members?limit=50");
  expect(many).toEqual({ queries: few.queries, rows: 50, total: 1001 });
  const fewTeams = await counted("/orgs/forge/teams?limit=50");
  const manyTeams = await counted("/orgs/crowd/teams?limit=50");
  expect(manyTeams).toEqual({ queries: fewTeams.queries, rows: 50, total: 200 });
  expect(few.queries).toBeGreaterThan(0);
  await sql`insert into team (organization_id, name, lower_name, mode) select ${organizationId}, 'more-' || n, 'more-' || n, 0 from generate_series(1, 799) n`;
  expect((await alice.api.post("/orgs/crowd/teams", { name: "thousandth" })).status).toBe(201);
  expect((await alice.api.post("/orgs/crowd/teams", { name: "too-many" })).status).toBe(422);
  const crowded = await ownersTeamId(alice, "crowd");
  expect((await counted(`/teams/${crowded}/members`)).total).toBe(1);
});

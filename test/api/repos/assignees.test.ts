import { describe, expect, test } from "bun:test";
import { makeTeam } from "../../support/team.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const users = Object.fromEntries(
  await Promise.all(
    ["reader", "writer", "administrator", "blocked", "suspended", "stranger", "member", "tester"].map(
      async (name) => [name, await app.user(name)] as const,
    ),
  ),
);
const hidden = await app.user("hidden");
const { sql } = app.forge.database;
await app.repository(alice, "site");
await app.organization("forge", alice);
await alice.api.post("/orgs/forge/repos", { name: "tool", private: true });
for (const [name, permission] of [
  ["reader", "read"],
  ["writer", "write"],
  ["administrator", "admin"],
  ["blocked", "admin"],
  ["suspended", "write"],
  ["hidden", "write"],
] as const) {
  expect((await alice.api.put(`/repos/alice/site/collaborators/${name}`, { permission })).status).toBe(204);
}
await sql`insert into block (blocker_id, blocked_id) select ${alice.id}, id from owner where lower_name = 'blocked'`;
await sql`update account set suspended = true where owner_id = (select id from owner where lower_name = 'suspended')`;
await sql`update owner set visibility = 'private' where lower_name = 'hidden'`;

const list = async (path: string, client = alice.api) =>
  (await client.get<{ login: string }[]>(path)).body.map(({ login }) => login);

test("nobody asks without an account, nor about what they may not see", async () => {
  for (const what of ["assignees", "reviewers"]) {
    expect((await app.anonymous.get(`/repos/alice/site/${what}`)).status).toBe(401);
    expect((await users["stranger"]!.api.get(`/repos/forge/tool/${what}`)).status).toBe(404);
    expect((await alice.api.get(`/repos/alice/absent/${what}`)).status).toBe(404);
  }
});

describe("a user's repository", () => {
  test("is assigned to those who may write, and reviewed by those who may read, if they may sign in", async () => {
    expect(await list("/repos/alice/site/assignees")).toEqual(["administrator", "alice", "hidden", "writer"]);
    expect(await list("/repos/alice/site/reviewers")).toEqual(["administrator", "alice", "hidden", "reader", "writer"]);
  });

  test("shows a hidden user to its administrators, to themselves and to nobody else", async () => {
    const others = ["administrator", "alice", "writer"];
    expect(await list("/repos/alice/site/assignees", users["stranger"]!.api)).toEqual(others);
    expect(await list("/repos/alice/site/assignees", users["writer"]!.api)).toEqual(others);
    expect(await list("/repos/alice/site/assignees", users["administrator"]!.api)).toContain("hidden");
    expect(await list("/repos/alice/site/assignees", hidden.api)).toContain("hidden");
    const publicOnly = await app.scoped(alice, "read:repository", "public-only");
    expect(await list("/repos/alice/site/reviewers", publicOnly)).not.toContain("hidden");
  });

  test("has nobody for a part that is switched off", async () => {
    await alice.api.patch("/repos/alice/site", { has_pull_requests: false });
    expect(await list("/repos/alice/site/reviewers")).toEqual([]);
    expect(await list("/repos/alice/site/assignees")).toContain("writer");
    await alice.api.patch("/repos/alice/site", { has_issues: false });
    expect(await list("/repos/alice/site/assignees")).toEqual([]);
  });
});

test("an organization's repository has the members of its teams, by what these may do in the unit", async () => {
  const { member, tester, reader } = users;
  await makeTeam(alice, "forge", { name: "devs", permission: "write", includes_all_repositories: true }, [member!]);
  await makeTeam(
    alice,
    "forge",
    {
      name: "testers",
      permission: "read",
      includes_all_repositories: true,
      units_map: { "repo.issues": "write", "repo.pulls": "none", "repo.code": "read" },
    },
    [tester!],
  );
  await makeTeam(alice, "forge", { name: "elsewhere", permission: "admin" }, [reader!]);
  expect(await list("/repos/forge/tool/assignees")).toEqual(["alice", "member", "tester"]);
  expect(await list("/repos/forge/tool/reviewers")).toEqual(["alice", "member"]);
  expect(await list("/repos/forge/tool/reviewers", tester!.api)).toEqual(["alice", "member"]);
});

import { beforeAll, describe, expect, test } from "bun:test";
import { redact } from "../support/redact.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";

interface Rule {
  id: number;
  rule_name: string;
  priority: number;
  push_whitelist_usernames: string[];
  push_whitelist_teams: string[];
  approvals_whitelist_username: string[];
  status_check_contexts: string[];
  [field: string]: unknown;
}

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carl = await app.user("carl");
const rita = await app.user("rita");
const base = "/repos/forge/site/branch_protections";

beforeAll(async () => {
  await app.organization("forge", alice);
  await app.repository(alice, "site", { auto_init: true }, "forge");
  for (const [user, permission] of [
    [bob, "write"],
    [carl, "write"],
    [rita, "read"],
  ] as const) {
    expect((await alice.api.put(`/repos/forge/site/collaborators/${user.name}`, { permission })).status).toBe(204);
  }
});

const make = (body: object) => alice.api.post<Rule>(base, body);
const count = async () => (await alice.api.get<Rule[]>(base)).body.length;

describe("who may", () => {
  test("administrators of the repository, with a token that writes to repositories", async () => {
    await make({ rule_name: "guarded" });
    const reader = await app.scoped(alice, "read:repository");
    for (const [method, path, body] of [
      ["GET", "", undefined],
      ["POST", "", { rule_name: "x" }],
      ["POST", "/priority", { ids: [] }],
      ["GET", "/guarded", undefined],
      ["PATCH", "/guarded", { enable_push: true }],
      ["DELETE", "/guarded", undefined],
    ] as const) {
      const options = body === undefined ? {} : { body };
      const status = async (user: Pick<TestUser, "api">["api"]) =>
        (await user.request(method, `${base}${path}`, options)).status;
      expect([method, path, await status(app.anonymous)]).toEqual([method, path, 401]);
      expect([method, path, await status(bob.api)]).toEqual([method, path, 403]);
      expect([
        method,
        path,
        (await bob.api.request(method, `/repos/forge/none/branch_protections${path}`, options)).status,
      ]).toEqual([method, path, 404]);
      if (method !== "GET") {
        expect([method, path, await status(reader)]).toEqual([method, path, 403]);
      }
    }
    expect((await alice.api.get<Rule>(`${base}/guarded`)).body["enable_push"]).toBe(false);
    expect((await alice.api.delete(`${base}/guarded`)).status).toBe(204);
    expect((await alice.api.get(`${base}/guarded`)).status).toBe(404);
    expect((await alice.api.delete(`${base}/guarded`)).status).toBe(404);
    expect((await alice.api.patch(`${base}/guarded`, {})).status).toBe(404);
  });

  test("nobody in an archived repository", async () => {
    await app.repository(alice, "old");
    await alice.api.post("/repos/alice/old/branch_protections", { rule_name: "main" });
    await alice.api.patch("/repos/alice/old", { archived: true });
    expect((await alice.api.post("/repos/alice/old/branch_protections", { rule_name: "x" })).status).toBe(423);
    expect((await alice.api.patch("/repos/alice/old/branch_protections/main", {})).status).toBe(423);
    expect((await alice.api.delete("/repos/alice/old/branch_protections/main")).status).toBe(423);
    expect((await alice.api.get<Rule[]>("/repos/alice/old/branch_protections")).body.length).toBe(1);
  });
});

describe("create, read, change, delete", () => {
  test("all that a rule can say is stored and answered", async () => {
    await makeTeam(alice, "forge", { name: "devs", permission: "write" }, [carl]);
    const devs = await alice.api.get<{ data: { id: number }[] }>("/orgs/forge/teams/search?q=devs");
    expect((await alice.api.put(`/teams/${devs.body.data[0]?.id}/repos/forge/site`)).status).toBe(204);
    const sent = {
      rule_name: "release/**",
      priority: 7,
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ["BOB"],
      push_whitelist_teams: ["devs"],
      push_whitelist_deploy_keys: true,
      enable_force_push: true,
      enable_force_push_allowlist: true,
      force_push_allowlist_usernames: ["carl"],
      force_push_allowlist_teams: [],
      force_push_allowlist_deploy_keys: true,
      enable_delete: true,
      enable_delete_allowlist: true,
      delete_allowlist_usernames: ["alice"],
      delete_allowlist_teams: ["Devs"],
      delete_allowlist_deploy_keys: true,
      enable_merge_whitelist: true,
      merge_whitelist_usernames: ["carl", "bob"],
      merge_whitelist_teams: ["Owners"],
      enable_status_check: true,
      status_check_contexts: ["ci/build", "lint *"],
      required_approvals: 2,
      enable_approvals_whitelist: true,
      approvals_whitelist_username: ["rita", "bob"],
      approvals_whitelist_teams: ["devs"],
      block_on_rejected_reviews: true,
      block_on_official_review_requests: true,
      block_on_outdated_branch: true,
      dismiss_stale_approvals: true,
      ignore_stale_approvals: true,
      require_signed_commits: true,
      protected_file_patterns: ".ci.yml;docs/**",
      unprotected_file_patterns: "*.md",
      apply_to_admins: true,
    };
    const { status, body } = await make(sent);
    expect(status).toBe(201);
    const whole = {
      ...sent,
      id: "<id>",
      branch_name: "",
      block_admin_merge_override: true,
      push_whitelist_usernames: ["bob"],
      delete_allowlist_teams: ["devs"],
      merge_whitelist_usernames: ["bob", "carl"],
      approvals_whitelist_username: ["bob", "rita"],
      created_at: "<time>",
      updated_at: "<time>",
    };
    expect({ ...(redact(body) as object), id: "<id>" }).toEqual(whole);
    for (const path of ["release%2F**", "release/**"]) {
      expect((await alice.api.get<Rule>(`${base}/${path}`)).body).toEqual(body);
    }
    expect((await alice.api.get<Rule[]>(base)).body).toContainEqual(body);

    const edited = await alice.api.patch<Rule>(`${base}/release%2F**`, {
      enable_push: null,
      push_whitelist_usernames: null,
      push_whitelist_teams: [],
      required_approvals: 1,
      protected_file_patterns: "",
      apply_to_admins: false,
    });
    expect(edited.status).toBe(200);
    expect(edited.body).toEqual({
      ...body,
      push_whitelist_teams: [],
      required_approvals: 1,
      protected_file_patterns: "",
      apply_to_admins: false,
      block_admin_merge_override: false,
      updated_at: edited.body["updated_at"],
    });
    expect((await alice.api.delete(`${base}/release%2F**`)).status).toBe(204);
    expect(await count()).toBe(0);
  });

  test("what is not said is off; the older name of the field, and that of the switch for administrators", async () => {
    const { status, body } = await make({ branch_name: "main", block_admin_merge_override: true });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      branch_name: "main",
      rule_name: "main",
      priority: 1,
      enable_push: false,
      enable_delete: false,
      required_approvals: 0,
      push_whitelist_usernames: [],
      status_check_contexts: [],
      protected_file_patterns: "",
      apply_to_admins: true,
    });
    await alice.api.delete(`${base}/main`);
  });

  test("contexts that are sent replace those that there are, also while checks are disabled; null and nothing leave them", async () => {
    await make({ rule_name: "checked", enable_status_check: true, status_check_contexts: ["a", "b"] });
    const patch = async (body: object) =>
      (await alice.api.patch<Rule>(`${base}/checked`, body)).body.status_check_contexts;
    expect(await patch({ enable_status_check: false, status_check_contexts: ["c"] })).toEqual(["c"]);
    expect(await patch({ status_check_contexts: ["d", "e"] })).toEqual(["d", "e"]);
    expect(await patch({ status_check_contexts: null })).toEqual(["d", "e"]);
    expect(await patch({ enable_status_check: true })).toEqual(["d", "e"]);
    expect(await patch({ enable_status_check: false })).toEqual(["d", "e"]);
    expect(await patch({ status_check_contexts: [] })).toEqual([]);
    await alice.api.delete(`${base}/checked`);
  });

  test("exact names come first, then patterns by their priority, which may be changed", async () => {
    const ids = new Map<string, number>();
    for (const name of ["a/*", "a/**", "*", "a/b"]) {
      ids.set(name, (await make({ rule_name: name })).body.id);
    }
    const order = async () => (await alice.api.get<Rule[]>(base)).body.map((rule) => rule.rule_name);
    expect(await order()).toEqual(["a/b", "a/*", "a/**", "*"]);
    const { status } = await alice.api.post(`${base}/priority`, { ids: [ids.get("*"), ids.get("a/**")] });
    expect(status).toBe(204);
    expect(await order()).toEqual(["a/b", "*", "a/**", "a/*"]);
    expect((await alice.api.patch<Rule>(`${base}/a%2F*`, { priority: 1 })).body.priority).toBe(1);
    for (const wrong of [{ ids: [999_999] }, { ids: [ids.get("*"), ids.get("*")] }]) {
      const refused = await alice.api.post<{ message: string }>(`${base}/priority`, wrong);
      expect([refused.status, refused.body.message.startsWith("ids")]).toEqual([422, true]);
    }
    const page = await alice.api.get<Rule[]>(`${base}?limit=3&page=2`);
    expect([page.body.map((rule) => rule.rule_name), page.headers.get("x-total-count")]).toEqual([["a/**"], "4"]);
    for (const name of ids.keys()) {
      expect((await alice.api.delete(`${base}/${encodeURIComponent(name)}`)).status).toBe(204);
    }
  });
});

describe("wrong input", () => {
  test.each([
    ["no name", { rule_name: undefined }, "rule_name"],
    ["an empty name", { rule_name: "" }, "rule_name"],
    ["what no branch is called", { rule_name: "a..b" }, "rule_name"],
    ["a pattern that does not end", { rule_name: "release/[0-9" }, "rule_name"],
    ["a long name", { rule_name: "a".repeat(300) }, "rule_name"],
    ["control characters", { rule_name: "a*\u0000" }, "rule_name"],
    ["braces in braces in braces", { rule_name: `${"{".repeat(20)}a${"}".repeat(20)}` }, "rule_name"],
    ["a push list without anybody", { enable_push: true, enable_push_whitelist: true }, "push_whitelist_usernames"],
    [
      "a force-push list without anybody",
      { enable_push: true, enable_force_push: true, enable_force_push_allowlist: true },
      "force_push_allowlist_usernames",
    ],
    [
      "a delete list without anybody",
      { enable_delete: true, enable_delete_allowlist: true },
      "delete_allowlist_usernames",
    ],
    ["a merge list without anybody", { enable_merge_whitelist: true }, "merge_whitelist_usernames"],
    ["an approvals list without anybody", { enable_approvals_whitelist: true }, "approvals_whitelist_username"],
    [
      "more approvals than approvers",
      { enable_approvals_whitelist: true, approvals_whitelist_username: ["bob"], required_approvals: 2 },
      "required_approvals",
    ],
    ["approvals below none", { required_approvals: -1 }, "required_approvals"],
    ["absurdly many approvals", { required_approvals: 1_000_000 }, "required_approvals"],
    ["a user who is not there", { push_whitelist_usernames: ["nobody-at-all"] }, "push_whitelist_usernames"],
    ["a user who may only read, to push", { push_whitelist_usernames: ["rita"] }, "push_whitelist_usernames"],
    ["a user who may only read, to merge", { merge_whitelist_usernames: ["rita"] }, "merge_whitelist_usernames"],
    ["an organization", { push_whitelist_usernames: ["forge"] }, "push_whitelist_usernames"],
    ["a team that is not there", { push_whitelist_teams: ["nobody"] }, "push_whitelist_teams"],
    ["a file pattern that does not end", { protected_file_patterns: "a;{b" }, "protected_file_patterns"],
    ["too long a file pattern", { unprotected_file_patterns: "a".repeat(5000) }, "unprotected_file_patterns"],
    ["too many file patterns", { protected_file_patterns: "a;".repeat(101) }, "protected_file_patterns"],
    ["an empty context", { status_check_contexts: [""] }, "status_check_contexts"],
    [
      "too many contexts",
      { status_check_contexts: Array.from({ length: 101 }, (_, at) => `c${at}`) },
      "status_check_contexts",
    ],
    [
      "too many users",
      { push_whitelist_usernames: Array.from({ length: 101 }, () => "bob") },
      "push_whitelist_usernames",
    ],
    [
      "two names of one switch that differ",
      { apply_to_admins: true, block_admin_merge_override: false },
      "apply_to_admins",
    ],
    ["a negative priority", { priority: -1 }, "priority"],
  ])("%s", async (_, body, field) => {
    const before = await count();
    const refused = await alice.api.post<{ message: string }>(base, { rule_name: "wrong", ...body });
    expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining(field)]);
    expect(refused.body.message.length).toBeLessThan(400);
    expect(await count()).toBe(before);
  });

  test("a name that there is already", async () => {
    await make({ rule_name: "twice" });
    const again = await alice.api.post<{ message: string }>(base, { rule_name: "twice", enable_push: true });
    expect([again.status, again.body.message]).toEqual([422, 'rule_name: there is a protection "twice" already']);
    expect((await alice.api.get<Rule>(`${base}/twice`)).body["enable_push"]).toBe(false);
  });

  test("an edit that is refused changes nothing", async () => {
    const rule = (await make({ rule_name: "kept", enable_push: true })).body;
    for (const body of [
      { enable_push_whitelist: true },
      { enable_push_whitelist: true, push_whitelist_usernames: ["bob", "nobody-at-all"] },
      { enable_push: false, protected_file_patterns: "[" },
    ]) {
      expect((await alice.api.patch(`${base}/kept`, body)).status).toBe(422);
      expect((await alice.api.get<Rule>(`${base}/kept`)).body).toEqual(rule);
    }
  });

  test("a user's repository has no teams, and no more than a hundred rules", async () => {
    await app.repository(alice, "own");
    const own = "/repos/alice/own/branch_protections";
    const refused = await alice.api.post<{ message: string }>(own, { rule_name: "x", push_whitelist_teams: ["devs"] });
    expect([refused.status, refused.body.message.split(" ")[0]]).toEqual([422, "push_whitelist_teams"]);
    for (let made = 0; made < 100; made++) {
      expect((await alice.api.post(own, { rule_name: `x${made}` })).status).toBe(201);
    }
    expect((await alice.api.post(own, { rule_name: "x100" })).status).toBe(422);
  });

  test("a hidden user and one who is not there are told alike", async () => {
    const hidden = await app.user("hidden");
    await hidden.api.patch("/user/settings", { visibility: "private" });
    const ask = async (name: string) =>
      (await alice.api.post<{ message: string }>(base, { rule_name: "who", push_whitelist_usernames: [name] })).body
        .message;
    expect((await ask("hidden")).replace("hidden", "?")).toBe((await ask("nowhere")).replace("nowhere", "?"));
  });
});

describe("who leaves the lists", () => {
  const listed = async (name: string) => (await alice.api.get<Rule>(`${base}/${name}`)).body;

  test("a collaborator who is removed, or may only read; and they are not back when they are", async () => {
    await make({
      rule_name: "left",
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ["bob", "alice"],
      approvals_whitelist_username: ["bob"],
    });
    await alice.api.put("/repos/forge/site/collaborators/bob", { permission: "read" });
    expect(await listed("left")).toMatchObject({
      push_whitelist_usernames: ["alice"],
      approvals_whitelist_username: ["bob"],
    });
    await alice.api.put("/repos/forge/site/collaborators/bob", { permission: "write" });
    expect((await listed("left")).push_whitelist_usernames).toEqual(["alice"]);
    await alice.api.patch(`${base}/left`, { push_whitelist_usernames: ["bob"] });
    await alice.api.delete("/repos/forge/site/collaborators/bob");
    expect(await listed("left")).toMatchObject({ push_whitelist_usernames: [] });
    // What has nothing to do with the list goes on to be changed.
    expect((await alice.api.patch(`${base}/left`, { required_approvals: 1 })).status).toBe(200);
    expect((await alice.api.patch(`${base}/left`, { push_whitelist_deploy_keys: false })).status).toBe(422);
    await alice.api.put("/repos/forge/site/collaborators/bob", { permission: "write" });
  });

  test("a user who is deleted, a member who leaves a team, a team that loses the repository or is deleted", async () => {
    const gone = await app.user("gone");
    const member = await app.user("member");
    const ops = await makeTeam(alice, "forge", { name: "ops", permission: "write" }, [member]);
    const own = `/teams/${ops.id}/repos/forge/site`;
    await alice.api.put("/repos/forge/site/collaborators/gone", { permission: "write" });
    await alice.api.put(own);
    const lists = { push_whitelist_usernames: ["gone", "member"], push_whitelist_teams: ["ops"] };
    expect((await make({ rule_name: "lost", ...lists })).status).toBe(201);
    const root = await app.admin("root");
    expect((await root.api.delete(`/admin/users/${gone.name}`)).status).toBe(204);
    expect((await listed("lost")).push_whitelist_usernames).toEqual(["member"]);
    await alice.api.delete(`/teams/${ops.id}/members/member`);
    expect(await listed("lost")).toMatchObject({ push_whitelist_usernames: [], push_whitelist_teams: ["ops"] });
    await alice.api.delete(own);
    expect((await listed("lost")).push_whitelist_teams).toEqual([]);
    await alice.api.put(own);
    expect(
      (await alice.api.patch<Rule>(`${base}/lost`, { push_whitelist_teams: ["ops"] })).body.push_whitelist_teams,
    ).toEqual(["ops"]);
    await alice.api.patch(`/teams/${ops.id}`, { name: "ops", permission: "read", units_map: { "repo.code": "read" } });
    expect((await listed("lost")).push_whitelist_teams).toEqual([]);
    expect((await alice.api.delete(`/teams/${ops.id}`)).status).toBe(204);
  });

  test("rules go with their repository", async () => {
    await app.repository(alice, "brief");
    await alice.api.post("/repos/alice/brief/branch_protections", { rule_name: "main" });
    const rules = async () =>
      (
        await app.forge.database
          .sql`select count(*)::int as n from branch_protection where repository_id not in (select id from repository)`
      )[0];
    expect((await alice.api.delete("/repos/alice/brief")).status).toBe(204);
    expect(await rules()).toEqual({ n: 0 });
  });
});

test("a repository made from a template takes the rules over where that is asked, with those who have access", async () => {
  await app.repository(alice, "mould", { auto_init: true, template: true }, "forge");
  await alice.api.put("/repos/forge/mould/collaborators/bob", { permission: "write" });
  const made = await alice.api.post<Rule>("/repos/forge/mould/branch_protections", {
    rule_name: "main",
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_usernames: ["bob", "alice"],
    push_whitelist_teams: ["Owners"],
    required_approvals: 3,
  });
  const generate = async (name: string, parts: object) =>
    (await alice.api.post("/repos/forge/mould/generate", { owner: "forge", name, git_content: true, ...parts })).status;
  expect([await generate("plain", {}), await generate("cast", { protected_branch: true })]).toEqual([201, 201]);
  expect((await alice.api.get<Rule[]>("/repos/forge/plain/branch_protections")).body).toEqual([]);
  const copied = (await alice.api.get<Rule[]>("/repos/forge/cast/branch_protections")).body;
  expect(copied).toEqual([
    {
      ...made.body,
      id: expect.any(Number),
      push_whitelist_usernames: ["alice"],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ]);
  expect(copied[0]?.id).not.toBe(made.body.id);
});

test("a repository that goes to another owner keeps its rules, and on the lists those who have access to it there", async () => {
  const dora = await app.user("dora");
  await app.repository(alice, "moved", { auto_init: true }, "forge");
  await alice.api.put("/repos/forge/moved/collaborators/bob", { permission: "write" });
  const lists = { push_whitelist_usernames: ["bob", "alice"], push_whitelist_teams: ["Owners"] };
  await alice.api.post("/repos/forge/moved/branch_protections", { rule_name: "main", ...lists });
  expect((await alice.api.post("/repos/forge/moved/transfer", { new_owner: "dora" })).status).toBeLessThan(300);
  expect((await dora.api.post("/repos/forge/moved/transfer/accept")).status).toBeLessThan(300);
  const [rule] = (await dora.api.get<Rule[]>("/repos/dora/moved/branch_protections")).body;
  expect(rule).toMatchObject({ rule_name: "main", push_whitelist_teams: [] });
  expect(rule?.push_whitelist_usernames).not.toContain("alice");
});

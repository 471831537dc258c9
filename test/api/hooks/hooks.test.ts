import { describe, expect, test } from "bun:test";
import { hookEventTypes } from "../../../src/domain/exchange/hooks/hook-events.ts";
import { redact } from "../../support/redact.ts";
import { TestApp, useTestApp } from "../../support/test-app.ts";

/** Webhooks as they are made, read, changed and deleted. What they are told is in test/webhooks/. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const root = await app.admin("root");
await app.organization("forge", alice);
await app.repository(alice, "site");
await app.repository(alice, "other");

interface HookJson {
  id: number;
  active: boolean;
  authorization_header: string;
  branch_filter: string;
  config: Record<string, string>;
  events: string[];
  type: string;
  url: string;
}

const url = "https://hooks.example.com/take?a=b";
const option = (fields: Record<string, unknown> = {}, config: Record<string, string> = {}) => ({
  type: "gitea",
  config: { url, content_type: "json", ...config },
  ...fields,
});
const make = async (fields: Record<string, unknown> = {}, config: Record<string, string> = {}) => {
  const { status, body } = await alice.api.post<HookJson>("/repos/alice/site/hooks", option(fields, config));
  expect(status).toBe(201);
  return body;
};

describe("who may not", () => {
  test("a stranger finds no repository, and a collaborator who writes may not", async () => {
    expect((await bob.api.put("/repos/alice/site/hooks", {})).status).toBe(405);
    await app.repository(alice, "hidden", { private: true });
    expect((await bob.api.get("/repos/alice/hidden/hooks")).status).toBe(404);
    await alice.api.put("/repos/alice/site/collaborators/bob", { permission: "write" });
    expect((await bob.api.get("/repos/alice/site/hooks")).status).toBe(403);
    expect((await bob.api.post("/repos/alice/site/hooks", option())).status).toBe(403);
    expect((await bob.api.get("/orgs/forge/hooks")).status).toBe(403);
    expect((await bob.api.get("/admin/hooks")).status).toBe(403);
    expect((await app.anonymous.get("/user/hooks")).status).toBe(401);
  });

  test("a hook of one place is none of another", async () => {
    const hook = await make();
    for (const path of [
      `/repos/alice/other/hooks/${hook.id}`,
      `/orgs/forge/hooks/${hook.id}`,
      `/user/hooks/${hook.id}`,
    ]) {
      expect((await alice.api.get(path)).status).toBe(404);
      expect((await alice.api.patch(path, { active: true })).status).toBe(404);
      expect((await alice.api.delete(path)).status).toBe(404);
      expect((await alice.api.get(`${path}/deliveries`)).status).toBe(404);
    }
    expect((await root.api.get(`/admin/hooks/${hook.id}`)).status).toBe(404);
    expect((await alice.api.get(`/repos/alice/site/hooks/${hook.id}`)).status).toBe(200);
  });

  test("a token without the scope that reads what the hook would tell", async () => {
    const narrow = await app.scoped(alice, "write:repository");
    const { status, body } = await narrow.post("/repos/alice/site/hooks", option({ events: ["push", "issues"] }));
    expect([status, body]).toEqual([
      403,
      { message: "The token does not have the required scope: read:issue", url: `${app.url}/api/swagger` },
    ]);
    const wider = await app.scoped(alice, "write:repository", "read:issue");
    const made = await wider.post<HookJson>("/repos/alice/site/hooks", option({ events: ["issues"] }));
    expect(made.status).toBe(201);
    // Neither leads it elsewhere who could not have made it, nor switches it on, nor takes more events.
    const path = `/repos/alice/site/hooks/${made.body.id}`;
    expect((await narrow.patch(path, { config: { url: "https://elsewhere.example.com/" } })).status).toBe(403);
    expect((await narrow.patch(path, { active: true })).status).toBe(403);
    expect((await wider.patch(path, { events: ["package"] })).status).toBe(403);
    expect((await narrow.patch(path, { events: ["push"] })).status).toBe(200);
    // To take it away needs nothing more.
    expect((await narrow.delete(path)).status).toBe(204);
    const organizations = await app.scoped(alice, "write:organization");
    expect((await organizations.post("/orgs/forge/hooks", option({ events: ["push"] }))).status).toBe(403);
  });

  test("a token for public things, for what is public today may be private later", async () => {
    const shown = await app.scoped(alice, "all", "public-only");
    const { status, body } = await shown.post("/repos/alice/site/hooks", option());
    expect([status, body]).toEqual([
      403,
      {
        message: "The token is for public things only, and this gives access to others",
        url: `${app.url}/api/swagger`,
      },
    ]);
  });

  test("anybody, where webhooks are switched off", async () => {
    await using off = await TestApp.start({ webhooks: { enabled: false } });
    const carol = await off.user("carol");
    await off.repository(carol, "site");
    for (const { status, body } of [
      await carol.api.get("/repos/carol/site/hooks"),
      await carol.api.post("/user/hooks", option()),
      await carol.api.get("/user/hooks/1/deliveries"),
      await carol.api.delete("/user/hooks/1"),
    ]) {
      expect([status, body]).toEqual([
        403,
        {
          message: "Webhooks are switched off on this server (webhooks.enabled)",
          url: `${off.url}/api/swagger`,
        },
      ]);
    }
  });
});

describe("wrong input", () => {
  const refused = async (fields: Record<string, unknown>, config: Record<string, string> = {}) => {
    const { status, body } = await alice.api.post<{ message: string }>(
      "/repos/alice/site/hooks",
      option(fields, config),
    );
    return [status, body.message];
  };

  for (const [address, why] of [
    ["", "config.url: an address of at most 2000 characters is needed"],
    ["hooks.example.com", 'config.url: "hooks.example.com" is not an http or https address'],
    ["ftp://hooks.example.com/", 'config.url: "ftp://hooks.example.com/" is not an http or https address'],
    ["javascript:alert(1)", 'config.url: "javascript:alert(1)" is not an http or https address'],
    [
      "https://me:secret@hooks.example.com/",
      'config.url: The address of "hooks.example.com" has credentials in it; send them in a header',
    ],
    ["http://127.0.0.1/", "outbound.allowed_networks"],
    ["http://localhost:3000/", "outbound.allowed_networks"],
    ["http://2130706433/", "outbound.allowed_networks"],
    ["http://[::1]/", "outbound.allowed_networks"],
    ["http://[::ffff:10.0.0.1]/", "outbound.allowed_networks"],
    ["http://169.254.169.254/latest/meta-data/", "outbound.allowed_networks"],
  ] as const) {
    test(`the address ${JSON.stringify(address)}`, async () => {
      expect(await refused({}, { url: address })).toEqual([422, expect.stringContaining(why)]);
    });
  }

  test("an event that there is not, kinds, content types, patterns and headers", async () => {
    expect(await refused({ events: ["push", "earthquake"] })).toEqual([
      422,
      `events: "earthquake" is not an event; they are ${hookEventTypes.join(", ")}`,
    ]);
    expect((await refused({ type: "carrier-pigeon" }))[0]).toBe(422);
    expect(await refused({}, { content_type: "xml" })).toEqual([422, "config.content_type is one of json, form"]);
    for (const place of ["/repos/alice/site/hooks", "/orgs/forge/hooks", "/user/hooks"]) {
      for (const type of ["gitea", "slack"]) {
        const { status, body } = await alice.api.post<{ message: string }>(place, { type, config: { url } });
        expect([status, body.message]).toEqual([422, "config.content_type is required: one of json, form"]);
      }
    }
    expect(await refused({ branch_filter: "[" })).toEqual([422, expect.stringContaining("branch_filter")]);
    expect((await refused({ branch_filter: "a".repeat(256) }))[0]).toBe(422);
    expect((await refused({ authorization_header: "a\r\nX-Evil: 1" }))[0]).toBe(422);
    expect((await refused({}, { secret: "s".repeat(256) }))[0]).toBe(422);
    expect((await alice.api.post("/repos/alice/site/hooks", { type: "gitea" })).status).toBe(422);
  });

  test("a change to something wrong changes nothing", async () => {
    const hook = await make();
    const path = `/repos/alice/site/hooks/${hook.id}`;
    for (const wrong of [
      { events: ["earthquake"] },
      { config: { url: "http://10.0.0.1/" } },
      { config: { content_type: "xml" } },
      { branch_filter: "[" },
    ]) {
      expect((await alice.api.patch(path, { active: true, ...wrong })).status).toBe(422);
    }
    expect((await alice.api.get(path)).body).toEqual(hook);
  });

  test("more hooks than a place may have", async () => {
    const { id } = await app.repository(alice, "crowded");
    const { body: first } = await alice.api.post<HookJson>("/repos/alice/crowded/hooks", option());
    await app.forge.database.sql`
      insert into hook (repository_id, kind, url, content_type, options, events, branch_filter, active, seal_id)
      select ${id}, kind, url, content_type, options, events, branch_filter, active, seal_id
      from hook, generate_series(1, 99) where id = ${first.id}`;
    const { status, body } = await alice.api.post<{ message: string }>("/repos/alice/crowded/hooks", option());
    expect([status, body.message]).toEqual([422, "There are 100 webhooks already; delete one of them first"]);
  });
});

describe("a hook", () => {
  test("is made, without what is secret in any answer", async () => {
    const made = await alice.api.post<HookJson>(
      "/repos/alice/site/hooks",
      option(
        {
          active: true,
          events: ["create", "push"],
          branch_filter: "{main,release/*}",
          authorization_header: "Bearer open-sesame",
        },
        { secret: "hush", content_type: "form", channel: "#talk" },
      ),
    );
    expect(made.status).toBe(201);
    expect(redact(made.body)).toEqual({
      active: true,
      authorization_header: "Bearer open-sesame",
      branch_filter: "{main,release/*}",
      config: { url, content_type: "form", channel: "#talk" },
      content_type: "form",
      created_at: expect.any(String),
      events: ["create", "push"],
      id: expect.anything(),
      metadata: null,
      type: "gitea",
      updated_at: expect.any(String),
      url,
    });
    const path = `/repos/alice/site/hooks/${made.body.id}`;
    expect((await alice.api.get(path)).body).toEqual(made.body);
    const listed = await alice.api.get<HookJson[]>("/repos/alice/site/hooks?limit=50");
    expect(listed.body.find(({ id }) => id === made.body.id)).toEqual(made.body);
    expect(listed.headers.get("x-total-count")).toBe(String(listed.body.length));
    // Nor does it lie in the database in the clear.
    const rows = await app.forge.database.sql`select * from hook where id = ${made.body.id}`;
    expect(JSON.stringify(rows)).not.toMatch(/hush|open-sesame/);
  });

  test("hears of pushes where nothing is said, and is not active", async () => {
    const hook = await make({ events: [] });
    expect([hook.events, hook.active, hook.authorization_header]).toEqual([["push"], false, ""]);
    expect((await make({ events: null })).events).toEqual(["push"]);
  });

  test("hears of all that a name stands for", async () => {
    const issues = ["issues", "issue_assign", "issue_label", "issue_milestone", "issue_comment"];
    expect((await make({ events: ["issues"] })).events).toEqual(issues);
    expect((await make({ events: ["issues_only", "push"] })).events).toEqual(["push", "issues"]);
    expect((await make({ events: ["pull_request_only"] })).events).toEqual(["pull_request"]);
    expect((await make({ events: ["pull_request"] })).events).toEqual(
      hookEventTypes.filter((type) => type.startsWith("pull_request")),
    );
    expect((await make({ events: ["pull_request_review"] })).events).toEqual([
      "pull_request_review_approved",
      "pull_request_review_rejected",
      "pull_request_review_comment",
    ]);
    expect((await make({ events: hookEventTypes.toReversed() })).events).toEqual([...hookEventTypes]);
  });

  test("is changed, and keeps what is not sent", async () => {
    const hook = await make({ active: true, events: ["wiki"], authorization_header: "Basic eA==" }, { secret: "hush" });
    const path = `/repos/alice/site/hooks/${hook.id}`;
    const renamed = await alice.api.patch<HookJson>(path, { config: { url: "https://hooks.example.com/new" } });
    expect(renamed.status).toBe(200);
    expect(renamed.body).toEqual({
      ...renamed.body,
      active: true,
      events: ["wiki"],
      authorization_header: "Basic eA==",
      config: { url: "https://hooks.example.com/new", content_type: "json" },
    });
    // What clients of the family send for a field that stays.
    const kept = await alice.api.patch<HookJson>(path, {
      active: null,
      events: null,
      config: null,
      authorization_header: "********",
    });
    expect({ ...kept.body, updated_at: "" }).toEqual({ ...renamed.body, updated_at: "" });
    const { sql } = app.forge.database;
    const sealed = () =>
      sql`select secret is not null secret, "authorization" is not null header from hook where id = ${hook.id}`;
    expect([...(await sealed())]).toEqual([{ secret: true, header: true }]);
    const emptied = await alice.api.patch<HookJson>(path, {
      active: false,
      events: ["push"],
      branch_filter: "main",
      authorization_header: "",
      config: { secret: "" },
    });
    expect([
      emptied.body.active,
      emptied.body.events,
      emptied.body.branch_filter,
      emptied.body.authorization_header,
    ]).toEqual([false, ["push"], "main", ""]);
    expect([...(await sealed())]).toEqual([{ secret: false, header: false }]);
  });

  test("that is led to another server does not take its Authorization header along", async () => {
    const hook = await make({ authorization_header: "Basic eA==" });
    const path = `/repos/alice/site/hooks/${hook.id}`;
    const led = await alice.api.patch<HookJson>(path, { config: { url: "https://evil.example.com/" } });
    expect(led.body.authorization_header).toBe("");
    const anew = await alice.api.patch<HookJson>(path, { config: { url }, authorization_header: "Basic eQ==" });
    expect(anew.body.authorization_header).toBe("Basic eQ==");
  });

  test("shows its Authorization header to those who may change it, and asterisks to others", async () => {
    const fields = { events: ["issues"], authorization_header: "Basic eA==" };
    for (const [place, level] of [
      ["/repos/alice/site/hooks", "repository"],
      ["/orgs/forge/hooks", "organization"],
      ["/user/hooks", "user"],
    ] as const) {
      const made = await alice.api.post<HookJson>(place, option(fields));
      expect(made.body.authorization_header).toBe("Basic eA==");
      const path = `${place}/${made.body.id}`;
      for (const [scopes, expected] of [
        [["all"], "Basic eA=="],
        [[`write:${level}`, "read:issue"], "Basic eA=="],
        [[`read:${level}`, "write:issue"], "********"],
        [[`write:${level}`], "********"],
      ] as const) {
        const token = await app.scoped(alice, ...scopes);
        const read = (await token.get<HookJson>(path)).body;
        const listed = (await token.get<HookJson[]>(`${place}?limit=50`)).body.find(({ id }) => id === read.id);
        expect([place, scopes, read.authorization_header, listed?.authorization_header]).toEqual([
          place,
          scopes,
          expected,
          expected,
        ]);
      }
      expect((await alice.api.delete(path)).status).toBe(204);
    }
  });

  test("of an account shows a token for single repositories no Authorization header", async () => {
    const fields = { events: ["push"], authorization_header: "Basic eA==" };
    const seen: Record<string, unknown> = {};
    const { body } = await app.withPassword("alice").post<{ sha1: string }>("/users/alice/tokens", {
      name: "for one repository",
      scopes: ["all"],
      repositories: ["alice/site"],
    });
    const token = app.withToken(body.sha1);
    for (const place of ["/user/hooks", "/repos/alice/site/hooks"]) {
      const path = `${place}/${(await alice.api.post<HookJson>(place, option(fields))).body.id}`;
      const edited = await token.patch(path, { active: false });
      seen[place] = [edited.status, (await token.get<HookJson>(path)).body.authorization_header];
      expect((await alice.api.delete(path)).status).toBe(204);
    }
    expect(seen).toEqual({ "/user/hooks": [403, "********"], "/repos/alice/site/hooks": [200, "Basic eA=="] });
  });

  test("shows no new owner of its repository the Authorization header that the former one wrote", async () => {
    expect((await alice.api.post("/user/repos", { name: "given" })).status).toBe(201);
    const fields = { events: ["push"], authorization_header: "Basic eA==" };
    const { body } = await alice.api.post<HookJson>("/repos/alice/given/hooks", option(fields));
    expect(body.authorization_header).toBe("Basic eA==");
    await alice.api.post("/repos/alice/given/transfer", { new_owner: "bob" });
    expect((await bob.api.post("/repos/alice/given/transfer/accept")).status).toBe(202);
    const path = `/repos/bob/given/hooks/${body.id}`;
    expect((await bob.api.get<HookJson>(path)).body.authorization_header).toBe("********");
    const anew = await bob.api.patch<HookJson>(path, { authorization_header: "Basic eQ==" });
    expect(anew.body.authorization_header).toBe("Basic eQ==");
  });

  test("is deleted", async () => {
    const hook = await make();
    const path = `/repos/alice/site/hooks/${hook.id}`;
    expect((await alice.api.delete(path)).status).toBe(204);
    expect((await alice.api.get(path)).status).toBe(404);
    expect((await alice.api.delete(path)).status).toBe(404);
    expect((await alice.api.patch(path, { active: true })).status).toBe(404);
  });

  test("belongs to an organization, a user or the instance, which have no others in their lists", async () => {
    const ofOrganization = await alice.api.post<HookJson>("/orgs/forge/hooks/", option({ type: "forgejo" }));
    const ofUser = await alice.api.post<HookJson>("/user/hooks", option({ type: "gogs" }));
    const ofInstance = await root.api.post<HookJson>("/admin/hooks", option({ type: "slack" }));
    const system = await root.api.post<HookJson>("/admin/hooks", option({ is_system_webhook: true }));
    const likewise = await root.api.post<HookJson>("/admin/hooks", option({}, { is_system_webhook: "true" }));
    expect([ofOrganization, ofUser, ofInstance, system, likewise].map(({ status }) => status)).toEqual(
      Array(5).fill(201),
    );
    expect([ofInstance, system, likewise].map(({ body }) => body.config["is_system_webhook"])).toEqual([
      "false",
      "true",
      "true",
    ]);
    expect((await alice.api.get<HookJson[]>("/orgs/forge/hooks")).body).toEqual([ofOrganization.body]);
    expect((await alice.api.get<HookJson[]>("/user/hooks")).body).toEqual([ofUser.body]);
    expect((await bob.api.get<HookJson[]>("/user/hooks")).body).toEqual([]);
    expect((await root.api.get<HookJson[]>("/admin/hooks")).body).toEqual([
      ofInstance.body,
      system.body,
      likewise.body,
    ]);
    for (const [client, path, { body }] of [
      [alice.api, "/orgs/forge/hooks", ofOrganization],
      [alice.api, "/user/hooks", ofUser],
      [root.api, "/admin/hooks", system],
    ] as const) {
      const edited = await client.patch<HookJson>(`${path}/${body.id}`, { events: ["release"], active: true });
      expect([edited.status, edited.body.events]).toEqual([200, ["release"]]);
      expect((await client.get(`${path}/${body.id}`)).body).toEqual(edited.body);
      expect((await client.get(`${path}/${body.id}/deliveries`)).body).toEqual([]);
      expect((await client.get(`${path}/${body.id}/deliveries/1`)).status).toBe(404);
      expect((await client.post(`${path}/${body.id}/deliveries/1/attempts`)).status).toBe(404);
      expect((await client.delete(`${path}/${body.id}`)).status).toBe(204);
    }
  });

  test("of the instance is copied into new repositories, unless it hears of all of them", async () => {
    const copied = await root.api.post<HookJson>(
      "/admin/hooks",
      option({ active: false, events: ["release"], authorization_header: "Basic eA==" }, { secret: "hush" }),
    );
    await root.api.post("/admin/hooks", option({ is_system_webhook: true, events: ["wiki"] }));
    await app.repository(bob, "fresh");
    const { body } = await bob.api.get<HookJson[]>("/repos/bob/fresh/hooks");
    const release = body.filter(({ events }) => events.includes("release"));
    expect(release).toHaveLength(1);
    expect(release[0]).toMatchObject({ url, type: "gitea", active: false, authorization_header: "********" });
    expect(release[0]?.id).not.toBe(copied.body.id);
    expect(body.filter(({ events }) => events.includes("wiki"))).toEqual([]);
    for (const { id } of (await root.api.get<HookJson[]>("/admin/hooks?limit=50")).body) {
      await root.api.delete(`/admin/hooks/${id}`);
    }
  });
});

test("there are no scripts, and administrators are told so", async () => {
  for (const [method, path] of [
    ["GET", "/repos/alice/site/hooks/git"],
    ["GET", "/repos/alice/site/hooks/git/pre-receive"],
    ["DELETE", "/repos/alice/site/hooks/git/pre-receive"],
  ] as const) {
    const response = await alice.api.fetch(method, path);
    expect([response.status, await response.json()]).toEqual([
      403,
      {
        message: "This server runs no scripts for repositories; a webhook tells of pushes instead",
        url: `${app.url}/api/swagger`,
      },
    ]);
  }
  expect((await alice.api.patch("/repos/alice/site/hooks/git/update", { content: "#!/bin/sh" })).status).toBe(403);
});

test("an archived repository has its hooks changed and deleted", async () => {
  await app.repository(alice, "attic");
  const { body } = await alice.api.post<HookJson>("/repos/alice/attic/hooks", option());
  await alice.api.patch("/repos/alice/attic", { archived: true });
  expect((await alice.api.patch(`/repos/alice/attic/hooks/${body.id}`, { active: true })).status).toBe(200);
  expect((await alice.api.delete(`/repos/alice/attic/hooks/${body.id}`)).status).toBe(204);
});

import { describe, expect, test } from "bun:test";
import { redact } from "../../support/redact.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");

interface Json {
  [name: string]: unknown;
}

/** A new repository of alice, and how it is changed. */
async function made(name: string, fields: object = {}) {
  await app.repository(alice, name, { ...fields });
  return (patch: object) => alice.api.patch<Json & { message: string }>(`/repos/alice/${name}`, patch);
}

describe("PATCH /repos/{owner}/{repo}", () => {
  test("writes what is sent, leaves what is not, and answers the whole", async () => {
    const edit = await made("plain", { description: "before" });
    const settings = {
      website: "https://a.example",
      template: true,
      has_wiki: false,
      has_projects: false,
      allow_rebase: false,
      default_merge_style: "squash",
      default_update_style: "rebase",
      default_delete_branch_after_merge: true,
      wiki_branch: "docs",
      internal_tracker: {
        enable_time_tracker: false,
        allow_only_contributors_to_track_time: false,
        enable_issue_dependencies: false,
      },
    };
    const { status, body } = await edit(settings);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...settings, description: "before", allow_squash_merge: true });
    expect((await alice.api.get("/repos/alice/plain")).body).toEqual(body);
    expect((await edit({})).body).toMatchObject(settings);
  });

  test.each([
    ["default_merge_style", { default_merge_style: "octopus" }],
    ["default_update_style", { default_update_style: "squash" }],
    ["name", { name: "a b" }],
    ["description", { description: "x".repeat(2049) }],
    ["website", { website: "x".repeat(1025) }],
    ["website", { website: " JavaScript:alert(1)" }],
    ["private", { private: 1 }],
    ["wiki_branch", { wiki_branch: "a..b" }],
    ["mirror", { mirror_interval: "8h0m0s" }],
    ["mirror", { enable_prune: true }],
    ["external_tracker_url", { external_tracker: { external_tracker_url: "javascript:alert(1)" } }],
    ["external_tracker_url", { external_tracker: {} }],
    [
      "external_tracker_format",
      { external_tracker: { external_tracker_url: "https://a.example", external_tracker_format: "nothing" } },
    ],
    [
      "external_tracker_style",
      { external_tracker: { external_tracker_url: "https://a.example", external_tracker_style: "roman" } },
    ],
    ["external_tracker", { external_tracker: { external_tracker_url: "https://a.example" }, internal_tracker: {} }],
    ["external_wiki_url", { external_wiki: { external_wiki_url: "wiki" } }],
  ])("what is wrong is named: %s (%#)", async (field, patch) => {
    const edit = await made(crypto.randomUUID());
    const { status, body } = await edit({ ...patch, template: true });
    expect(status).toBe(422);
    expect(body.message).toContain(field);
    expect((await edit({})).body["template"]).toBe(false);
  });

  test("what only mirrors have may be said to be off", async () => {
    const edit = await made("no-mirror");
    expect((await edit({ mirror_interval: "", enable_prune: false })).status).toBe(200);
  });

  test("one part must stay enabled", async () => {
    const edit = await made("bare");
    const units = ["code", "issues", "wiki", "pull_requests", "projects", "releases", "packages", "actions"].map(
      (unit) => `has_${unit}`,
    );
    const off = Object.fromEntries(units.map((unit) => [unit, false]));
    expect((await edit(off)).status).toBe(422);
    const { status, body } = await edit({ ...off, has_releases: true });
    expect({ status, on: units.filter((unit) => body[unit]) }).toEqual({ status: 200, on: ["has_releases"] });
    expect((await edit({ has_releases: false })).status).toBe(422);
  });
});

describe("trackers and wikis elsewhere", () => {
  test("take the place of the server's own, and give it back", async () => {
    const edit = await made("elsewhere");
    const tracker = {
      external_tracker_url: "https://bugs.example",
      external_tracker_format: "https://bugs.example/{user}/{repo}/{index}",
      external_tracker_style: "regexp",
      external_tracker_regexp_pattern: "B(\\d+)",
    };
    const { body } = await edit({
      external_tracker: tracker,
      external_wiki: { external_wiki_url: "https://wiki.example" },
    });
    expect(body).toMatchObject({
      has_issues: true,
      external_tracker: tracker,
      external_wiki: { external_wiki_url: "https://wiki.example" },
    });
    expect(body).not.toHaveProperty("internal_tracker");
    const { body: back } = await edit({ has_issues: true, has_wiki: true });
    expect(back).toHaveProperty("internal_tracker");
    expect(back).not.toHaveProperty("external_tracker");
    expect(back).not.toHaveProperty("external_wiki");
  });
});

describe("the default branch", () => {
  test("of an empty repository is free, else it must exist", async () => {
    const empty = await made("empty");
    expect((await empty({ default_branch: "trunk" })).body["default_branch"]).toBe("trunk");
    const filled = await made("filled", { auto_init: true });
    const { status, body } = await filled({ default_branch: "nowhere" });
    expect({ status, message: body.message }).toEqual({
      status: 422,
      message: 'There is no branch "nowhere" that could be the default one',
    });
    expect((await filled({ default_branch: "main" })).status).toBe(200);
  });
});

describe("a new name", () => {
  test("is found at once, and the old one leads to it", async () => {
    const edit = await made("old");
    expect((await edit({ name: "New" })).body["full_name"]).toBe("alice/New");
    expect((await app.anonymous.get("/repos/alice/new")).status).toBe(200);
    const { status, headers } = await app.anonymous.get("/repos/alice/OLD?x=%2F");
    expect({ status, location: headers.get("location") }).toEqual({
      status: 307,
      location: `${app.url}/api/v1/repos/alice/New?x=%2F`,
    });
    expect((await app.anonymous.fetch("HEAD", "/repos/alice/old")).status).toBe(307);
    for (const [method, path] of [
      ["PATCH", ""],
      ["DELETE", "/contents/a"],
      ["POST", "/tags"],
    ] as const) {
      const answer = await alice.api.request(method, `/repos/alice/old${path}`, { body: {} });
      expect({ status: answer.status, location: answer.headers.get("location") }).toEqual({
        status: 307,
        location: `${app.url}/api/v1/repos/alice/New${path}`,
      });
    }
    const starred = await alice.api.get("/user/starred/alice/old?a=b");
    expect({ status: starred.status, location: starred.headers.get("location") }).toEqual({
      status: 307,
      location: `${app.url}/api/v1/user/starred/alice/New?a=b`,
    });
    const followed = await fetch(`${app.url}/api/v1/repos/alice/old`);
    expect(((await followed.json()) as { name: string }).name).toBe("New");
  });

  test("of what a caller may not see is not told to them", async () => {
    const edit = await made("hush", { private: true });
    await edit({ name: "hushed" });
    const { status, body } = await bob.api.get("/repos/alice/hush");
    expect({ status, body: redact(body) }).toEqual({
      status: 404,
      body: { message: 'There is no repository "alice/hush"', url: "<url>/api/swagger" },
    });
    expect((await alice.api.get("/repos/alice/hush")).status).toBe(307);
  });

  test("does not end the clones that were made under the old one", async () => {
    const edit = await made("cloned", { auto_init: true, private: true });
    await edit({ name: "cloned-now" });
    const advertised = async (token?: string) => {
      const headers: Record<string, string> =
        token === undefined ? {} : { authorization: `Basic ${Buffer.from(`git:${token}`).toString("base64")}` };
      return (await fetch(`${app.url}/alice/cloned.git/info/refs?service=git-upload-pack`, { headers })).status;
    };
    expect([await advertised(), await advertised(bob.token), await advertised(alice.token)]).toEqual([401, 404, 200]);
  });

  test("may differ in case only", async () => {
    const edit = await made("case");
    expect((await edit({ name: "CASE" })).body["name"]).toBe("CASE");
    expect((await alice.api.get<Json>("/repos/alice/case")).body["name"]).toBe("CASE");
  });

  test("that is taken is refused", async () => {
    await made("first");
    const edit = await made("second");
    const { status, body } = await edit({ name: "FIRST" });
    expect({ status, message: body.message }).toEqual({
      status: 422,
      message: 'The repository "alice/FIRST" already exists',
    });
  });

  test("ends the redirect of an older repository that had it", async () => {
    const edit = await made("a1");
    await edit({ name: "a2" });
    await app.repository(alice, "a1", { description: "another" });
    expect((await alice.api.get<Json>("/repos/alice/a1")).body["description"]).toBe("another");
    await alice.api.delete("/repos/alice/a1");
    expect((await alice.api.get("/repos/alice/a1")).status).toBe(404);
  });
});

describe("private and archived", () => {
  test("a repository that becomes private is gone for others", async () => {
    const edit = await made("shy");
    expect((await bob.api.get("/repos/alice/shy")).status).toBe(200);
    await edit({ private: true });
    expect((await bob.api.get("/repos/alice/shy")).status).toBe(404);
    await edit({ private: false });
    expect((await bob.api.get("/repos/alice/shy")).status).toBe(200);
  });

  test("an archived repository is changed only by taking it out of the archive", async () => {
    const edit = await made("done");
    const { body } = await edit({ archived: true });
    expect(body["archived"]).toBe(true);
    expect(String(body["archived_at"])).not.toStartWith("1970");
    const refused = await edit({ description: "more" });
    expect({ status: refused.status, message: refused.body.message }).toEqual({
      status: 423,
      message: 'The repository "alice/done" is archived: unarchive it in its settings to change it',
    });
    const back = await edit({ archived: false, description: "more" });
    expect(back.body).toMatchObject({ archived: false, archived_at: "1970-01-01T00:00:00Z", description: "more" });
  });
});

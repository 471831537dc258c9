import { describe, expect, test } from "bun:test";
import { insertTeam, insertTeamMember } from "../../../src/domain/identity/orgs/queries.ts";
import type { ApiClient } from "../../support/client.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const admin = await app.admin();
const organizationId = await app.organization("forge", alice);
await app.organization("den", alice, { visibility: "private" });
const apple = await app.repository(alice, "apple", { description: "Round fruit" });
await app.repository(alice, "secret-pear", { private: true });
await app.repository(alice, "mold", { template: true });
await app.repository(alice, "old-plum");
await alice.api.patch("/repos/alice/old-plum", { archived: true });
await app.repository(bob, "zebra", { auto_init: true });
await app.repository(alice, "tool", {}, "forge");
await app.repository(alice, "hidden-tool", { private: true }, "forge");
await app.repository(alice, "burrow", {}, "den");
const teamId = await app.forge.database.db.transaction(async (tx) => {
  const id = await insertTeam(tx, { organizationId, name: "All", mode: 1, includesAllRepositories: true });
  await insertTeamMember(tx, id, bob.id);
  return id;
});

interface Found {
  status: number;
  names: string[];
  total: string | null;
}

async function list(client: ApiClient, path: string): Promise<Found> {
  const { status, body, headers } = await client.get<unknown>(path);
  const rows = (Array.isArray(body) ? body : (body as { data?: unknown[] }).data) as
    | { full_name: string }[]
    | undefined;
  return { status, names: (rows ?? []).map((row) => row.full_name), total: headers.get("x-total-count") };
}

const found = (...names: string[]): Found => ({ status: 200, names, total: String(names.length) });

describe("lists have what the caller may see, and count no more", () => {
  test("GET /users/{username}/repos", async () => {
    expect(await list(app.anonymous, "/users/alice/repos")).toEqual(
      found("alice/apple", "alice/mold", "alice/old-plum"),
    );
    expect(await list(alice.api, "/users/Alice/repos")).toEqual(
      found("alice/apple", "alice/secret-pear", "alice/mold", "alice/old-plum"),
    );
    expect((await list(app.anonymous, "/users/nobody/repos")).status).toBe(404);
  });

  test("GET /orgs/{org}/repos", async () => {
    expect(await list(app.anonymous, "/orgs/forge/repos")).toEqual(found("forge/tool"));
    expect(await list(bob.api, "/orgs/forge/repos")).toEqual(found("forge/tool", "forge/hidden-tool"));
    expect((await list(app.anonymous, "/orgs/den/repos")).status).toBe(404);
    expect((await list(app.anonymous, "/orgs/alice/repos")).status).toBe(404);
    expect(await list(alice.api, "/orgs/den/repos")).toEqual(found("den/burrow"));
  });

  test("GET /user/repos: one's own and those one was given", async () => {
    expect(await list(bob.api, "/user/repos")).toEqual(found("bob/zebra", "forge/hidden-tool", "forge/tool"));
    expect(await list(admin.api, "/user/repos")).toEqual(found());
    expect((await list(app.anonymous, "/user/repos")).status).toBe(401);
  });

  test("GET /repos/search", async () => {
    expect(await list(app.anonymous, "/repos/search")).toEqual(
      found("alice/apple", "alice/mold", "alice/old-plum", "forge/tool", "bob/zebra"),
    );
    expect((await list(admin.api, "/repos/search")).names).toHaveLength(8);
    const { body } = await app.anonymous.get<{ ok: boolean }>("/repos/search?q=nothing");
    expect(body).toEqual({ ok: true, data: [] } as never);
  });
});

describe("orders of /user/repos", () => {
  test.each([
    [
      "alphabetically",
      [
        "alice/apple",
        "alice/mold",
        "alice/old-plum",
        "alice/secret-pear",
        "den/burrow",
        "forge/hidden-tool",
        "forge/tool",
      ],
    ],
    [
      "reversealphabetically",
      [
        "forge/tool",
        "forge/hidden-tool",
        "den/burrow",
        "alice/secret-pear",
        "alice/old-plum",
        "alice/mold",
        "alice/apple",
      ],
    ],
    [
      "oldest",
      [
        "alice/apple",
        "alice/secret-pear",
        "alice/mold",
        "alice/old-plum",
        "forge/tool",
        "forge/hidden-tool",
        "den/burrow",
      ],
    ],
    [
      "id",
      [
        "alice/apple",
        "alice/secret-pear",
        "alice/mold",
        "alice/old-plum",
        "forge/tool",
        "forge/hidden-tool",
        "den/burrow",
      ],
    ],
  ])("%s", async (order, names) => {
    expect((await list(alice.api, `/user/repos?order_by=${order}`)).names).toEqual(names);
  });

  test("an unknown one is 422", async () => {
    expect((await list(alice.api, "/user/repos?order_by=beauty")).status).toBe(422);
  });
});

async function names(query: string, client = app.anonymous) {
  return (await list(client, `/repos/search?${query}`)).names;
}

describe("search", () => {
  test("finds words in names in any case, several of them, and owner/name", async () => {
    expect(await names("q=APP")).toEqual(["alice/apple"]);
    expect(await names("q=app,zeb")).toEqual(["alice/apple", "bob/zebra"]);
    expect(await names("q=forge/to")).toEqual(["forge/tool"]);
    expect(await names("q=%25")).toEqual([]);
    expect(await names("q=_pple")).toEqual([]);
  });

  test("finds words in descriptions only when asked", async () => {
    expect(await names("q=fruit")).toEqual([]);
    expect(await names("q=fruit&includeDesc=true")).toEqual(["alice/apple"]);
  });

  test("takes every character for itself, the first time and again", async () => {
    const odd = ['a"b', "c\\d", "{e", "f}", "null", "%g", "h_i", "'j", "k' or 1=1 --", "ünï", "💥"];
    for (const word of odd) {
      await app.forge.database
        .sql`update repository set description = ${`before ${word} after`} where id = ${apple.id}`;
      for (const again of [1, 2, 3]) {
        expect([word, again, await names(`q=${encodeURIComponent(`nothing,${word}`)}&includeDesc=true`)]).toEqual([
          word,
          again,
          ["alice/apple"],
        ]);
        expect(await names(`q=${encodeURIComponent(`${word}x`)}&includeDesc=true`)).toEqual([]);
      }
    }
    await app.forge.database.sql`update repository set description = 'Round fruit' where id = ${apple.id}`;
  });

  test("takes so many words and no more", async () => {
    const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(",");
    expect(await names(`q=${words(29)},apple`)).toEqual(["alice/apple"]);
    expect((await app.anonymous.get<{ message: string }>(`/repos/search?q=${words(31)}`)).body.message).toBe(
      "q has 31 words; 30 are the most",
    );
    expect((await app.anonymous.get(`/repos/search?q=${words(1000)}`)).status).toBe(422);
  });

  test("finds topics", async () => {
    await app.forge.database.sql`update repository set topics = ${["fruit", "food"]} where id = ${apple.id}`;
    expect(await names("q=food&topic=true")).toEqual(["alice/apple"]);
    expect(await names("q=foo&topic=true")).toEqual([]);
    expect(await names("q=foo")).toEqual(["alice/apple"]);
  });

  test("filters by owner, with and without what the owner takes part in", async () => {
    expect(await names(`uid=${bob.id}`)).toEqual(["forge/tool", "bob/zebra"]);
    expect(await names(`uid=${bob.id}`, bob.api)).toEqual(["forge/hidden-tool", "forge/tool", "bob/zebra"]);
    expect(await names(`uid=${bob.id}&exclusive=true`)).toEqual(["bob/zebra"]);
    expect(await names(`uid=${bob.id}&mode=collaborative`)).toEqual(["forge/tool"]);
    expect(await names("mode=collaborative", bob.api)).toEqual(["forge/hidden-tool", "forge/tool"]);
    expect(await names("uid=999999")).toEqual([]);
  });

  test("filters by what a repository is", async () => {
    expect(await names("template=true")).toEqual(["alice/mold"]);
    expect(await names("template=false&q=mold")).toEqual([]);
    expect(await names("archived=true")).toEqual(["alice/old-plum"]);
    expect(await names("is_private=true", alice.api)).toEqual(["forge/hidden-tool", "alice/secret-pear"]);
    expect(await names("is_private=true")).toEqual([]);
    expect(await names("private=false&q=pear", alice.api)).toEqual([]);
    expect(await names("mode=fork")).toEqual([]);
    expect(await names("mode=mirror")).toEqual([]);
    expect(await names("mode=source&q=apple")).toEqual(["alice/apple"]);
    expect(await names(`starredBy=${bob.id}`)).toEqual([]);
  });

  test("filters by team for those who may look into the organization", async () => {
    expect(await names(`team_id=${teamId}`, bob.api)).toEqual(["forge/hidden-tool", "forge/tool"]);
    expect(await names(`team_id=${teamId}`)).toEqual([]);
    expect(await names("team_id=999999", admin.api)).toEqual([]);
  });

  test("sorts, and puts one owner first", async () => {
    expect(await names("order=desc")).toEqual([
      "bob/zebra",
      "forge/tool",
      "alice/old-plum",
      "alice/mold",
      "alice/apple",
    ]);
    expect((await names("sort=size&order=desc"))[0]).toBe("bob/zebra");
    expect((await names("sort=created"))[0]).toBe("alice/apple");
    expect((await names(`priority_owner_id=${bob.id}`))[0]).toBe("bob/zebra");
  });

  test.each([
    "mode=weird",
    "sort=beauty",
    "order=up",
    "uid=x",
    "uid=0x10",
    "uid=1e3",
    "uid=99999999999999999999",
    "private=maybe",
    "page=x",
  ])("%s is 422", async (query) => {
    const { status, body } = await app.anonymous.get<{ message: string }>(`/repos/search?${query}`);
    expect(status).toBe(422);
    expect(body.message).toContain(query.split("=")[0] ?? "");
  });
});

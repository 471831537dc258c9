import { describe, expect, test } from "bun:test";
import { cleanPackages } from "../../src/domain/packages/clean-packages.ts";
import { checkCleanupRule, chooseRemoved, type CleanupRule } from "../../src/domain/packages/cleanup-rules.ts";
import { randomFrom } from "../support/random.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const { sql } = app.forge.database;

interface RuleJson {
  [field: string]: unknown;
  type: string;
  enabled: boolean;
  followed_at: string | null;
}
interface PackageJson {
  id: number;
  name: string;
  version: string;
}

const noRule: CleanupRule = {
  enabled: true,
  keepCount: 0,
  keepPattern: "",
  removeDays: 0,
  removePattern: "",
  matchFullName: false,
};
const now = new Date("2026-06-15T12:00:00Z");
const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 60 * 60_000);

async function put(owner: string, path: string, by: TestUser = alice): Promise<void> {
  const headers = { authorization: `Basic ${btoa(`${by.name}:${by.token}`)}` };
  const answer = await fetch(`${app.url}/api/packages/${owner}/generic/${path}`, { method: "PUT", body: "x", headers });
  expect(answer.status).toBe(201);
}

const versionsOf = async (owner: string) =>
  await sql`select p.name || '/' || v.version as version from package_version v join package p on p.id = v.package_id
    join owner o on o.id = p.owner_id where o.name = ${owner} order by 1`.then((rows) =>
    rows.map((row) => row["version"] as string),
  );

describe("a rule", () => {
  /** What goes of these versions: [package, version, days old], the newest first of each package. */
  async function removed(rule: Partial<CleanupRule>, versions: readonly (readonly [string, string, number])[]) {
    const ids = new Map<string, number>();
    async function* candidates() {
      for (const [name, version, days] of versions) {
        ids.set(name, ids.get(name) ?? ids.size);
        yield {
          package: { id: ids.get(name) ?? 0, lowerName: name },
          version: { lowerVersion: version, createdAt: daysAgo(days) },
        };
      }
    }
    const found = await Array.fromAsync(chooseRemoved({ ...noRule, ...rule }, candidates(), now));
    return found.map(({ package: of, version }) => `${of.lowerName}/${version.lowerVersion}`);
  }

  const versions = [
    ["a", "2.0", 1],
    ["a", "2.0-rc1", 10],
    ["a", "1.0", 20],
    ["a", "0.9-dev", 30],
    ["b", "1.0-dev", 5],
    ["b", "0.1", 40],
  ] as const;

  test.each([
    ["the newest of each package stay", { keepCount: 2 }, ["a/1.0", "a/0.9-dev"]],
    ["what is young stays", { removeDays: 20 }, ["a/1.0", "a/0.9-dev", "b/0.1"]],
    ["what fits stays", { keepPattern: "\\d+\\.0" }, ["a/2.0-rc1", "a/0.9-dev", "b/1.0-dev", "b/0.1"]],
    ["only what fits goes", { removePattern: ".*-(rc\\d+|dev)" }, ["a/2.0-rc1", "a/0.9-dev", "b/1.0-dev"]],
    ["in any case", { removePattern: ".*-DEV" }, ["a/0.9-dev", "b/1.0-dev"]],
    ["as a whole, also with alternatives", { removePattern: "1|2.0|0.1" }, ["a/2.0", "b/0.1"]],
    ["with the package", { removePattern: "b/.*", matchFullName: true }, ["b/1.0-dev", "b/0.1"]],
    ["not with the package", { removePattern: "b/.*" }, []],
    [
      "all of it together",
      { keepCount: 1, keepPattern: "1\\..*", removeDays: 15, removePattern: ".*-dev|0\\.1" },
      ["a/0.9-dev", "b/0.1"],
    ],
  ] as const)("%s", async (_, rule, expected) => {
    expect(await removed(rule, versions)).toEqual([...expected]);
  });

  test.each([
    ["keep_pattern", { keepPattern: "(" }],
    ["keep_pattern", { keepPattern: "a)|(b" }],
    ["remove_pattern", { removePattern: "\\Qx" }],
    ["remove_pattern", { removePattern: "(?<=a)b" }],
    ["remove_pattern", { removePattern: "x".repeat(201) }],
    ["remove_pattern", { removePattern: "((a{30}){30})" }],
    ["remove_pattern", { removePattern: "[a-z]{9}?".repeat(20) }],
    ["keep_count", {}],
  ])("with an impossible %s is refused", (field, rule) => {
    expect(() => checkCleanupRule({ ...noRule, ...rule })).toThrow(
      expect.objectContaining({ code: "invalid-input", data: { field } }),
    );
  });

  test("does not hold the server up, however costly its patterns are", async () => {
    async function* many() {
      for (let at = 0; ; at++) {
        yield {
          package: { id: at, lowerName: "a".repeat(200) },
          version: { lowerVersion: "a".repeat(50), createdAt: daysAgo(1) },
        };
      }
    }
    const rule = { ...noRule, removePattern: "(a|aa|aaa|a.)*x", matchFullName: true };
    await expect(Array.fromAsync(chooseRemoved(rule, many(), now))).rejects.toMatchObject({ kind: "too-large" });
  });
});

describe("by API", () => {
  const rules = "/packages/alice/-/cleanup_rules";

  test("a rule is set, read, listed and deleted, by those alone who manage the owner", async () => {
    const rule = { keep_count: 3, remove_pattern: ".*-dev", remove_days: 7 };
    for (const [who, status] of [
      [app.anonymous, 401],
      [bob.api, 403],
    ] as const) {
      expect((await who.get(rules)).status).toBe(status);
      expect((await who.put(`${rules}/generic`, rule)).status).toBe(status);
      expect((await who.get(`${rules}/generic/preview`)).status).toBe(status);
      expect((await who.delete(`${rules}/generic`)).status).toBe(status);
    }
    expect((await (await app.scoped(alice, "read:package")).put(`${rules}/generic`, rule)).status).toBe(403);
    expect((await alice.api.get(`${rules}/generic`)).status).toBe(404);
    expect((await alice.api.get(`${rules}/generic/preview`)).status).toBe(404);
    expect((await alice.api.delete(`${rules}/generic`)).status).toBe(404);
    const set = await alice.api.put<RuleJson>(`${rules}/generic`, rule);
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect([set.status, set.body]).toEqual([
      200,
      {
        id: expect.any(Number),
        type: "generic",
        enabled: true,
        keep_count: 3,
        keep_pattern: "",
        remove_days: 7,
        remove_pattern: ".*-dev",
        match_full_name: false,
        created_at: instant,
        updated_at: instant,
        followed_at: null,
      },
    ]);
    // What is left out is not what was there before.
    const again = await alice.api.put<RuleJson>(`${rules}/generic`, { keep_pattern: "1\\..*", enabled: false });
    expect(again.body).toMatchObject({
      keep_count: 0,
      keep_pattern: "1\\..*",
      remove_days: 0,
      remove_pattern: "",
      enabled: false,
    });
    expect((await alice.api.get(`${rules}/generic`)).body).toEqual(again.body);
    expect((await alice.api.put(`${rules}/cran`, { keep_count: 1 })).status).toBe(200);
    expect((await alice.api.get<RuleJson[]>(rules)).body.map(({ type }) => type)).toEqual(["cran", "generic"]);
    expect((await alice.api.delete(`${rules}/cran`)).status).toBe(204);
    expect((await alice.api.delete(`${rules}/generic`)).status).toBe(204);
    expect((await alice.api.get(rules)).body).toEqual([]);
  });

  test.each([
    [{}],
    [{ keep_count: -1 }],
    [{ keep_count: 1.5 }],
    [{ keep_count: 100_001 }],
    [{ remove_days: 36_501 }],
    [{ remove_pattern: "(" }],
    [{ keep_pattern: 7 }],
    [{ enabled: "yes", keep_count: 1 }],
  ])("%j is refused", async (body) => {
    expect((await alice.api.put(`${rules}/generic`, body)).status).toBe(422);
    expect((await alice.api.get(`${rules}/generic`)).status).toBe(404);
  });

  test("of a format that there is not is refused", async () => {
    expect((await alice.api.put(`${rules}/nothing`, { keep_count: 1 })).status).toBe(422);
  });

  test("of an organization are its owners', not those of teams that write packages", async () => {
    await alice.api.post("/orgs", { username: "guild" });
    await makeTeam(alice, "guild", { name: "writers", units_map: { "repo.packages": "write" } }, [bob]);
    await put("guild", "anvil/1.0/file", bob);
    expect((await bob.api.put("/packages/guild/-/cleanup_rules/generic", { keep_count: 1 })).status).toBe(403);
    expect((await alice.api.put("/packages/guild/-/cleanup_rules/generic", { keep_count: 1 })).status).toBe(200);
  });
});

test("a run deletes exactly what the preview lists, for any packages and any rule", async () => {
  const signal = new AbortController().signal;
  for (let round = 0; round < 12; round++) {
    const { below } = randomFrom(round);
    const pick = <One>(...some: One[]): One => some[below(some.length)] as One;
    const owner = `owner-${round}`;
    const { body } = await alice.api.post<{ id: number }>("/orgs", { username: owner });
    // Written as rows: what a version holds does not matter, and there are many.
    for (let name = 0; name < 1 + below(4); name++) {
      const [row] = await sql`insert into package (owner_id, type, name, lower_name)
        values (${body.id}, 'generic', ${`P${name}`}, ${`p${name}`}) returning id`;
      for (let version = 0; version < 1 + below(12); version++) {
        const text = `${below(3)}.${version}${pick("", "-dev", "-RC1")}`;
        await sql`insert into package_version (package_id, owner_id, version, lower_version, created_at)
          values (${row?.["id"] as number}, ${body.id}, ${text}, ${text.toLowerCase()}, now() - ${`${below(40)} days`}::interval)`;
      }
    }
    const rule = {
      keep_count: pick(0, 1, 3, 100),
      keep_pattern: pick("", "", "1\\..*", ".*-rc\\d", "p0/.*"),
      remove_days: pick(0, 0, 5, 20),
      remove_pattern: pick("", "", ".*-dev", "[02]\\..*", "p[12]/.*"),
      match_full_name: pick(true, false),
    };
    const path = `/packages/${owner}/-/cleanup_rules/generic`;
    const { status } = await alice.api.put(path, rule);
    if (status === 422) {
      // It would delete everything, and is no rule.
      expect({ ...rule, match_full_name: false }).toEqual({
        keep_count: 0,
        keep_pattern: "",
        remove_days: 0,
        remove_pattern: "",
        match_full_name: false,
      });
      continue;
    }
    const before = await versionsOf(owner);
    const listed: PackageJson[] = [];
    for (let page = 1; ; page++) {
      const answer = await alice.api.get<PackageJson[]>(`${path}/preview?limit=5&page=${page}`);
      listed.push(...answer.body);
      if (answer.body.length < 5) {
        expect(answer.headers.get("x-total-count")).toBe(String(listed.length));
        break;
      }
    }
    const previewed = listed.map(({ name, version }) => `${name}/${version}`);
    expect(await versionsOf(owner)).toEqual(before);
    await cleanPackages(app.forge, signal);
    expect({ round, left: await versionsOf(owner) }).toEqual({
      round,
      left: before.filter((version) => !previewed.includes(version)),
    });
    expect((await alice.api.get(`${path}/preview`)).body).toEqual([]);
  }
});

test("the task follows what is enabled, once a day and after a change, and events tell of what went", async () => {
  const carol = await app.user("carol");
  const path = "/packages/carol/-/cleanup_rules/generic";
  for (const version of ["1.0", "1.1", "1.2"]) {
    await put("carol", `tongs/${version}/file`, carol);
  }
  const run = async (at = new Date()) => {
    await cleanPackages(app.forge, new AbortController().signal, at);
    return versionsOf("carol");
  };
  const rule = { keep_count: 2 };
  await carol.api.put(path, { ...rule, enabled: false });
  expect((await carol.api.get<PackageJson[]>(`${path}/preview`)).body).toMatchObject([{ version: "1.0" }]);
  expect(await run()).toEqual(["tongs/1.0", "tongs/1.1", "tongs/1.2"]);
  await carol.api.put(path, rule);
  expect(await run()).toEqual(["tongs/1.1", "tongs/1.2"]);
  const told = await sql`select payload -> 'package' ->> 'version' as version, doer ->> 'reason' as reason from outbox
    where kind = 'package.deleted' and payload -> 'owner' ->> 'name' = 'carol'`;
  expect([...told] as unknown[]).toEqual([{ version: "1.0", reason: "cleanup_packages" }]);
  const { body } = await carol.api.get<RuleJson>(path);
  expect(body.followed_at).not.toBeNull();
  await put("carol", "tongs/1.3/file", carol);
  expect(await run()).toEqual(["tongs/1.1", "tongs/1.2", "tongs/1.3"]);
  expect(await run(new Date(Date.now() + 24 * 60 * 60_000))).toEqual(["tongs/1.2", "tongs/1.3"]);
  await put("carol", "tongs/1.4/file", carol);
  await carol.api.put(path, rule);
  expect(await run()).toEqual(["tongs/1.3", "tongs/1.4"]);
});

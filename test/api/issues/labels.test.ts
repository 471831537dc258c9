import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { useTestApp } from "../../support/test-app.ts";

interface Label {
  id: number;
  name: string;
}

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carl = await app.user("carl");
const issues = "/repos/forge/site/issues";
const ids = new Map<string, number>();
const id = (name: string) => ids.get(name) ?? 0;
let at = "";

beforeAll(async () => {
  await app.organization("forge", alice);
  await app.repository(alice, "site", {}, "forge");
  await app.repository(alice, "other", {}, "forge");
  await alice.api.put("/repos/forge/site/collaborators/bob", { permission: "write" });
  for (const [where, name, exclusive] of [
    ["/repos/forge/site", "bug", false],
    ["/repos/forge/site", "p/high", true],
    ["/repos/forge/site", "p/low", true],
    ["/repos/forge/site", "P/none", true],
    ["/repos/forge/site", "p/open", false],
    ["/orgs/forge", "all", false],
    ["/orgs/forge", "bug", false],
    ["/repos/forge/other", "theirs", false],
  ] as const) {
    const { body } = await alice.api.post<Label>(`${where}/labels`, { name, color: "abc", exclusive });
    ids.set(where === "/orgs/forge" ? `org ${name}` : name, body.id);
  }
});

beforeEach(async () => {
  const { body } = await carl.api.post<{ number: number }>(issues, { title: "x" });
  at = `${issues}/${body.number}/labels`;
  await app.forge.database.sql`delete from outbox`;
});

const names = async () => (await app.anonymous.get<Label[]>(at)).body.map(({ name }) => name);
const told = async () =>
  (
    await app.forge.database.sql<{ kind: string; payload: { label: { name: string } } }[]>`
      select kind, payload from outbox where kind like 'issue.%labeled' order by id`
  ).map(({ kind, payload }) => [kind.slice("issue.".length), payload.label.name]);

describe("refused", () => {
  test("to readers, the author among them, without the scope, and where there is no issue", async () => {
    await bob.api.post(at, { labels: ["bug"] });
    const reader = await app.scoped(bob, "read:issue", "write:repository");
    for (const [method, path, body] of [
      ["POST", "", { labels: ["p/low"] }],
      ["PUT", "", { labels: [] }],
      ["DELETE", "", {}],
      ["DELETE", "/bug", {}],
    ] as const) {
      for (const where of [at, at.replace("/issues/", "/issue/")]) {
        const ask = async (api: typeof bob.api, base = where) =>
          (await api.request(method, base + path, { body })).status;
        expect([method, await ask(app.anonymous)]).toEqual([method, 401]);
        expect([method, await ask(carl.api)]).toEqual([method, 403]);
        expect([method, await ask(reader)]).toEqual([method, 403]);
        expect([method, await ask(bob.api, where.replace(/\d+/, "4711"))]).toEqual([method, 404]);
      }
    }
    expect((await app.anonymous.get(`${issues}/4711/labels`)).status).toBe(404);
    expect(await names()).toEqual(["bug"]);
  });

  test("to who writes issues and not pull requests, for a pull request", async () => {
    await app.forge.database.sql`update issue set is_pull = true where number = ${Number(/\d+/.exec(at)?.[0])}`;
    await alice.api.patch("/repos/forge/site", { has_pull_requests: false });
    for (const path of ["", "/bug"]) {
      expect((await bob.api.request("DELETE", at + path, { body: {} })).status).toBe(404);
    }
    expect((await bob.api.get(at)).status).toBe(404);
    expect((await bob.api.post(at, { labels: ["bug"] })).status).toBe(404);
    await alice.api.patch("/repos/forge/site", { has_pull_requests: true });
    expect(await names()).toEqual([]);
  });

  test.each([
    ["a label of another repository", () => [id("theirs")], /^The repository has no label \d+$/],
    ["a name that is none", () => ["bug", "none"], /^The repository has no label "none"$/],
    ["a number as a name", () => [String(id("bug"))], /^The repository has no label "\d+"$/],
    ["two of one exclusive scope", () => ["p/high", "P/none"], /exclude each other/],
    ["what is no label", () => [true], /labels/],
    ["too many", () => Array.from({ length: 101 }, (_, index) => index + 1), /labels/],
  ])("%s", async (_, labels, message) => {
    await bob.api.post(at, { labels: ["p/open"] });
    await app.forge.database.sql`delete from outbox`;
    for (const method of ["POST", "PUT"]) {
      const answer = await bob.api.request<{ message: string }>(method, at, { body: { labels: labels() } });
      expect({ status: answer.status, message: answer.body.message }).toEqual({
        status: 422,
        message: expect.stringMatching(message) as string,
      });
    }
    expect(await names()).toEqual(["p/open"]);
    expect(await told()).toEqual([]);
  });

  test("another one of the scope that the issue has, and nothing is added", async () => {
    await bob.api.post(at, { labels: ["p/high"] });
    const answer = await bob.api.post<{ message: string }>(at, { labels: ["bug", "p/low"] });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toStartWith('The issue has the label "p/high", which excludes "p/low"');
    expect(await names()).toEqual(["p/high"]);
  });

  test("a time of change to whoever administers nothing, and one that cannot be", async () => {
    const change = (api: typeof bob.api, updatedAt: string) => api.post(at, { labels: ["bug"], updated_at: updatedAt });
    expect((await change(bob.api, new Date().toISOString())).status).toBe(403);
    expect((await change(alice.api, "2001-01-01T00:00:00Z")).status).toBe(422);
    expect((await change(alice.api, "2901-01-01T00:00:00Z")).status).toBe(422);
    expect((await change(alice.api, "soon")).status).toBe(422);
    expect(await names()).toEqual([]);
    const { created_at: createdAt } = (await alice.api.get<{ created_at: string }>(at.replace("/labels", ""))).body;
    expect((await change(alice.api, createdAt)).status).toBe(200);
    expect((await alice.api.get(at.replace("/labels", ""))).body).toMatchObject({ updated_at: createdAt });
  });

  test("a label taken away that the repository has not", async () => {
    for (const name of ["none", "4711", id("theirs")]) {
      expect((await bob.api.request("DELETE", `${at}/${name}`)).status).toBe(422);
    }
  });
});

test("labels are added by id and name, replaced, and taken away", async () => {
  const added = await bob.api.post<Label[]>(at, { labels: [id("org all"), "bug", "p/high", "p/open"] });
  expect(added.status).toBe(200);
  expect(added.body.map((label) => [label.name, label.id])).toEqual([
    ["all", id("org all")],
    ["bug", id("bug")],
    ["p/high", id("p/high")],
    ["p/open", id("p/open")],
  ]);
  // Those that it has are not added again.
  expect((await bob.api.post(at, { labels: ["bug", "p/high"] })).body).toEqual(added.body);
  const replaced = await bob.api.put<Label[]>(at, { labels: ["p/low", "bug"] });
  expect({ status: replaced.status, names: replaced.body.map(({ name }) => name) }).toEqual({
    status: 200,
    names: ["bug", "p/low"],
  });
  expect((await bob.api.delete(`${at}/${id("bug")}`)).status).toBe(204);
  expect((await bob.api.delete(`${at}/bug`)).status).toBe(204);
  expect((await bob.api.delete(`${at}/p%2Flow`)).status).toBe(204);
  expect(await names()).toEqual([]);
  await bob.api.post(at.replace("/issues/", "/issue/"), { labels: ["bug", "all"] });
  expect((await bob.api.delete(at.replace("/issues/", "/issue/"))).status).toBe(204);
  expect(await names()).toEqual([]);
  expect(await told()).toEqual([
    ["labeled", "all"],
    ["labeled", "bug"],
    ["labeled", "p/high"],
    ["labeled", "p/open"],
    ["unlabeled", "all"],
    ["unlabeled", "p/high"],
    ["unlabeled", "p/open"],
    ["labeled", "p/low"],
    ["unlabeled", "bug"],
    ["unlabeled", "p/low"],
    ["labeled", "all"],
    ["labeled", "bug"],
    ["unlabeled", "all"],
    ["unlabeled", "bug"],
  ]);
});

test("of two exclusive labels that are added at once one is refused", async () => {
  for (let round = 0; round < 10; round++) {
    const statuses = await Promise.all(
      ["p/high", "p/low", "P/none"].map(async (name) => (await bob.api.post(at, { labels: [name] })).status),
    );
    expect(statuses.sort()).toEqual([200, 422, 422]);
    expect((await names()).length).toBe(1);
    await bob.api.delete(at);
  }
});

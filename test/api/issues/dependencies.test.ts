import { describe, expect, test } from "bun:test";
import { useTestApp, type TestUser } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "tree");
await app.repository(bob, "field");
await app.repository(alice, "secret", { private: true });
const { sql } = app.forge.database;

interface Json {
  number: number;
  title: string;
  state: string;
  repository: { full_name: string };
}

let opened = 0;
async function open(who: TestUser = alice, path = "alice/tree") {
  const { body } = await who.api.post<Json>(`/repos/${path}/issues`, { title: `issue ${++opened}` });
  const [owner, repo] = path.split("/");
  return { at: `/repos/${path}/issues/${body.number}`, meta: { owner, repo, index: body.number } };
}
const titles = async (path: string, who = alice) => {
  const { body, headers } = await who.api.get<Json[]>(path);
  expect(headers.get("x-total-count")).toBe(String(body.length));
  return body.map(({ number, repository }) => `${repository.full_name}#${number}`);
};
const name = ({ meta }: Awaited<ReturnType<typeof open>>) => `${meta.owner}/${meta.repo}#${meta.index}`;
const rows = async () => (await sql`select 1 from issue_dependency`).length;

describe("refused", () => {
  test("to those who may not write the issue that depends", async () => {
    const [one, two] = [await open(), await open(bob, "bob/field")];
    expect((await app.anonymous.post(`${one.at}/dependencies`, two.meta)).status).toBe(401);
    expect((await bob.api.post(`${one.at}/dependencies`, two.meta)).status).toBe(403);
    // The same from the other side.
    expect((await bob.api.post(`${two.at}/blocks`, one.meta)).status).toBe(403);
    expect(await rows()).toBe(0);
  });

  test("where one of the two is hidden, or not there", async () => {
    const [one, hidden] = [await open(bob, "bob/field"), await open(alice, "alice/secret")];
    for (const meta of [
      hidden.meta,
      { ...hidden.meta, index: 99 },
      { ...one.meta, index: 99 },
      { owner: "x", repo: "y", index: 1 },
    ]) {
      expect((await bob.api.post(`${one.at}/dependencies`, meta)).status).toBe(404);
      expect((await bob.api.delete(`${one.at}/dependencies`, meta)).status).toBe(404);
    }
    expect((await bob.api.post(`${one.at}/dependencies`, { owner: "bob" })).status).toBe(422);
    // Also for an issue that the caller may read and not write, from both sides.
    const read = await open();
    const known = await open(bob, "bob/field");
    for (const method of ["POST", "DELETE"] as const) {
      const refused = async (at: string, meta: object) => (await bob.api.request(method, at, { body: meta })).status;
      expect(await refused(`${read.at}/dependencies`, hidden.meta)).toBe(404);
      expect(await refused(`${read.at}/dependencies`, { ...known.meta, index: 99 })).toBe(404);
      expect(await refused(`${read.at}/dependencies`, known.meta)).toBe(403);
      expect(await refused(`${read.at}/blocks`, hidden.meta)).toBe(404);
      expect(await refused(`${known.at}/blocks`, hidden.meta)).toBe(404);
      expect(await refused(`${known.at}/blocks`, read.meta)).toBe(403);
      expect(await refused(`${hidden.at}/dependencies`, known.meta)).toBe(404);
      expect(await refused(`${hidden.at}/blocks`, known.meta)).toBe(404);
    }
    expect(await rows()).toBe(0);
  });

  test("for itself, twice, and in a circle", async () => {
    const [one, two, three] = [await open(), await open(), await open()];
    const message = async (at: string, meta: object) => {
      const { status, body } = await alice.api.post<{ message: string }>(at, meta);
      return [status, body.message];
    };
    expect(await message(`${one.at}/dependencies`, one.meta)).toEqual([400, "An issue cannot depend on itself"]);
    expect((await alice.api.post(`${one.at}/dependencies`, two.meta)).status).toBe(201);
    expect(await message(`${one.at}/dependencies`, two.meta)).toEqual([
      400,
      `Number ${one.meta.index} depends on number ${two.meta.index} already`,
    ]);
    expect((await alice.api.post(`${two.at}/dependencies`, three.meta)).status).toBe(201);
    expect(await message(`${three.at}/dependencies`, one.meta)).toEqual([
      400,
      `Number ${one.meta.index} depends on number ${three.meta.index} already, if not directly: this would be a circle`,
    ]);
    expect(await titles(`${three.at}/dependencies`)).toEqual([]);
  });

  test("where dependencies are off, and on an archive", async () => {
    for (const [repository, patch, status] of [
      ["off", { has_issues: true, internal_tracker: { enable_issue_dependencies: false } }, 400],
      ["old", { archived: true }, 423],
    ] as const) {
      await app.repository(alice, repository);
      const [one, two] = [await open(alice, `alice/${repository}`), await open()];
      expect((await alice.api.patch(`/repos/alice/${repository}`, patch)).status).toBe(200);
      expect((await alice.api.post(`${one.at}/dependencies`, two.meta)).status).toBe(status);
      expect((await alice.api.post(`${two.at}/blocks`, one.meta)).status).toBe(status);
    }
  });

  test("to two who would close a circle at once", async () => {
    const [one, two] = [await open(), await open()];
    const answers = await Promise.all([
      alice.api.post(`${one.at}/dependencies`, two.meta),
      alice.api.post(`${two.at}/dependencies`, one.meta),
    ]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 400]);
  });
});

test("an issue waits for what it depends on, which knows what it blocks", async () => {
  const [one, two] = [await open(), await open(bob, "bob/field")];
  const { status, body } = await alice.api.post<Json>(`${one.at}/dependencies`, two.meta);
  expect([status, body.number]).toEqual([201, one.meta.index]);
  expect(await titles(`${one.at}/dependencies`)).toEqual([name(two)]);
  expect(await titles(`${two.at}/blocks`)).toEqual([name(one)]);
  const timeline = (await alice.api.get<{ type: string }[]>(`${two.at}/timeline`)).body;
  expect(timeline.map(({ type }) => type)).toEqual(["add_dependency"]);

  expect((await alice.api.patch(one.at, { state: "closed" })).status).toBe(412);
  expect((await bob.api.patch(two.at, { state: "closed" })).status).toBe(201);
  expect((await alice.api.patch(one.at, { state: "closed" })).status).toBe(201);

  const ended = await alice.api.delete<Json>(`${one.at}/dependencies`, two.meta);
  expect([ended.status, ended.body.number]).toEqual([200, one.meta.index]);
  expect(await titles(`${one.at}/dependencies`)).toEqual([]);
  expect((await alice.api.delete(`${one.at}/dependencies`, two.meta)).status).toBe(404);
});

test("it can be said from the other side, and shows only what the reader may read", async () => {
  const [one, hidden] = [await open(), await open(alice, "alice/secret")];
  const { status, body } = await alice.api.post<Json>(`${one.at}/blocks`, hidden.meta);
  expect([status, body.number]).toEqual([201, one.meta.index]);
  expect(await titles(`${hidden.at}/dependencies`)).toEqual([name(one)]);
  expect(await titles(`${one.at}/blocks`)).toEqual([name(hidden)]);
  expect(await titles(`${one.at}/blocks`, bob)).toEqual([]);
  const seen = (await bob.api.get<{ type: string }[]>(`${one.at}/timeline`)).body;
  expect(seen).toEqual([]);
  expect((await alice.api.delete(`${one.at}/blocks`, hidden.meta)).status).toBe(200);
  expect(await titles(`${one.at}/blocks`)).toEqual([]);
});

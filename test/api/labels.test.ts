import { beforeAll, describe, expect, test } from "bun:test";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";

interface Label {
  id: number;
  name: string;
  color: string;
  archived_at: string | null;
  is_archived: boolean;
}

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const eve = await app.user("eve");
const at = "/repos/forge/site/labels";
const ofOrganization = "/orgs/forge/labels";

beforeAll(async () => {
  await app.organization("forge", alice);
  await app.repository(alice, "site", {}, "forge");
  await app.repository(alice, "other", {}, "forge");
  await alice.api.put("/repos/forge/site/collaborators/bob", { permission: "write" });
});

const names = async (path: string) => (await alice.api.get<Label[]>(path)).body.map(({ name }) => name);

describe("refused", () => {
  test("to whoever may only read, or not even that, and without the scope", async () => {
    const { id } = (await alice.api.post<Label>(at, { name: "refused", color: "abc" })).body;
    const issueReader = await app.scoped(bob, "read:issue", "write:repository");
    for (const [method, path, body] of [
      ["POST", "", { name: "x", color: "abc" }],
      ["PATCH", `/${id}`, { name: "y" }],
      ["DELETE", `/${id}`, undefined],
    ] as const) {
      const options = body === undefined ? {} : { body };
      const ask = async (api: typeof bob.api, where = at) => (await api.request(method, where + path, options)).status;
      expect([method, await ask(app.anonymous)]).toEqual([method, 401]);
      expect([method, await ask(eve.api)]).toEqual([method, 403]);
      expect([method, await ask(issueReader)]).toEqual([method, 403]);
      expect([method, await ask(bob.api, "/repos/forge/none/labels")]).toEqual([method, 404]);
      // A collaborator of a repository is nobody in its organization.
      expect([method, await ask(bob.api, ofOrganization)]).toEqual([method, 403]);
    }
    expect(await alice.api.get(`${at}/${id}`)).toMatchObject({ status: 200, body: { name: "refused" } });
    await alice.api.delete(`${at}/${id}`);
  });

  test.each([
    ["a name of blanks", { name: "  ", color: "abc" }, "The name of a label has 1 to 255 characters"],
    ["a name too long", { name: "x".repeat(256), color: "abc" }, "name"],
    ["a name of two lines", { name: "a\nb", color: "abc" }, "no control characters"],
    ["no name", { color: "abc" }, "name is required"],
    ["no color", { name: "x" }, "color is required"],
    ["a color that is none", { name: "x", color: "red" }, 'color must be six hexadecimal digits such as "#00aabb"'],
    ["a color of four digits", { name: "x", color: "#abcd" }, "color"],
    ["a long color", { name: "x", color: "a".repeat(10_000) }, "color"],
    ["a time that is none", { name: "x", color: "abc", archived_at: "soon" }, "archived_at"],
    [
      "archived and not",
      { name: "x", color: "abc", is_archived: false, archived_at: "2020-01-02T03:04:05Z" },
      "is_archived and archived_at contradict each other",
    ],
  ])("%s", async (_, fields, message) => {
    for (const where of [at, ofOrganization]) {
      const { status, body } = await alice.api.post<{ message: string }>(where, fields);
      expect({ status, message: body.message.length < 300 && body.message }).toEqual({
        status: 422,
        message: expect.stringContaining(message) as string,
      });
      expect(await names(where)).toEqual([]);
    }
  });

  test("of another repository or of the organization, under the address of this one", async () => {
    const { id } = (await alice.api.post<Label>("/repos/forge/other/labels", { name: "theirs", color: "abc" })).body;
    const all = (await alice.api.post<Label>(ofOrganization, { name: "all", color: "abc" })).body;
    for (const path of [`${at}/${id}`, `${at}/${all.id}`, `${ofOrganization}/${id}`, `${at}/4711`]) {
      expect([path, (await alice.api.get(path)).status]).toEqual([path, 404]);
      expect([path, (await alice.api.patch(path, { name: "mine" })).status]).toEqual([path, 404]);
      expect([path, (await alice.api.delete(path)).status]).toEqual([path, 404]);
    }
    expect(await names("/repos/forge/other/labels")).toEqual(["theirs"]);
    expect((await alice.api.delete(`${ofOrganization}/${all.id}`)).status).toBe(204);
  });
});

test.each([
  ["#ABC", "aabbcc"],
  ["0f0", "00ff00"],
  ["#00Aabb", "00aabb"],
  ["abcdef", "abcdef"],
])("the color %s is shown as %s", async (sent, shown) => {
  const { status, body } = await alice.api.post<Label>(at, { name: "c", color: sent });
  expect({ status, color: body.color }).toEqual({ status: 201, color: shown });
  expect((await alice.api.delete(`${at}/${body.id}`)).status).toBe(204);
});

describe("a label of a repository", () => {
  test("is made by a writer, read by anybody, changed and deleted", async () => {
    const { status, body } = await bob.api.post<Label>(at, {
      name: " kind/bug ",
      color: "#EE0701",
      description: "Does not work",
      exclusive: true,
    });
    expect(status).toBe(201);
    expect(redact(body)).toEqual({
      archived_at: null,
      color: "ee0701",
      description: "Does not work",
      exclusive: true,
      id: "<id>",
      is_archived: false,
      name: "kind/bug",
      url: `<url>/api/v1/repos/forge/site/labels/${body.id}`,
    });
    expect(await app.anonymous.get(`${at}/${body.id}`)).toMatchObject({ status: 200, body });
    expect(await bob.api.patch(`${at}/${body.id}`, {})).toMatchObject({ status: 200, body });
    const changed = await bob.api.patch(`${at}/${body.id}`, { name: "kind/defect", color: "0f0", description: "" });
    expect(changed).toMatchObject({
      status: 200,
      body: { ...body, name: "kind/defect", color: "00ff00", description: "" },
    });
    expect((await bob.api.delete(`${at}/${body.id}`)).status).toBe(204);
    expect((await bob.api.delete(`${at}/${body.id}`)).status).toBe(404);
  });

  test("is archived, now or at a time, and taken back", async () => {
    const { id } = (await alice.api.post<Label>(at, { name: "old", color: "abc", is_archived: true })).body;
    const where = `${at}/${id}`;
    const first = (await alice.api.get<Label>(where)).body;
    expect(first).toMatchObject({ is_archived: true, archived_at: expect.any(String) as string });
    // Nothing new: it keeps its time.
    expect((await alice.api.patch(where, { is_archived: true })).body).toEqual(first);
    const moved = await alice.api.patch<Label>(where, { archived_at: "2020-01-02T03:04:05Z" });
    expect(moved.body).toMatchObject({ is_archived: true, archived_at: "2020-01-02T03:04:05Z" });
    expect((await alice.api.patch(where, { name: "older" })).body).toMatchObject({
      archived_at: "2020-01-02T03:04:05Z",
    });
    expect((await alice.api.patch(where, { archived_at: null })).body).toMatchObject({ is_archived: false });
    await alice.api.patch(where, { archived_at: "2020-01-02T03:04:05Z" });
    expect((await alice.api.patch(where, { is_archived: false })).body).toMatchObject({ archived_at: null });
    await alice.api.delete(where);
  });
});

test("lists are by name and paged, and several labels may have one name", async () => {
  for (const name of ["b", "a", "c", "b"]) {
    expect((await alice.api.post(at, { name, color: "abc" })).status).toBe(201);
  }
  expect(await names(at)).toEqual(["a", "b", "b", "c"]);
  const page = await app.anonymous.get<Label[]>(`${at}?limit=2&page=2`);
  expect(page.body.map(({ name }) => name)).toEqual(["b", "c"]);
  expect(page.headers.get("x-total-count")).toBe("4");
  expect(await names(ofOrganization)).toEqual([]);
});

test("labels of an organization are made by its owners and seen by whoever sees it", async () => {
  const { status, body } = await alice.api.post<Label>(ofOrganization, { name: "team/red", color: "f00" });
  expect(status).toBe(201);
  expect(redact(body)).toMatchObject({ name: "team/red", url: `<url>/api/v1/orgs/forge/labels/${body.id}` });
  expect(await app.anonymous.get(`${ofOrganization}/${body.id}`)).toMatchObject({ status: 200, body });
  expect((await eve.api.get(ofOrganization)).body).toEqual([body]);
  expect((await alice.api.patch(`${ofOrganization}/${body.id}`, { exclusive: true })).body).toEqual({
    ...body,
    exclusive: true,
  });
  await app.forge.database.sql`update owner set visibility = 'private' where name = 'forge'`;
  expect((await eve.api.get(ofOrganization)).status).toBe(404);
  expect((await eve.api.get("/orgs/alice/labels")).status).toBe(404);
  await app.forge.database.sql`update owner set visibility = 'public' where name = 'forge'`;
  const issue = await bob.api.post<{ labels: unknown[] }>("/repos/forge/site/issues", {
    title: "x",
    labels: [body.id],
  });
  expect(issue).toMatchObject({ status: 201, body: { labels: [{ name: "team/red" }] } });
  expect((await alice.api.delete(`${ofOrganization}/${body.id}`)).status).toBe(204);
  expect((await bob.api.get("/repos/forge/site/issues/1")).body).toMatchObject({ labels: [] });
});

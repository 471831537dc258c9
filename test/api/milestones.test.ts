import { beforeAll, describe, expect, test } from "bun:test";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";

interface Milestone {
  id: number;
  title: string;
}

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const at = "/repos/alice/site/milestones";

beforeAll(async () => {
  await app.repository(alice, "site");
  await app.repository(alice, "other");
});

const make = async (fields: object, where = at) => (await alice.api.post<Milestone>(where, fields)).body;
const titles = async (query = "", where = at) =>
  (await app.anonymous.get<Milestone[]>(where + query)).body.map(({ title }) => title);

describe("refused", () => {
  test("to whoever may only read, or not even that, and without the scope", async () => {
    const { id } = await make({ title: "mine" });
    const reader = await app.scoped(alice, "read:issue", "write:repository");
    for (const [method, path, body] of [
      ["POST", "", { title: "x" }],
      ["PATCH", `/${id}`, { title: "y" }],
      ["DELETE", `/${id}`, undefined],
    ] as const) {
      const options = body === undefined ? {} : { body };
      const ask = async (api: typeof bob.api, where = at) => (await api.request(method, where + path, options)).status;
      expect([method, await ask(app.anonymous)]).toEqual([method, 401]);
      expect([method, await ask(bob.api)]).toEqual([method, 403]);
      expect([method, await ask(reader)]).toEqual([method, 403]);
      expect([method, await ask(bob.api, "/repos/alice/none/milestones")]).toEqual([method, 404]);
    }
    expect(await titles()).toEqual(["mine"]);
    expect((await alice.api.delete(`${at}/${id}`)).status).toBe(204);
    expect((await alice.api.delete(`${at}/${id}`)).status).toBe(404);
  });

  test.each([
    ["no title", {}, "The title of a milestone has 1 to 255 characters"],
    ["a title of blanks", { title: " \n" }, "The title of a milestone has 1 to 255 characters"],
    ["a title too long", { title: "x".repeat(256) }, "title"],
    ["a due date that is none", { title: "x", due_on: "yesterday" }, "due_on"],
    ["a state that is none", { title: "x", state: "done" }, "state must be one of open, closed"],
  ])("%s", async (_, fields, message) => {
    const { status, body } = await alice.api.post<{ message: string }>(at, fields);
    expect({ status, message: body.message }).toEqual({
      status: 422,
      message: expect.stringContaining(message) as string,
    });
    expect(await titles("?state=all")).toEqual([]);
  });

  test("of another repository, and lists in a state that is none", async () => {
    const { id } = await make({ title: "theirs" }, "/repos/alice/other/milestones");
    for (const name of [id, "theirs", 4711, "0", "x".repeat(5000)]) {
      expect((await alice.api.get(`${at}/${name}`)).status).toBe(404);
      expect((await alice.api.patch(`${at}/${name}`, { title: "mine" })).status).toBe(404);
      expect((await alice.api.delete(`${at}/${name}`)).status).toBe(404);
    }
    expect(await titles("", "/repos/alice/other/milestones")).toEqual(["theirs"]);
    expect((await alice.api.get(`${at}?state=done`)).status).toBe(422);
  });
});

test("a milestone is made, found by id and by title, changed, closed, reopened and deleted", async () => {
  const { status, body } = await alice.api.post<Milestone>(at, {
    title: " Version 1/2 ",
    description: "All of it",
    due_on: "2030-01-02T03:04:05Z",
  });
  expect(status).toBe(201);
  expect(redact(body)).toEqual({
    closed_at: null,
    closed_issues: 0,
    created_at: "<time>",
    description: "All of it",
    due_on: "<time>",
    id: "<id>",
    open_issues: 0,
    state: "open",
    title: "Version 1/2",
    updated_at: "<time>",
  });
  expect(body).toMatchObject({ due_on: "2030-01-02T03:04:05Z" });
  for (const name of [body.id, "Version%201%2F2", "version%201%2f2"]) {
    expect(await app.anonymous.get(`${at}/${name}`)).toMatchObject({ status: 200, body });
  }
  // What the Go SDK sends for a change of the state alone.
  const closed = await alice.api.patch(`${at}/${body.id}`, {
    title: "",
    description: null,
    state: "closed",
    due_on: null,
  });
  expect(closed).toMatchObject({
    status: 200,
    body: {
      state: "closed",
      closed_at: expect.any(String) as string,
      title: "Version 1/2",
      description: "All of it",
      due_on: "2030-01-02T03:04:05Z",
    },
  });
  const again = await alice.api.patch(`${at}/Version%201%2F2`, {
    title: "v1",
    state: "open",
    due_on: "0001-01-01T00:00:00Z",
  });
  expect(again.body).toMatchObject({ state: "open", closed_at: null, title: "v1", due_on: null });
  expect((await alice.api.patch(`${at}/v1`, { state: "open", title: "v1" })).body).toEqual(again.body);
  expect((await alice.api.delete(`${at}/v1`)).status).toBe(204);
  expect((await alice.api.get(`${at}/${body.id}`)).status).toBe(404);
});

test("a title of digits is found where no milestone has the id", async () => {
  const first = await make({ title: "2031" });
  const second = await make({ title: String(first.id) });
  expect((await alice.api.get(`${at}/2031`)).body).toEqual(first);
  expect((await alice.api.get(`${at}/${first.id}`)).body).toEqual(first);
  await alice.api.delete(`${at}/${first.id}`);
  expect((await alice.api.get(`${at}/${first.id}`)).body).toEqual(second);
  await alice.api.delete(`${at}/${second.id}`);
});

test("lists are by due date, and by state and a part of the title", async () => {
  await make({ title: "never" });
  await make({ title: "late 100%", due_on: "2031-01-01T00:00:00Z" });
  await make({ title: "soon", due_on: "2030-01-01T00:00:00Z" });
  await make({ title: "gone", state: "closed" });
  expect(await titles()).toEqual(["soon", "late 100%", "never"]);
  expect(await titles("?state=closed")).toEqual(["gone"]);
  expect(await titles("?state=all")).toEqual(["soon", "late 100%", "never", "gone"]);
  expect(await titles("?name=0%25")).toEqual(["late 100%"]);
  expect(await titles("?name=NE")).toEqual(["never"]);
  expect(await titles("?name=NE&state=all")).toEqual(["never", "gone"]);
  const page = await app.anonymous.get<Milestone[]>(`${at}?limit=1&page=2`);
  expect(page.body.map(({ title }) => title)).toEqual(["late 100%"]);
  expect(page.headers.get("x-total-count")).toBe("3");
});

test("issues are counted, and stay when it is deleted", async () => {
  const { id } = await make({ title: "counted" });
  const issues = "/repos/alice/site/issues";
  for (const closed of [false, false, true]) {
    const issue = await alice.api.post(issues, { title: "x", milestone: id, closed });
    expect(issue).toMatchObject({ status: 201, body: { milestone: { id, title: "counted" } } });
  }
  expect((await alice.api.get(`${at}/counted`)).body).toMatchObject({ open_issues: 2, closed_issues: 1 });
  expect((await alice.api.delete(`${at}/counted`)).status).toBe(204);
  expect((await alice.api.get(`${issues}/1`)).body).toMatchObject({ milestone: null });
});

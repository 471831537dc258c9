import { describe, expect, test } from "bun:test";
import { redact } from "../../support/redact.ts";
import { makeTeam } from "../../support/team.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "tree");
const at = "/repos/alice/tree/issues";
const { sql } = app.forge.database;

const countOf = async (where = "/repos/alice/tree") =>
  (await alice.api.get<{ open_issues_count: number }>(where)).body.open_issues_count;
const kinds = async () =>
  (await sql<{ kind: string }[]>`select kind from outbox where kind like 'issue.%' order by id`).map(
    ({ kind }) => kind,
  );

describe("refused", () => {
  test("to nobody, to whom the owner blocked, and without the scope", async () => {
    const eve = await app.user("eve");
    expect((await alice.api.put("/user/block/eve")).status).toBe(204);
    expect((await app.anonymous.post(at, { title: "x" })).status).toBe(401);
    expect((await eve.api.post(at, { title: "x" })).status).toBe(403);
    expect((await (await app.scoped(bob, "write:repository")).post(at, { title: "x" })).status).toBe(403);
  });

  test("where issues are off, or the repository cannot be seen", async () => {
    await app.repository(alice, "off");
    await alice.api.patch("/repos/alice/off", { has_issues: false });
    await app.repository(alice, "secret", { private: true });
    for (const name of ["off", "secret", "none"]) {
      expect((await bob.api.post(`/repos/alice/${name}/issues`, { title: "x" })).status).toBe(404);
    }
  });

  test.each([
    ["assignees", { assignees: ["bob"] }],
    ["assignees", { assignee: "bob" }],
    ["labels", { labels: [1] }],
    ["milestone", { milestone: 1 }],
    ["due_date", { due_date: "2030-01-01T00:00:00Z" }],
    ["closed", { closed: true }],
  ])("%s of somebody who may only read", async (field, fields) => {
    const { status, body } = await bob.api.post<{ message: string }>(at, { title: "x", ...fields });
    expect({ status, message: body.message }).toEqual({
      status: 403,
      message: `"${field}" needs write access to the issues of the repository`,
    });
  });

  const titleLength = "A title has 1 to 255 characters";
  test.each([
    ["a title of blanks", { title: "  " }, titleLength],
    ["a title too long", { title: "é".repeat(256) }, "title"],
    ["a megabyte of title", { title: "x".repeat(1024 * 1024) }, "title"],
    ["an assignee who may not write", { assignees: ["bob"] }, 'Nothing can be assigned to "bob" here'],
    ["an assignee who is nobody", { assignees: ["no/body"] }, 'Nothing can be assigned to "no/body" here'],
    ["a label that is not there", { labels: [4711] }, "The repository has no label 4711"],
    ["a milestone that is not there", { milestone: 4711 }, "The repository has no milestone 4711"],
    ["a date that is none", { due_date: "yesterday" }, "due_date"],
  ])("%s", async (_, fields, message) => {
    const { status, body } = await alice.api.post<{ message: string }>(at, { title: "x", ...fields });
    expect({ status, message: body.message }).toEqual({
      status: 422,
      message: expect.stringContaining(message) as string,
    });
  });

  test("and nothing is stored", async () => {
    expect(await sql`select 1 from issue`).toEqual([] as never);
    expect(await countOf()).toBe(0);
    expect(await kinds()).toEqual([]);
  });
});

describe("opened", () => {
  test("by a reader", async () => {
    const { status, body } = await bob.api.post(at, { title: " A leaf fell ", body: "*Sadly*", assignees: [] });
    expect(status).toBe(201);
    expect(redact(body)).toMatchSnapshot();
    expect(await bob.api.get(`${at}/1`)).toMatchObject({ status: 200, body: body as object });
    expect(await app.anonymous.get(`${at}/1`)).toMatchObject({ status: 200 });
    expect(await countOf()).toBe(1);
    expect(await kinds()).toEqual(["issue.opened"]);
  });

  test("by a writer, assigned, due and closed", async () => {
    const { status, body } = await alice.api.post(at, {
      title: "Done already",
      assignee: "alice",
      assignees: ["Alice"],
      due_date: "2030-01-02T03:04:05Z",
      closed: true,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      number: 2,
      state: "closed",
      closed_at: expect.any(String) as string,
      due_date: "2030-01-02T03:04:05Z",
      assignee: { login: "alice" },
      assignees: [{ login: "alice" }],
    });
    expect(await countOf()).toBe(1);
  });

  test("and read by those who read issues, not by those who read code", async () => {
    await app.organization("forge", alice);
    await alice.api.post("/orgs/forge/repos", { name: "hall", private: true });
    await alice.api.post("/repos/forge/hall/issues", { title: "x" });
    const carol = await app.user("carol");
    await makeTeam(alice, "forge", { name: "coders", permission: "read", units: ["repo.code"] }, [carol]);
    await alice.api.put("/teams/coders/repos/forge/hall");
    const team = (await alice.api.get<{ id: number; name: string }[]>("/orgs/forge/teams")).body.find(
      ({ name }) => name === "coders",
    );
    await alice.api.put(`/teams/${team?.id}/repos/forge/hall`);
    expect((await carol.api.get("/repos/forge/hall")).status).toBe(200);
    expect((await carol.api.get("/repos/forge/hall/issues/1")).status).toBe(404);
    expect((await alice.api.get("/repos/forge/hall/issues/1")).status).toBe(200);
  });

  test("200 at once have the numbers 1 to 200", async () => {
    await app.repository(alice, "many");
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, number) =>
        alice.api.post<{ number: number }>("/repos/alice/many/issues", { title: `number ${number}` }),
      ),
    );
    const numbers = answers.map(({ body }) => body.number).sort((one, other) => one - other);
    expect(numbers).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    expect(await countOf("/repos/alice/many")).toBe(200);
  });
});

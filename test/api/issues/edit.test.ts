import { beforeAll, describe, expect, test } from "bun:test";
import { hearEvents } from "../../support/hear-events.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const root = await app.admin("root");
const { sql } = app.forge.database;
const repository = await app.repository(alice, "tree");
const at = "/repos/alice/tree/issues";

interface Shown {
  number: number;
  title: string;
  body: string;
  state: string;
  ref: string;
  due_date: string | null;
  is_locked: boolean;
  updated_at: string;
  closed_at: string | null;
  milestone: { id: number } | null;
  assignees: { login: string }[] | null;
}

/** Opens an issue of Bob's, who may only read. */
const open = async (fields: Record<string, unknown> = {}, client = bob.api) =>
  (await client.post<Shown>(at, { title: "A leaf", ...fields })).body.number;
const shown = async (number: number) => (await alice.api.get<Shown>(`${at}/${number}`)).body;
const edit = (client: typeof alice.api, number: number, fields: object) =>
  client.patch<Shown & { message: string }>(`${at}/${number}`, fields);
const heard = hearEvents();
const told = () => heard.map(({ kind }) => kind).filter((kind) => kind.startsWith("issue."));
const counts = async () =>
  [...(await sql`select open_issues, closed_issues from repository_count where repository_id = ${repository.id}`)][0];

let milestoneId = 0;
beforeAll(async () => {
  expect((await alice.api.put("/repos/alice/tree/collaborators/carol", { permission: "write" })).status).toBe(204);
  const [row] =
    await sql`insert into milestone (repository_id, title) values (${repository.id}, 'autumn') returning id::int`;
  milestoneId = Number(row?.["id"]);
});

describe("refused", () => {
  test("to nobody, to strangers, without the scope, and to whom the owner blocked", async () => {
    const number = await open();
    const eve = await app.user("eve");
    const mallory = await app.user("mallory");
    const own = await open({}, mallory.api);
    expect((await alice.api.put("/user/block/mallory")).status).toBe(204);
    expect((await edit(app.anonymous, number, { title: "x" })).status).toBe(401);
    expect((await edit(eve.api, number, { title: "x" })).body.message).toBe(
      '"title" needs write access to the issues of the repository',
    );
    expect((await edit(await app.scoped(bob, "write:repository"), number, { title: "x" })).status).toBe(403);
    expect((await edit(mallory.api, own, { title: "x" })).status).toBe(403);
    expect((await edit(eve.api, number, {})).status).toBe(403);
    expect(await shown(number)).toMatchObject({ title: "A leaf" });
  });

  test.each([
    ["ref", { ref: "main" }],
    ["assignees", { assignees: [] }],
    ["assignees", { assignee: "carol" }],
    ["milestone", { milestone: 0 }],
    ["due_date", { due_date: "2030-01-01T00:00:00Z" }],
    ["due_date", { unset_due_date: true }],
  ])("%s to its author", async (field, fields) => {
    const { status, body } = await edit(bob.api, await open(), fields);
    expect({ status, message: body.message }).toEqual({
      status: 403,
      message: `"${field}" needs write access to the issues of the repository`,
    });
  });

  test("when it is said to have been changed: to all but administrators", async () => {
    const number = await open();
    const { created_at } = (await alice.api.get<{ created_at: string }>(`${at}/${number}`)).body;
    expect((await edit(bob.api, number, { updated_at: created_at })).status).toBe(403);
    expect((await edit(carol.api, number, { updated_at: created_at })).status).toBe(403);
    expect((await edit(alice.api, number, { updated_at: "2000-01-01T00:00:00Z" })).status).toBe(422);
    expect((await edit(alice.api, number, { updated_at: "2100-01-01T00:00:00Z" })).status).toBe(422);
    expect((await edit(alice.api, number, { body: "x", updated_at: created_at })).body.updated_at).toBe(created_at);
  });

  test.each([
    ["a title of blanks", { title: "   " }, "A title has 1 to 255 characters"],
    ["a megabyte of title", { title: "x".repeat(1024 * 1024) }, "title"],
    ["a state that is none", { state: "ajar" }, 'A state is "open" or "closed", not "ajar"'],
    ["a milestone that is not there", { milestone: 4711 }, "The repository has no milestone 4711"],
    ["an assignee who may not write", { assignees: ["bob"] }, 'Nothing can be assigned to "bob" here'],
    ["a date that is none", { due_date: "tomorrow" }, "due_date"],
  ])("%s, and nothing is changed", async (_, fields, message) => {
    const number = await open({ body: "b" });
    const before = await shown(number);
    const { status, body } = await edit(alice.api, number, { body: "other", ...fields });
    expect({ status, message: body.message }).toEqual({
      status: 422,
      message: expect.stringContaining(message) as string,
    });
    expect(await shown(number)).toEqual(before);
  });

  test("what is not there", async () => {
    expect((await edit(alice.api, 4711, { title: "x" })).status).toBe(404);
    expect((await alice.api.delete(`${at}/4711`)).status).toBe(404);
    expect((await alice.api.put(`${at}/4711/lock`, {})).status).toBe(404);
    expect((await alice.api.post(`${at}/4711/deadline`, { due_date: null })).status).toBe(404);
  });
});

describe("changed", () => {
  test("by its author: title, text and state", async () => {
    const number = await open({ body: "old" });
    const before = await counts();
    heard.length = 0;
    const { status, body } = await edit(bob.api, number, { title: "Two", body: "new", state: "closed" });
    expect({ status, ...body }).toMatchObject({ status: 201, title: "Two", body: "new", state: "closed" });
    expect(body.closed_at).not.toBeNull();
    expect(told()).toEqual(["issue.retitled", "issue.rewritten", "issue.closed"]);
    expect(await counts()).toEqual({
      open_issues: Number(before?.["open_issues"]) - 1,
      closed_issues: Number(before?.["closed_issues"]) + 1,
    });
    const again = await edit(bob.api, number, { title: "", state: "open" });
    expect(again.body).toMatchObject({ title: "Two", state: "open", closed_at: null });
    expect(await counts()).toEqual(before as object);
  });

  test("by a writer: everything, and taken back again", async () => {
    const number = await open();
    heard.length = 0;
    const due = "2031-02-03T04:05:06Z";
    const set = await edit(carol.api, number, {
      ref: "main",
      assignee: "carol",
      assignees: ["ALICE"],
      milestone: milestoneId,
      due_date: due,
    });
    expect(set.status).toBe(201);
    expect(set.body).toMatchObject({
      ref: "main",
      due_date: due,
      milestone: { id: milestoneId },
      assignees: [{ login: "alice" }, { login: "carol" }],
    });
    expect(told()).toEqual([
      "issue.milestoned",
      "issue.assigned",
      "issue.assigned",
      "issue.ref-changed",
      "issue.due-changed",
    ]);
    const kept = await edit(carol.api, number, { assignees: null, milestone: null, due_date: null, ref: null });
    expect(kept.body).toEqual(set.body);
    const unset = await edit(carol.api, number, { ref: "", assignees: [], milestone: 0, unset_due_date: true });
    expect(unset.body).toMatchObject({ ref: "", due_date: null, milestone: null, assignees: null });
  });

  test("and an assignee who lost the access stays until they are left out", async () => {
    const dave = await app.user("dave");
    await alice.api.put("/repos/alice/tree/collaborators/dave", { permission: "write" });
    const number = await open({ assignees: ["dave"] }, alice.api);
    await alice.api.delete("/repos/alice/tree/collaborators/dave");
    await sql`insert into issue_assignee (issue_id, user_id) select id, ${dave.id} from issue where repository_id = ${repository.id} and number = ${number} on conflict do nothing`;
    expect((await edit(alice.api, number, { assignees: ["dave", "carol"] })).body.assignees).toMatchObject([
      { login: "carol" },
      { login: "dave" },
    ]);
    expect((await edit(alice.api, number, { assignees: ["carol"] })).body.assignees).toMatchObject([
      { login: "carol" },
    ]);
    expect((await edit(alice.api, number, { assignees: ["dave"] })).status).toBe(422);
  });

  test("to what it is already, which nobody is told", async () => {
    const number = await open({ body: "b" });
    const before = await shown(number);
    heard.length = 0;
    expect((await edit(bob.api, number, { title: "A leaf", body: "b", state: "open" })).body).toEqual(before as never);
    expect(told()).toEqual([]);
  });

  test("not to closed while it depends on something open", async () => {
    const [first, second] = [await open(), await open()];
    await sql`insert into issue_dependency (issue_id, depends_on_id)
      select a.id, b.id from issue a, issue b where a.repository_id = ${repository.id} and b.repository_id = ${repository.id} and a.number = ${first} and b.number = ${second}`;
    const { status, body } = await edit(bob.api, first, { state: "closed" });
    expect({ status, message: body.message }).toEqual({
      status: 412,
      message: `Number ${first} depends on something open: close that first`,
    });
    expect((await edit(bob.api, second, { state: "closed" })).status).toBe(201);
    expect((await edit(bob.api, first, { state: "closed" })).status).toBe(201);
  });

  test("by 20 at once, who are counted once", async () => {
    const number = await open();
    const before = await counts();
    const answers = await Promise.all(Array.from({ length: 20 }, () => edit(alice.api, number, { state: "closed" })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(await counts()).toEqual({
      open_issues: Number(before?.["open_issues"]) - 1,
      closed_issues: Number(before?.["closed_issues"]) + 1,
    });
  });
});

describe("due", () => {
  test("for writers, and for no readers", async () => {
    const number = await open();
    const due_date = "2031-02-03T04:05:06Z";
    expect((await bob.api.post(`${at}/${number}/deadline`, { due_date })).status).toBe(403);
    expect((await carol.api.post(`${at}/${number}/deadline`, {})).status).toBe(422);
    expect(await carol.api.post(`${at}/${number}/deadline`, { due_date })).toMatchObject({
      status: 201,
      body: { due_date },
    });
    expect((await shown(number)).due_date).toBe(due_date);
    expect((await carol.api.post(`${at}/${number}/deadline`, { due_date: null })).body).toEqual({ due_date: null });
  });
});

describe("locked", () => {
  test("and unlocked by writers, and by no readers", async () => {
    const number = await open();
    expect((await bob.api.put(`${at}/${number}/lock`, { lock_reason: "x" })).status).toBe(403);
    expect((await carol.api.put(`${at}/${number}/lock`, { lock_reason: "x".repeat(256) })).status).toBe(422);
    heard.length = 0;
    expect((await carol.api.put(`${at}/${number}/lock`, { lock_reason: "Too heated" })).status).toBe(204);
    expect((await carol.api.put(`${at}/${number}/lock`, { lock_reason: "Too heated" })).status).toBe(204);
    expect((await shown(number)).is_locked).toBe(true);
    expect((await bob.api.delete(`${at}/${number}/lock`)).status).toBe(403);
    expect((await carol.api.delete(`${at}/${number}/lock`)).status).toBe(204);
    expect((await carol.api.delete(`${at}/${number}/lock`)).status).toBe(204);
    expect((await shown(number)).is_locked).toBe(false);
    expect(told()).toEqual(["issue.locked", "issue.unlocked"]);
  });
});

describe("deleted", () => {
  test("by administrators, by no writer and not by its author", async () => {
    const number = await open();
    expect((await bob.api.delete(`${at}/${number}`)).status).toBe(403);
    expect((await carol.api.delete(`${at}/${number}`)).status).toBe(403);
    const before = await counts();
    expect((await root.api.delete(`${at}/${number}`)).status).toBe(204);
    expect((await alice.api.get(`${at}/${number}`)).status).toBe(404);
    expect(await counts()).toEqual({
      open_issues: Number(before?.["open_issues"]) - 1,
      closed_issues: before?.["closed_issues"],
    });
    expect(await open()).toBeGreaterThan(number);
  });
});

describe("mentioned", () => {
  const mentionedIn = async (number: number) =>
    (
      await sql<{ name: string }[]>`select o.name from issue_mention m join owner o on o.id = m.user_id
        join issue i on i.id = m.issue_id join repository r on r.id = i.repository_id
        where r.name = 'hidden' and i.number = ${number} order by o.name`
    ).map(({ name }) => name);

  test("are those who may read, once each, and nobody else", async () => {
    await app.repository(alice, "hidden", { private: true });
    await alice.api.put("/repos/alice/hidden/collaborators/carol", { permission: "read" });
    const made = await alice.api.post<Shown>("/repos/alice/hidden/issues", {
      title: "for @Carol",
      body: "and @bob, @carol, @nobody-at-all\n```\n@alice\n```\n`@root`",
    });
    const { number } = made.body;
    expect(await mentionedIn(number)).toEqual(["carol"]);
    heard.length = 0;
    await alice.api.patch(`/repos/alice/hidden/issues/${number}`, { body: "@root and @carol" });
    expect(await mentionedIn(number)).toEqual(["carol", "root"]);
    expect(told()).toEqual(["issue.rewritten", "issue.mentioned"]);
  });
});

test("what title and text were is kept, with who changed them", async () => {
  const number = await open({ body: "It fell" });
  await edit(bob.api, number, { title: "Two leaves" });
  await edit(alice.api, number, { title: "Three leaves", body: "They fell" });
  await edit(alice.api, number, { state: "closed" });
  const rows = await sql`
    select former_content.title, former_content.body, owner.name from former_content join owner on owner.id = editor_id
    where issue_id = (select id from issue where number = ${number} and repository_id = ${repository.id}) and comment_id is null
    order by former_content.id`;
  expect([...rows]).toEqual([
    { title: "A leaf", body: null, name: "bob" },
    { title: "Two leaves", body: "It fell", name: "alice" },
  ]);
});

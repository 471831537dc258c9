import { beforeAll, describe, expect, test } from "bun:test";
import { redact } from "../../support/redact.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
await app.repository(alice, "tree");
const at = "/repos/alice/tree/issues";
const { sql } = app.forge.database;

interface CommentJson {
  id: number;
  body: string;
  html_url: string;
  updated_at: string;
  user: { login: string } | null;
}

const comment = async (api: typeof alice.api, body: string, number = 1) => {
  const answer = await api.post<CommentJson>(`${at}/${number}/comments`, { body });
  expect(answer.status).toBe(201);
  return answer.body;
};
const bodiesOf = async (path: string, api = alice.api) =>
  (await api.get<CommentJson[]>(path)).body.map(({ body }) => body);
const countOf = async (number = 1) => (await alice.api.get<{ comments: number }>(`${at}/${number}`)).body.comments;

beforeAll(async () => {
  await alice.api.post(at, { title: "A leaf fell" });
  await alice.api.post(at, { title: "A second leaf" });
});

describe("refused", () => {
  test("to nobody, to whom the owner blocked, and without the scope", async () => {
    const eve = await app.user("eve");
    expect((await alice.api.put("/user/block/eve")).status).toBe(204);
    expect((await app.anonymous.post(`${at}/1/comments`, { body: "x" })).status).toBe(401);
    expect((await eve.api.post(`${at}/1/comments`, { body: "x" })).status).toBe(403);
    expect((await (await app.scoped(bob, "write:repository")).post(`${at}/1/comments`, { body: "x" })).status).toBe(
      403,
    );
  });

  test("to whom the author of the issue blocked, unless they may write", async () => {
    const { body } = await bob.api.post<{ number: number }>(at, { title: "Of bob" });
    await bob.api.put("/user/block/carol");
    await bob.api.put("/user/block/alice");
    const to = `${at}/${body.number}/comments`;
    expect(await carol.api.post(to, { body: "x" })).toMatchObject({
      status: 403,
      body: { message: `The author of #${body.number} keeps you away` },
    });
    expect((await alice.api.post(to, { body: "x" })).status).toBe(201);
  });

  test("in a locked conversation, unless they may write", async () => {
    await sql`update issue set locked_at = now() where number = 2`;
    expect(await bob.api.post(`${at}/2/comments`, { body: "x" })).toMatchObject({
      status: 403,
      body: { message: "The conversation of #2 is locked: only those with write access go on" },
    });
    await comment(alice.api, "x", 2);
    await sql`update issue set locked_at = null where number = 2`;
  });

  test("where the issue, its unit or the repository is not there", async () => {
    await app.repository(alice, "off");
    await alice.api.post("/repos/alice/off/issues", { title: "x" });
    await alice.api.patch("/repos/alice/off", { has_issues: false });
    await app.repository(alice, "secret", { private: true });
    await alice.api.post("/repos/alice/secret/issues", { title: "x" });
    for (const path of [`${at}/4711`, "/repos/alice/off/issues/1", "/repos/alice/secret/issues/1"]) {
      expect((await bob.api.post(`${path}/comments`, { body: "x" })).status).toBe(404);
      expect((await bob.api.get(`${path}/comments`)).status).toBe(404);
    }
  });

  test.each([
    ["no text", {}, "body is required"],
    ["an empty text", { body: "" }, "body"],
    ["a text that is none", { body: 5 }, "body"],
  ])("%s", async (_, body, message) => {
    const answer = await alice.api.post<{ message: string }>(`${at}/1/comments`, body);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(message);
  });

  test("a text of more than a megabyte, in an archived repository, and nothing is stored", async () => {
    const tooLong = await alice.api.post(`${at}/1/comments`, { body: "x".repeat(1024 * 1024 + 1) });
    expect([413, 422]).toContain(tooLong.status);
    await alice.api.patch("/repos/alice/tree", { archived: true });
    expect((await alice.api.post(`${at}/1/comments`, { body: "x" })).status).toBe(423);
    await alice.api.patch("/repos/alice/tree", { archived: false });
    expect(await countOf()).toBe(0);
    expect(await bodiesOf(`${at}/1/comments`)).toEqual([]);
  });
});

describe("a comment", () => {
  test("is written by a reader, and counted", async () => {
    await sql`update issue set updated_at = updated_at - interval '1 hour'`;
    const before = (await alice.api.get<{ updated_at: string }>(`${at}/1`)).body.updated_at;
    const { status, body } = await bob.api.post<CommentJson>(`${at}/1/comments`, {
      body: "*Sadly*",
      title: "is not used",
      labels: [4711],
    });
    expect(status).toBe(201);
    expect({ ...(redact(body) as object), user: body.user?.login } as unknown).toEqual({
      assets: [],
      body: "*Sadly*",
      created_at: "<time>",
      html_url: `<url>/alice/tree/issues/1#issuecomment-${body.id}`,
      id: "<id>",
      issue_url: "<url>/alice/tree/issues/1",
      original_author: "",
      original_author_id: 0,
      pull_request_url: "",
      updated_at: "<time>",
      user: "bob",
    });
    expect(await app.anonymous.get(`${at}/comments/${body.id}`)).toMatchObject({ status: 200 });
    expect(await countOf()).toBe(1);
    const after = (await alice.api.get<{ updated_at: string }>(`${at}/1`)).body.updated_at;
    expect(after > before).toBe(true);
    const told = await sql<{ kind: string }[]>`select kind from outbox where kind like 'comment.%' order by id desc`;
    expect(told[0]?.kind).toBe("comment.created");
  });

  test("is edited by its author and by writers, by nobody else, and its former text is kept", async () => {
    const { id } = await comment(bob.api, "first");
    expect((await carol.api.patch(`${at}/comments/${id}`, { body: "no" })).status).toBe(403);
    expect(await bob.api.patch(`${at}/comments/${id}`, { body: "second" })).toMatchObject({
      status: 200,
      body: { id, body: "second", user: { login: "bob" } },
    });
    expect(await alice.api.patch(`${at}/4711/comments/${id}`, { body: "third" })).toMatchObject({
      status: 200,
      body: { body: "third", user: { login: "bob" } },
    });
    // The same text again is no change.
    expect((await bob.api.patch(`${at}/comments/${id}`, { body: "third" })).status).toBe(200);
    const history = await sql`
      select former_content.body, name from former_content join owner on owner.id = editor_id where comment_id = ${id} order by former_content.id`;
    expect([...history] as unknown).toEqual([
      { body: "first", name: "bob" },
      { body: "second", name: "alice" },
    ]);
    expect((await bob.api.patch(`${at}/comments/${id}`, { body: "" })).status).toBe(422);
    expect((await bob.api.patch(`/repos/bob/none/issues/comments/${id}`, { body: "x" })).status).toBe(404);
  });

  test("has the time that an administrator of the repository says", async () => {
    const text = { body: "long ago", updated_at: "2001-02-03T04:05:06Z" };
    expect((await bob.api.post(`${at}/1/comments`, text)).status).toBe(403);
    const { status, body } = await alice.api.post<CommentJson>(`${at}/1/comments`, text);
    const time = "2001-02-03T04:05:06Z";
    expect({ status, body }).toMatchObject({ status: 201, body: { created_at: time, updated_at: time } });
    const again = { body: "ago", updated_at: "2002-02-03T04:05:06Z" };
    expect((await alice.api.patch(`${at}/comments/${body.id}`, { ...again, updated_at: "once" })).status).toBe(422);
    expect(await alice.api.patch(`${at}/comments/${body.id}`, again)).toMatchObject({
      body: { created_at: time, updated_at: "2002-02-03T04:05:06Z" },
    });
    await alice.api.delete(`${at}/comments/${body.id}`);
  });

  test("mentions those who may read it", async () => {
    await app.repository(alice, "closed", { private: true });
    await app.user("dan");
    await alice.api.put("/repos/alice/closed/collaborators/dan");
    await alice.api.post("/repos/alice/closed/issues", { title: "x" });
    const { body } = await alice.api.post<CommentJson>("/repos/alice/closed/issues/1/comments", {
      body: "@dan and @carol, see `@alice`",
    });
    const mentioned = async () =>
      (
        await sql<{ name: string }[]>`select owner.name from issue_mention join owner on owner.id = user_id
          join issue on issue.id = issue_id join repository on repository.id = issue.repository_id
          where repository.name = 'closed' order by owner.name`
      ).map(({ name }) => name);
    expect(await mentioned()).toEqual(["dan"]);
    await alice.api.patch(`/repos/alice/closed/issues/comments/${body.id}`, { body: "@alice" });
    expect(await mentioned()).toEqual(["alice", "dan"]);
  });

  test("of another repository is not there", async () => {
    const { id } = await comment(bob.api, "here");
    await app.repository(bob, "mine");
    for (const method of ["get", "delete"] as const) {
      expect((await bob.api[method](`/repos/bob/mine/issues/comments/${id}`)).status).toBe(404);
    }
    expect((await bob.api.patch(`/repos/bob/mine/issues/comments/${id}`, { body: "x" })).status).toBe(404);
    expect((await bob.api.get(`${at}/comments/${id}`)).status).toBe(200);
  });

  test("is deleted by its author and by writers, by nobody else", async () => {
    const [one, other] = [await comment(bob.api, "one"), await comment(bob.api, "other")];
    const before = await countOf();
    expect((await carol.api.delete(`${at}/comments/${one.id}`)).status).toBe(403);
    expect((await bob.api.delete(`${at}/comments/${one.id}`)).status).toBe(204);
    expect((await bob.api.delete(`${at}/comments/${one.id}`)).status).toBe(404);
    expect((await alice.api.delete(`${at}/4711/comments/${other.id}`)).status).toBe(204);
    expect((await bob.api.get(`${at}/comments/${other.id}`)).status).toBe(404);
    expect(await countOf()).toBe(before - 2);
  });

  test("that is another entry of the timeline has no text", async () => {
    const [row] = await sql<{ id: string }[]>`
      insert into comment (repository_id, issue_id, kind, author_id) select repository_id, id, 'close', ${alice.id} from issue where number = 1 and title = 'A leaf fell' returning id`;
    const path = `${at}/comments/${row?.id}`;
    expect((await bob.api.get(path)).status).toBe(204);
    expect((await bob.api.patch(path, { body: "x" })).status).toBe(403);
    expect((await alice.api.patch(path, { body: "x" })).status).toBe(204);
    expect((await alice.api.delete(path)).status).toBe(204);
    expect((await bob.api.get(path)).status).toBe(204);
  });
});

describe("listed", () => {
  const times = ["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z", "2022-01-01T00:00:00Z"];
  beforeAll(async () => {
    await app.repository(alice, "list");
    await alice.api.post("/repos/alice/list/issues", { title: "one" });
    await alice.api.post("/repos/alice/list/issues", { title: "two" });
    for (const [index, time] of times.entries()) {
      const number = index === 2 ? 2 : 1;
      const { body } = await bob.api.post<CommentJson>(`/repos/alice/list/issues/${number}/comments`, {
        body: `c${index}`,
      });
      await sql`update comment set created_at = ${time}, updated_at = ${time} where id = ${body.id}`;
    }
  });

  const list = "/repos/alice/list/issues/1/comments";
  test.each([
    ["", ["c0", "c1"]],
    ["?since=2020-06-01T00:00:00Z", ["c1"]],
    ["?string=2020-06-01T00:00:00Z", ["c1"]],
    ["?since=2019-06-01T00:00:00Z&string=2020-06-01T00:00:00Z", ["c0", "c1"]],
    ["?before=2020-06-01T00:00:00Z", ["c0"]],
    ["?since=2021-01-01T00:00:00Z&before=2021-01-01T00:00:00Z", ["c1"]],
    ["?limit=1&page=2", ["c1"]],
  ])("of an issue, by %p", async (query, bodies) => {
    expect(await bodiesOf(list + query)).toEqual(bodies);
    expect(await bodiesOf(list.replace("/issues/1", "/issue/1") + query)).toEqual(bodies);
  });

  test("of a repository", async () => {
    const all = "/repos/alice/list/issues/comments";
    expect(await bodiesOf(all)).toEqual(["c0", "c1", "c2"]);
    expect(await bodiesOf(`${all}?since=2021-06-01T00:00:00Z`)).toEqual(["c2"]);
    const page = await alice.api.get(`${all}?limit=2`);
    expect(page.headers.get("x-total-count")).toBe("3");
    await sql`update issue set is_pull = true where number = 2 and repository_id = (select id from repository where name = 'list')`;
    await alice.api.patch("/repos/alice/list", { has_pull_requests: false });
    expect(await bodiesOf(all)).toEqual(["c0", "c1"]);
    await alice.api.patch("/repos/alice/list", { has_pull_requests: true, has_issues: false });
    expect(await bodiesOf(all)).toEqual(["c2"]);
    await alice.api.patch("/repos/alice/list", { has_issues: true });
  });

  test.each(["since", "before", "string"])("not by a time in %s that is none", async (field) => {
    const { status, body } = await alice.api.get<{ message: string }>(`${list}?${field}=yesterday`);
    expect({ status, message: body.message }).toEqual({
      status: 422,
      message: `${field} must be a time in RFC 3339, not "yesterday"`,
    });
  });

  test("after their author is gone", async () => {
    const admin = await app.admin();
    const dora = await app.user("dora");
    await dora.api.post("/repos/alice/list/issues/1/comments", { body: "still here" });
    expect((await admin.api.delete("/admin/users/dora?purge=true")).status).toBe(204);
    expect((await alice.api.get<CommentJson[]>(list)).body.at(-1)).toMatchObject({ body: "still here", user: null });
  });
});

import { beforeAll, describe, expect, test } from "bun:test";
import { openPull, writeFile } from "../../support/pulls.ts";
import { useTestApp } from "../../support/test-app.ts";

interface Comment {
  id: number;
  body: string;
  path: string;
  position: number;
  original_position: number;
  pull_request_review_id: number;
  diff_hunk: string;
  resolver: { login: string } | null;
  user: { login: string } | null;
}

const app = await useTestApp();
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const eve = await app.user("eve");
const site = "alice/site";

beforeAll(async () => {
  await app.repository(alice, "site", { private: true, auto_init: true });
  await alice.api.put(`/repos/${site}/collaborators/bob`, { permission: "read" });
  await alice.api.put(`/repos/${site}/collaborators/carol`, { permission: "read" });
  await writeFile(alice, site, { branch: "main" }, "a.txt", "one\ntwo\nthree\n");
  await writeFile(alice, site, { new_branch: "topic" }, "a.txt", "one\n2\nthree\n");
});

let opened = 0;
/** A pull request of bob with a review of carol that has one comment. */
const open = async () => {
  const head = `topic-${opened++}`;
  await alice.api.post(`/repos/${site}/branches`, { new_branch_name: head, old_branch_name: "topic" });
  const { number, id } = await openPull(bob, site, { head });
  const pull = `/repos/${site}/pulls/${number}`;
  const { body } = await carol.api.post<{ id: number }>(`${pull}/reviews`, {
    event: "COMMENT",
    comments: [{ path: "a.txt", body: "Why?", new_position: 2 }],
  });
  const at = `${pull}/reviews/${body.id}/comments`;
  const comments = async () => (await alice.api.get<Comment[]>(at)).body;
  const [first] = await comments();
  return { id, number, pull, at, comments, first: first?.id ?? 0, reviewId: body.id };
};
const counted = async (id: number) =>
  (await sql<{ count: number }[]>`select review_comments as count from pull where issue_id = ${id}`)[0]?.count;

describe("refused", () => {
  test("to nobody, to strangers and without the scope", async () => {
    const { id, pull, at, first, comments } = await open();
    const reader = await app.scoped(carol, "read:repository");
    for (const [method, path] of [
      ["GET", at],
      ["POST", at],
      ["GET", `${at}/${first}`],
      ["DELETE", `${at}/${first}`],
      ["POST", `${pull}/comments/${first}/replies`],
      ["POST", `/repos/${site}/pulls/comments/${first}/resolve`],
      ["POST", `/repos/${site}/pulls/comments/${first}/unresolve`],
    ] as const) {
      const body = method === "POST" ? { body: { body: "x", path: "a.txt", new_position: 2 } } : {};
      const status = async (api: typeof eve.api) => (await api.request(method, path, body)).status;
      expect([method, path, await status(app.anonymous)]).toEqual([method, path, method === "GET" ? 404 : 401]);
      expect([method, path, await status(eve.api)]).toEqual([method, path, 404]);
      expect([method, path, await status(reader)]).toEqual([method, path, method === "GET" ? 200 : 403]);
    }
    expect([(await comments()).length, await counted(id)]).toEqual([1, 1]);
  });

  test("a comment of another review, of another pull request, and one that is not there", async () => {
    const one = await open();
    const other = await open();
    for (const id of [other.first, 4711]) {
      expect((await alice.api.get(`${one.at}/${id}`)).status).toBe(404);
      expect((await alice.api.delete(`${one.at}/${id}`)).status).toBe(404);
      expect((await alice.api.post(`${one.pull}/comments/${id}/replies`, { body: "x" })).status).toBe(404);
    }
    for (const verb of ["resolve", "unresolve"]) {
      expect((await alice.api.post(`/repos/${site}/pulls/comments/4711/${verb}`)).status).toBe(404);
    }
    const { body: plain } = await alice.api.post<{ id: number }>(`/repos/${site}/issues/${one.number}/comments`, {
      body: "x",
    });
    expect((await alice.api.post(`/repos/${site}/pulls/comments/${plain.id}/resolve`)).status).toBe(404);
    expect((await alice.api.post(`${one.pull}/comments/${plain.id}/replies`, { body: "x" })).status).toBe(404);
    expect((await other.comments()).length).toBe(1);
  });

  test.each([
    ["no text", { path: "a.txt", new_position: 2 }, "body"],
    ["no file", { body: "x", new_position: 2 }, "path"],
    ["no line", { body: "x", path: "a.txt" }, "new_position"],
    ["a file that does not change", { body: "x", path: "README.md", new_position: 1 }, "path"],
    ["a line that the diff does not show", { body: "x", path: "a.txt", old_position: 4 }, "old_position"],
    ["a text that is too long", { body: "x".repeat(65_536), path: "a.txt", new_position: 2 }, "body"],
  ])("%s", async (_, fields, field) => {
    const { at, id, comments } = await open();
    const { status, body } = await carol.api.post<{ message: string }>(at, fields);
    expect({ status, message: body.message }).toEqual({
      status: 422,
      message: expect.stringContaining(field) as string,
    });
    expect([(await comments()).length, await counted(id)]).toEqual([1, 1]);
  });

  test("a reply that is empty, and one in a locked conversation", async () => {
    const { pull, number, first, comments } = await open();
    const reply = async (api: typeof bob.api, body: string) =>
      (await api.post(`${pull}/comments/${first}/replies`, { body })).status;
    expect(await reply(bob.api, " ")).toBe(422);
    await alice.api.put(`/repos/${site}/issues/${number}/lock`, {});
    expect(await reply(bob.api, "x")).toBe(403);
    expect((await comments()).length).toBe(1);
  });

  test("to resolve, to readers other than the author of the pull request; to delete, to readers other than its author", async () => {
    const { at, first, comments } = await open();
    expect((await carol.api.post(`/repos/${site}/pulls/comments/${first}/resolve`)).status).toBe(403);
    expect((await bob.api.delete(`${at}/${first}`)).status).toBe(403);
    expect((await comments()).map(({ resolver }) => resolver)).toEqual([null]);
  });
});

test("a review has so many comments that a list of them needs no pages", async () => {
  const { at, pull, first, id, reviewId } = await open();
  await sql`insert into comment (repository_id, issue_id, kind, author_id, body, review_id)
    select repository_id, id, 'code', ${carol.id}, 'x', ${reviewId} from issue, generate_series(1, 1999) where id = ${id}`;
  expect((await carol.api.post(at, { path: "a.txt", body: "x", new_position: 2 })).status).toBe(422);
  expect((await carol.api.post(`${pull}/comments/${first}/replies`, { body: "x" })).status).toBe(422);
});

test("a comment is added to a review that was submitted, on either side, and found", async () => {
  const { at, id, comments, reviewId } = await open();
  const { status, body } = await carol.api.post<Comment>(at, {
    body: "Was good",
    path: "a.txt",
    old_position: 2,
    new_position: 1,
  });
  expect({ status, side: [body.position, body.original_position], review: body.pull_request_review_id }).toEqual({
    status: 200,
    side: [0, 2],
    review: reviewId,
  });
  expect(body.diff_hunk).toBe("@@ -1,2 +1 @@\n one\n-two");
  expect((await bob.api.get<Comment>(`${at}/${body.id}`)).body).toEqual(body);
  expect([(await comments()).length, await counted(id)]).toEqual([2, 2]);
});

test("a reply is where its comment is, and they are resolved together", async () => {
  const { at, pull, id, first, comments, number } = await open();
  const { status, body } = await bob.api.post<Comment>(`${pull}/comments/${first}/replies`, { body: "Because" });
  expect({ status, body: [body.body, body.user?.login, body.path, body.position] }).toEqual({
    status: 201,
    body: ["Because", "bob", "a.txt", 2],
  });
  const resolve = async (comment: number, verb = "resolve") =>
    (await bob.api.post(`/repos/${site}/pulls/comments/${comment}/${verb}`)).status;
  const resolvers = async () => (await comments()).map(({ resolver }) => resolver?.login);
  expect(await resolve(body.id)).toBe(204);
  expect(await resolve(first)).toBe(204);
  expect(await resolvers()).toEqual(["bob", "bob"]);
  const { body: timeline } = await alice.api.get<{ type: string; resolve_doer: { login: string } | null }[]>(
    `/repos/${site}/issues/${number}/timeline`,
  );
  expect(timeline.map(({ type, resolve_doer: doer }) => [type, doer?.login])).toEqual([
    ["code", "bob"],
    ["review", undefined],
    ["code", "bob"],
  ]);
  expect(await resolve(first, "unresolve")).toBe(204);
  expect(await resolve(first, "unresolve")).toBe(204);
  expect(await resolvers()).toEqual([undefined, undefined]);
  expect((await carol.api.delete(`${at}/${first}`)).status).toBe(204);
  expect((await comments()).map(({ body: text }) => text)).toEqual(["Because"]);
  expect(await counted(id)).toBe(1);
});

test("a comment on a line is edited as other comments are", async () => {
  const { at, first } = await open();
  const path = `/repos/${site}/issues/comments/${first}`;
  expect((await bob.api.patch(path, { body: "x" })).status).toBe(403);
  expect((await carol.api.patch(path, { body: "How?" })).status).toBe(200);
  expect((await alice.api.get<Comment>(`${at}/${first}`)).body.body).toBe("How?");
});

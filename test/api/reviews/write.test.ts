import { beforeAll, describe, expect, test } from "bun:test";
import { hearEvents } from "../../support/hear-events.ts";
import { openPull, writeFile } from "../../support/pulls.ts";
import { redact } from "../../support/redact.ts";
import { useTestApp } from "../../support/test-app.ts";

interface Review {
  id: number;
  state: string;
  body: string;
  commit_id: string;
  comments_count: number;
  official: boolean;
  stale: boolean;
  dismissed: boolean;
  user: { login: string } | null;
  html_url: string;
}

const app = await useTestApp();
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const eve = await app.user("eve");
const site = "alice/site";
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join("");

/** A pull request of bob, who may read; carol may write. */
let head = "";
beforeAll(async () => {
  await app.repository(alice, "site", { private: true, auto_init: true });
  await alice.api.put(`/repos/${site}/collaborators/bob`, { permission: "write" });
  await alice.api.put(`/repos/${site}/collaborators/carol`, { permission: "read" });
  await writeFile(alice, site, { branch: "main" }, "a.txt", lines(1, 20));
  head = await writeFile(alice, site, { new_branch: "topic" }, "a.txt", `${lines(1, 9)}ten\n${lines(11, 20)}`);
});
let opened = 0;
const open = async () => {
  const branch = `topic-${opened++}`;
  await alice.api.post(`/repos/${site}/branches`, { new_branch_name: branch, old_branch_name: "topic" });
  const { number, id } = await openPull(bob, site, { head: branch });
  return { id, number, at: `/repos/${site}/pulls/${number}/reviews` };
};
const shown = (body: object) => JSON.parse(JSON.stringify(redact(body)).replaceAll(head, "<head>")) as unknown;
const heard = hearEvents();
const told = (issueId: number) =>
  heard.flatMap((event) =>
    "issue" in event && event.issue.id === issueId && event.kind.startsWith("review.") ? event.kind : [],
  );
const states = async (at: string, user = alice) =>
  (await user.api.get<Review[]>(at)).body.map(({ state, user: author }) => [state, author?.login]);

describe("refused", () => {
  test("to whoever may not read, has not the scope, or is nobody", async () => {
    const { at } = await open();
    const { id } = (await alice.api.post<Review>(at, { event: "COMMENT", body: "Fine" })).body;
    const reader = await app.scoped(alice, "read:repository");
    for (const [method, path] of [
      ["GET", ""],
      ["POST", ""],
      ["GET", `/${id}`],
      ["POST", `/${id}`],
      ["DELETE", `/${id}`],
      ["POST", `/${id}/dismissals`],
      ["POST", `/${id}/undismissals`],
    ] as const) {
      const body = method === "POST" ? { body: { event: "APPROVED", body: "x" } } : {};
      const status = async (api: typeof eve.api) => (await api.request(method, at + path, body)).status;
      expect([method, path, await status(app.anonymous)]).toEqual([method, path, method === "GET" ? 404 : 401]);
      expect([method, path, await status(eve.api)]).toEqual([method, path, 404]);
      expect([method, path, await status(reader)]).toEqual([method, path, method === "GET" ? 200 : 403]);
    }
    expect(await states(at)).toEqual([["COMMENT", "alice"]]);
  });

  test("a pull request, or a review, that is not there, and an issue", async () => {
    const { at } = await open();
    const other = await open();
    const { id } = (await alice.api.post<Review>(other.at, { event: "COMMENT", body: "Fine" })).body;
    const issue = (await alice.api.post<{ number: number }>(`/repos/${site}/issues`, { title: "None" })).body;
    for (const path of [
      `/repos/${site}/pulls/4711/reviews`,
      `/repos/${site}/pulls/${issue.number}/reviews`,
      `${at}/${id}`,
      `${at}/4711`,
      `${at}/${id}/comments`,
    ]) {
      expect([path, (await alice.api.get(path)).status]).toEqual([path, 404]);
      expect([path, (await alice.api.post(path, { event: "COMMENT", body: "x" })).status]).toEqual([path, 404]);
    }
    expect((await alice.api.delete(`${at}/${id}`)).status).toBe(404);
    expect((await alice.api.post(`${at}/${id}/dismissals`, {})).status).toBe(404);
    expect(await states(other.at)).toEqual([["COMMENT", "alice"]]);
  });

  test.each([
    ["an event that is none", { event: "APPROVE", body: "x" }, "event must be one of"],
    ["an event of another kind", { event: "REQUEST_REVIEW", body: "x" }, "event must be one of"],
    ["a comment that is empty", { event: "COMMENT", body: " \n" }, "body: a review has a body"],
    ["a request for changes without any", { event: "REQUEST_CHANGES" }, "body: a review that requests changes"],
    ["a beginning that is empty", {}, "body: a review has a body"],
    ["a commit of another history", { event: "APPROVED", commit_id: "1".repeat(40) }, "commit_id"],
    ["a commit that is none", { event: "APPROVED", commit_id: "topic" }, "commit_id"],
    ["a file that does not change", { comments: [{ path: "README.md", body: "x", new_position: 1 }] }, "path"],
    ["a file that is none", { comments: [{ path: "no/such\0file", body: "x", new_position: 1 }] }, "path"],
    ["a comment on no file", { comments: [{ body: "x", new_position: 1 }] }, "path: a comment"],
    ["a comment on no line", { comments: [{ path: "a.txt", body: "x" }] }, "new_position"],
    ["a line before the first", { comments: [{ path: "a.txt", body: "x", old_position: -1 }] }, "old_position"],
    [
      "a line outside of the diff",
      { comments: [{ path: "a.txt", body: "x", new_position: 1 }] },
      "new_position: the diff",
    ],
    [
      "a line of the base outside of the diff",
      { comments: [{ path: "a.txt", body: "x", old_position: 20 }] },
      "old_position: the diff",
    ],
    ["a line after the last", { comments: [{ path: "a.txt", body: "x", new_position: 2 ** 40 }] }, "new_position"],
    ["a comment without text", { comments: [{ path: "a.txt", body: "\t", new_position: 10 }] }, "body"],
  ])("%s", async (_, fields, message) => {
    const { at, id } = await open();
    const good = { path: "a.txt", body: "Good", new_position: 10 };
    const both = "comments" in fields ? { event: "COMMENT", comments: [good, ...fields.comments] } : fields;
    const { status, body } = await alice.api.post<{ message: string }>(at, both);
    expect({ status, message: body.message }).toEqual({
      status: 422,
      message: expect.stringContaining(message) as string,
    });
    expect(await states(at)).toEqual([]);
    expect(told(id)).toEqual([]);
  });

  test("a decision about one's own pull request, and about one that is closed; comments are not", async () => {
    const { at, number } = await open();
    for (const event of ["APPROVED", "REQUEST_CHANGES"]) {
      const { status, body } = await bob.api.post<{ message: string }>(at, { event, body: "x" });
      expect({ status, message: body.message }).toEqual({
        status: 422,
        message: expect.stringContaining("event") as string,
      });
    }
    await alice.api.patch(`/repos/${site}/issues/${number}`, { state: "closed" });
    expect((await alice.api.post(at, { event: "APPROVED" })).status).toBe(422);
    expect((await alice.api.post(at, { event: "REQUEST_CHANGES", body: "x" })).status).toBe(422);
    expect(await states(at)).toEqual([]);
    expect((await bob.api.post(at, { event: "COMMENT", body: "Well" })).status).toBe(200);
  });

  test("in a locked conversation, to those who may not write", async () => {
    const { at, number } = await open();
    await alice.api.put(`/repos/${site}/issues/${number}/lock`, {});
    expect((await carol.api.post(at, { event: "COMMENT", body: "x" })).status).toBe(403);
    expect(await states(at)).toEqual([]);
    expect((await alice.api.post(at, { event: "COMMENT", body: "x" })).status).toBe(200);
  });
});

test("a review has its body, its comments and its place in the timeline", async () => {
  const { at, id, number } = await open();
  const { status, body } = await alice.api.post<Review>(at, {
    event: "REQUEST_CHANGES",
    body: "Not yet, @carol",
    comments: [
      { path: "a.txt", body: "Why?", new_position: 10 },
      { path: "a.txt", body: "It was good", old_position: 10 },
    ],
  });
  expect({ status, body: shown(body) }).toMatchSnapshot();
  expect(body).toMatchObject({
    state: "REQUEST_CHANGES",
    commit_id: head,
    comments_count: 2,
    official: true,
    stale: false,
  });
  const { body: comments } = await bob.api.get<object[]>(`${at}/${body.id}/comments`);
  expect(comments.map((one) => shown(one))).toMatchSnapshot();
  expect(told(id)).toEqual(["review.submitted"]);
  const { body: timeline } = await bob.api.get<{ id: number; type: string; body: string; review_id: number }[]>(
    `/repos/${site}/issues/${number}/timeline`,
  );
  expect(timeline.map(({ type, body: text, review_id }) => [type, text, review_id])).toEqual([
    ["code", "Why?", body.id],
    ["code", "It was good", body.id],
    ["review", "Not yet, @carol", body.id],
  ]);
  expect(body.html_url).toEndWith(`/alice/site/pulls/${number}#issuecomment-${timeline[2]?.id}`);
  const [row] = await sql`select review_comments from pull where issue_id = ${id}`;
  expect(row?.["review_comments"]).toBe(2);
  const mentioned = await sql`select 1 from issue_mention where issue_id = ${id} and user_id = ${carol.id}`;
  expect(mentioned.length).toBe(1);
});

test("a review that is begun is known to its author alone, grows, and is submitted", async () => {
  const { at, id, number } = await open();
  const begun = await carol.api.post<Review>(at, { comments: [{ path: "a.txt", body: "First", new_position: 10 }] });
  expect(begun.body).toMatchObject({ state: "PENDING", comments_count: 1, official: false });
  const { id: reviewId } = begun.body;
  for (const user of [alice, bob]) {
    expect(await states(at, user)).toEqual([]);
    expect((await user.api.get(at)).headers.get("x-total-count")).toBe("0");
    for (const path of [`${at}/${reviewId}`, `${at}/${reviewId}/comments`]) {
      expect((await user.api.get(path)).status).toBe(404);
    }
    expect((await user.api.post(`${at}/${reviewId}`, { event: "COMMENT", body: "x" })).status).toBe(404);
    expect((await user.api.delete(`${at}/${reviewId}`)).status).toBe(404);
    expect((await user.api.get<object[]>(`/repos/${site}/issues/${number}/timeline`)).body).toEqual([]);
  }
  const [comment] = (await carol.api.get<{ id: number }[]>(`${at}/${reviewId}/comments`)).body;
  for (const path of ["", "/reactions", "/assets"]) {
    expect((await alice.api.get(`/repos/${site}/issues/comments/${comment?.id}${path}`)).status).toBe(404);
  }
  expect((await alice.api.get(`${at}/${reviewId}/comments/${comment?.id}`)).status).toBe(404);
  expect((await alice.api.post(`/repos/${site}/pulls/comments/${comment?.id}/resolve`)).status).toBe(404);
  expect((await alice.api.patch(`/repos/${site}/issues/comments/${comment?.id}`, { body: "x" })).status).toBe(404);
  expect(told(id)).toEqual([]);

  const more = await carol.api.post<Review>(at, {
    body: "So far",
    comments: [{ path: "a.txt", body: "Second", new_position: 11 }],
  });
  expect(more.body).toMatchObject({ id: reviewId, state: "PENDING", comments_count: 2, body: "So far" });
  for (const event of ["PENDING", "", "APPROVE"]) {
    expect((await carol.api.post(`${at}/${reviewId}`, { event })).status).toBe(422);
  }
  const sent = await carol.api.post<Review>(`${at}/${reviewId}`, { event: "COMMENT" });
  expect(sent.body).toMatchObject({
    id: reviewId,
    state: "COMMENT",
    body: "So far",
    comments_count: 2,
    official: false,
  });
  expect(await states(at, bob)).toEqual([["COMMENT", "carol"]]);
  expect((await carol.api.post(`${at}/${reviewId}`, { event: "COMMENT" })).status).toBe(422);
  expect(told(id)).toEqual(["review.submitted"]);
});

test("whoever has begun a review and decides submits it with all that it has", async () => {
  const { at } = await open();
  await alice.api.post(at, { body: "Begun", comments: [{ path: "a.txt", body: "First", new_position: 10 }] });
  const { body } = await alice.api.post<Review>(at, { event: "APPROVED" });
  expect(body).toMatchObject({ state: "APPROVED", body: "Begun", comments_count: 1 });
  expect(await states(at)).toEqual([["APPROVED", "alice"]]);
});

test("a decision takes the place of the former one; reviews of readers are not official", async () => {
  const { at } = await open();
  await alice.api.post(at, { event: "APPROVED" });
  await carol.api.post(at, { event: "APPROVED" });
  await alice.api.post(at, { event: "COMMENT", body: "Hm" });
  await alice.api.post(at, { event: "REQUEST_CHANGES", body: "No" });
  const { body } = await bob.api.get<Review[]>(at);
  expect(body.map(({ state, official, dismissed }) => [state, official, dismissed])).toEqual([
    ["APPROVED", false, true],
    ["APPROVED", false, false],
    ["COMMENT", false, false],
    ["REQUEST_CHANGES", true, false],
  ]);
  const page = await bob.api.get<Review[]>(`${at}?limit=2&page=2`);
  expect(page.body.map(({ state }) => state)).toEqual(["COMMENT", "REQUEST_CHANGES"]);
  expect(page.headers.get("x-total-count")).toBe("4");
});

test("where a list says who approves, nobody else's review is official", async () => {
  await alice.api.post(`/repos/${site}/branch_protections`, {
    rule_name: "main",
    enable_approvals_whitelist: true,
    approvals_whitelist_username: ["carol"],
  });
  const { at } = await open();
  await carol.api.post(at, { event: "APPROVED" });
  await alice.api.post(at, { event: "APPROVED" });
  expect((await bob.api.get<Review[]>(at)).body.map(({ official }) => official)).toEqual([true, false]);
  await alice.api.delete(`/repos/${site}/branch_protections/main`);
});

test("a review is deleted by its author and by site administrators, with its comments", async () => {
  const { at, id } = await open();
  const make = async () =>
    (
      await carol.api.post<Review>(at, {
        event: "COMMENT",
        body: "x",
        comments: [{ path: "a.txt", body: "y", new_position: 10 }],
      })
    ).body.id;
  const first = await make();
  expect((await bob.api.delete(`${at}/${first}`)).status).toBe(403);
  // Nor does an administrator of the repository, who may be the one that the review is about.
  const refused = await alice.api.delete<{ message: string }>(`${at}/${first}`);
  expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining("site administrators")]);
  expect(await states(at)).toEqual([["COMMENT", "carol"]]);
  expect((await carol.api.delete(`${at}/${first}`)).status).toBe(204);
  expect((await carol.api.delete(`${at}/${first}`)).status).toBe(404);
  const root = await app.user("review-root", { isAdmin: true });
  expect((await root.api.delete(`${at}/${await make()}`)).status).toBe(204);
  expect(await states(at)).toEqual([]);
  expect(told(id).filter((kind) => kind === "review.deleted").length).toBe(2);
  const [row] =
    await sql`select review_comments, (select count(*) from comment where issue_id = ${id}) as entries from pull where issue_id = ${id}`;
  expect({ ...row }).toEqual({ review_comments: 0, entries: "0" });
});

test("a decision is dismissed and counts again, by administrators alone", async () => {
  const { at, id, number } = await open();
  const approval = (await carol.api.post<Review>(at, { event: "APPROVED" })).body;
  const comment = (await carol.api.post<Review>(at, { event: "COMMENT", body: "x" })).body;
  for (const verb of ["dismissals", "undismissals"]) {
    expect((await bob.api.post(`${at}/${approval.id}/${verb}`, {})).status).toBe(403);
    expect((await alice.api.post(`${at}/${comment.id}/${verb}`, {})).status).toBe(403);
  }
  const dismiss = () => alice.api.post<Review>(`${at}/${approval.id}/dismissals`, { message: "Too early" });
  expect((await dismiss()).body).toMatchObject({ id: approval.id, state: "APPROVED", dismissed: true });
  expect((await dismiss()).status).toBe(200);
  const undo = () => alice.api.post<Review>(`${at}/${approval.id}/undismissals`);
  expect((await undo()).body).toMatchObject({ dismissed: false });
  expect((await undo()).status).toBe(200);
  expect(told(id)).toEqual(["review.submitted", "review.submitted", "review.dismissed", "review.undismissed"]);
  const { body: timeline } = await bob.api.get<{ type: string; body: string; review_id: number }[]>(
    `/repos/${site}/issues/${number}/timeline`,
  );
  expect(timeline.map(({ type, body, review_id }) => [type, body, review_id]).slice(2)).toEqual([
    ["dismiss_review", "Too early", approval.id],
  ]);
  await alice.api.patch(`/repos/${site}/issues/${number}`, { state: "closed" });
  expect((await dismiss()).status).toBe(403);
});

test("the author of the pull request, reviewers and mentioned users hear of a review", async () => {
  const { at, id } = await open();
  await carol.api.post(at, { event: "COMMENT", body: "x" });
  await alice.api.post(at, { event: "APPROVED" });
  const rows = await sql<{ user_id: string; reason: string }[]>`
    select user_id, reason from notification where issue_id = ${id} and subject = 'pull' order by user_id`;
  const reasons = Object.fromEntries(rows.map(({ user_id, reason }) => [user_id, reason]));
  expect(reasons[bob.id]).toBe("wrote");
  expect(reasons[carol.id]).toBe("commented");
});

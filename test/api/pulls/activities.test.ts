import { beforeAll, describe, expect, test } from "bun:test";
import { PullsOf } from "../../support/merges.ts";
import { useTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

/** What is done with pull requests and issues is in the feeds of activities. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const eve = await app.user("eve");
await app.organization("forge", alice);
const at = "/repos/forge/site";
const site = new PullsOf(app, alice, "forge/site");

beforeAll(async () => {
  await alice.api.post("/orgs/forge/repos", { name: "site" });
  await site.write("a.txt", "one\n");
  await alice.api.put(`${at}/collaborators/bob`, { permission: "write" });
});

interface Deed {
  id: number;
  op_type: string;
  content: string;
  ref_name: string;
  act_user: { login: string };
  comment_id: number;
  comment: { id: number; body: string; user: { login: string }; pull_request_url: string } | null;
}

const feed = async (api = alice.api) => (await api.get<Deed[]>(`${at}/activities/feeds?limit=50`)).body;
/** What is in the feed besides moved refs, since then. */
const since = async (before: readonly Deed[], api = alice.api) => {
  const known = new Set(before.map(({ id }) => id));
  return (await feed(api))
    .filter(({ id, ref_name }) => !known.has(id) && ref_name === "")
    .map(({ op_type, content, act_user }) => `${act_user.login} ${op_type} ${content}`)
    .toReversed();
};

describe("deeds of pull requests", () => {
  test("stay with those who may read them, and their code", async () => {
    const before = await feed();
    const { number } = await site.open(await site.branch(), { title: "Secret" });
    const mine = [`alice create_pull_request ${number}|Secret`];
    const teamOf = async (units: Record<string, string>) => {
      const { body } = await alice.api.post<{ id: number }>("/orgs/forge/teams", {
        name: crypto.randomUUID().slice(0, 20),
        units_map: units,
      });
      await alice.api.put(`/teams/${body.id}/repos/forge/site`);
      await alice.api.put(`/teams/${body.id}/members/eve`);
      return () => alice.api.delete(`/teams/${body.id}`);
    };
    expect(await since(before, eve.api)).toEqual(mine);
    await alice.api.patch(at, { private: true });
    expect((await eve.api.get(`${at}/activities/feeds`)).status).toBe(404);
    for (const [units, told] of [
      [{ "repo.issues": "read" }, []],
      [{ "repo.pulls": "read" }, []],
      [{ "repo.code": "read" }, []],
      [{ "repo.pulls": "read", "repo.code": "read" }, mine],
    ] as const) {
      const remove = await teamOf(units);
      expect({ units, told: await since(before, eve.api) }).toEqual({ units, told: [...told] });
      await remove();
    }
    await alice.api.patch(at, { private: false, has_pull_requests: false });
    expect(await since(before)).toEqual([]);
    await alice.api.patch(at, { has_pull_requests: true });
  });

  test("are what the family calls them", async () => {
    const before = await feed();
    const { number } = await site.open(await site.branch(), { title: "WIP: Better" });
    const pull = `${at}/pulls/${number}`;
    await alice.api.patch(pull, { title: "Better" });
    const review = (event: string, body: string) => bob.api.post<{ id: number }>(`${pull}/reviews`, { event, body });
    await review("COMMENT", "A word\nand another one");
    await review("REQUEST_CHANGES", "No");
    const { body: approval } = await review("APPROVED", "");
    await alice.api.post(`${pull}/reviews/${approval.id}/dismissals`, { message: "Later" });
    const comment = await bob.api.post<{ id: number }>(`${at}/issues/${number}/comments`, { body: "Line 1\nLine 2" });
    await alice.api.patch(pull, { state: "closed" });
    await alice.api.patch(pull, { state: "open" });
    expect((await site.merge(number, {})).status).toBe(200);
    expect(await since(before)).toEqual([
      `alice create_pull_request ${number}|Better`,
      `alice pull_request_ready_for_review ${number}|Better`,
      `bob comment_pull ${number}|A word`,
      `bob reject_pull_request ${number}|No`,
      `bob approve_pull_request ${number}|`,
      `alice pull_review_dismissed ${number}|bob|Later`,
      `bob comment_pull ${number}|Line 1\nLine 2`,
      `alice close_pull_request ${number}|`,
      `alice reopen_pull_request ${number}|`,
      `alice merge_pull_request ${number}|Better`,
    ]);
    const told = (await feed()).find(({ comment_id }) => comment_id === comment.body.id);
    expect(told?.comment).toMatchObject({
      id: comment.body.id,
      body: "Line 1\nLine 2",
      user: { login: "bob" },
      pull_request_url: expect.stringContaining(`/forge/site/pulls/${number}`) as never,
    });
    // What is deleted is told nobody any more.
    await bob.api.delete(`${at}/issues/comments/${comment.body.id}`);
    const after = (await feed()).find(({ id }) => id === told?.id);
    expect([after?.content, after?.comment, after?.comment_id]).toEqual([`${number}|`, null, 0]);
  });

  test("a merge that waited for its checks is told as one", async () => {
    const { number, head } = await site.open(await site.branch(), { title: "Waits" });
    const before = await feed();
    const status = (state: string) => alice.api.post(`${at}/statuses/${head.sha}`, { context: "ci", state });
    await status("pending");
    expect((await site.merge(number, { merge_when_checks_succeed: true })).status).toBe(201);
    expect(await since(before)).toEqual([]);
    await status("success");
    await until("it is merged", async () => (await alice.api.get(`${at}/pulls/${number}/merge`)).status === 204);
    expect(await since(before)).toEqual([`alice auto_merge_pull_request ${number}|Waits`]);
  });
});

test("deeds of issues", async () => {
  const before = await feed();
  const { body } = await bob.api.post<{ number: number }>(`${at}/issues`, { title: "Broken" });
  const issue = `${at}/issues/${body.number}`;
  await bob.api.post(`${issue}/comments`, { body: `${"x".repeat(300)}` });
  await alice.api.patch(issue, { state: "closed" });
  await alice.api.patch(issue, { state: "open", title: "Still broken" });
  const told = await since(before);
  expect(told).toEqual([
    `bob create_issue ${body.number}|Still broken`,
    expect.stringMatching(new RegExp(`^bob comment_issue ${body.number}\\|x{1,200}…?$`)) as never,
    `alice close_issue ${body.number}|`,
    `alice reopen_issue ${body.number}|`,
  ]);
  await alice.api.delete(issue);
  expect((await since(before))[0]).toBe(`bob create_issue ${body.number}|`);
});

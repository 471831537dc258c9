import { beforeAll, describe, expect, test } from "bun:test";
import { hearEvents } from "../../support/hear-events.ts";
import { commitFile, type PullJson } from "../../support/pulls.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const eve = await app.user("eve");
const { sql } = app.forge.database;
const site = await app.repository(alice, "site");
const at = "/repos/alice/site/pulls";
let made = 0;

beforeAll(async () => {
  await commitFile(alice, "alice/site", { path: "a.txt", text: "one\n" });
  await commitFile(alice, "alice/site", { path: "n.txt", text: "next\n", branch: "next", from: "main" });
  await bob.api.post("/repos/alice/site/forks", {});
});

/** Opens a pull request of Bob's, who may only read, from a branch of his fork. */
async function open(fields: object = {}): Promise<{ number: number; head: string }> {
  const head = `head-${++made}`;
  await commitFile(bob, "bob/site", { path: `${head}.txt`, text: "one\n", branch: head, from: "main" });
  const { body } = await bob.api.post<PullJson>(at, {
    title: "A change",
    base: "main",
    head: `bob:${head}`,
    ...fields,
  });
  return { number: body.number, head };
}
const edit = (client: typeof alice.api, number: number, fields: object) =>
  client.patch<PullJson>(`${at}/${number}`, fields);
const shown = async (number: number) => (await alice.api.get<PullJson>(`${at}/${number}`)).body;
const heard = hearEvents();
const told = (number: number) =>
  heard
    .flatMap((event) =>
      "issue" in event && event.issue.number === number && event.repository.id === site.id ? event.kind : [],
    )
    .slice(1);

/** Marks a pull request as merged, without a merge. */
async function pretendMerged(number: number): Promise<void> {
  await sql`update issue set closed_at = now() where repository_id = ${site.id} and number = ${number}`;
  await sql`update pull set merged_at = now(), merge_commit_oid = head_oid, merge_style = 'merge'
    where issue_id = (select id from issue where repository_id = ${site.id} and number = ${number})`;
}

describe("refused", () => {
  test("to nobody, to strangers, without the scope; and nothing is changed", async () => {
    const { number } = await open();
    expect((await edit(app.anonymous, number, { title: "x" })).status).toBe(401);
    expect((await edit(eve.api, number, { title: "x" })).body.message).toBe(
      '"title" needs write access to the pull requests of the repository',
    );
    expect((await edit(eve.api, number, {})).status).toBe(403);
    expect((await edit(await app.scoped(bob, "write:issue"), number, { title: "x" })).status).toBe(403);
    expect((await edit(eve.api, 999, { title: "x" })).status).toBe(404);
    expect(await shown(number)).toMatchObject({ title: "A change" });
    expect(told(number)).toEqual([]);
  });

  test("an issue is none", async () => {
    const { body } = await alice.api.post<{ number: number }>("/repos/alice/site/issues", { title: "An issue" });
    expect((await edit(alice.api, body.number, { title: "x" })).status).toBe(404);
    expect((await alice.api.get(`${at}/${body.number}`)).status).toBe(404);
  });

  test.each([
    ["assignees", { assignees: ["alice"] }],
    ["assignees", { assignee: "alice" }],
    ["milestone", { milestone: 1 }],
    ["due_date", { due_date: "2030-01-01T00:00:00Z" }],
    ["due_date", { unset_due_date: true }],
  ])("%s to its author", async (field, fields) => {
    const { status, body } = await edit(bob.api, (await open()).number, fields);
    expect({ status, message: body.message }).toEqual({
      status: 403,
      message: `"${field}" needs write access to the pull requests of the repository`,
    });
  });

  test("labels to its author, and a base to strangers", async () => {
    const { number } = await open();
    expect((await edit(bob.api, number, { labels: [] })).status).toBe(403);
    expect((await edit(eve.api, number, { base: "next" })).body.message).toBe(
      '"base" needs write access to the pull requests of the repository',
    );
    expect((await shown(number)).base.ref).toBe("main");
  });

  test.each([
    ["an unknown base", { base: "nowhere" }, 404, 'There is no branch "nowhere"'],
    ["another state", { state: "merged" }, 422, 'A state is "open" or "closed", not "merged"'],
    ["a label of another repository", { labels: [999] }, 422, "The repository has no label 999"],
    ["an unknown assignee", { assignees: ["nobody-here"] }, 422, 'Nothing can be assigned to "nobody-here" here'],
    ["an unknown milestone", { milestone: 999 }, 422, "The repository has no milestone 999"],
  ])("%s", async (_, fields, status, message) => {
    const { number } = await open();
    const answer = await edit(alice.api, number, { title: "Another", ...fields });
    expect({ status: answer.status, message: answer.body.message }).toEqual({ status, message });
    expect((await shown(number)).title).toBe("A change");
  });

  test("a base that is the head", async () => {
    const { body } = await alice.api.post<PullJson>(at, { title: "Next", base: "main", head: "next" });
    const answer = await edit(alice.api, body.number, { base: "next" });
    expect({ status: answer.status, message: answer.body.message }).toEqual({
      status: 422,
      message: "The base would be the head: a pull request is from one branch to another one",
    });
    await edit(alice.api, body.number, { state: "closed" });
  });

  test("a base of a closed one, and one that another has with the same head", async () => {
    const { number, head } = await open();
    const other = await bob.api.post<PullJson>(at, { title: "x", base: "next", head: `bob:${head}` });
    const taken = await edit(bob.api, number, { base: "next" });
    expect({ status: taken.status, message: taken.body.message }).toEqual({
      status: 409,
      message: `There is an open pull request from "${head}" to "next": #${other.body.number}`,
    });
    await edit(bob.api, number, { state: "closed" });
    expect((await edit(bob.api, number, { base: "next" })).status).toBe(422);
    expect((await shown(number)).base.ref).toBe("main");
  });

  test("reopening one whose branches another open one has, over both addresses", async () => {
    const { number, head } = await open();
    await edit(bob.api, number, { state: "closed" });
    await bob.api.post(at, { title: "x", base: "main", head: `bob:${head}` });
    expect((await edit(bob.api, number, { state: "open" })).status).toBe(409);
    expect((await bob.api.patch(`/repos/alice/site/issues/${number}`, { state: "open" })).status).toBe(409);
    expect((await shown(number)).state).toBe("closed");
  });

  test("another state or base of a merged one", async () => {
    const { number } = await open();
    await pretendMerged(number);
    for (const fields of [{ state: "open" }, { state: "closed" }, { base: "next" }]) {
      const { status, body } = await edit(alice.api, number, fields);
      expect({ status, message: body.message }).toEqual({
        status: 412,
        message: `Pull request #${number} was merged, which cannot be changed`,
      });
    }
    expect((await alice.api.patch(`/repos/alice/site/issues/${number}`, { state: "open" })).status).toBe(412);
    expect(await shown(number)).toMatchObject({ state: "closed", merged: true });
    expect((await edit(alice.api, number, { title: "Merged" })).status).toBe(201);
  });

  test("edits by maintainers, to those who may not push to the head", async () => {
    const { number } = await open();
    const { status, body } = await edit(alice.api, number, { allow_maintainer_edit: true });
    expect({ status, message: body.message }).toEqual({
      status: 403,
      message: '"allow_maintainer_edit" is for those who may push to the branch of the pull request',
    });
  });
});

describe("changed", () => {
  test("by its author: title, text, state, base and edits by maintainers", async () => {
    const { number } = await open();
    const fields = { title: "WIP: more", body: "Why", base: "next", allow_maintainer_edit: true };
    const { status, body } = await edit(bob.api, number, fields);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      title: "WIP: more",
      body: "Why",
      draft: true,
      mergeable: false,
      base: { ref: "next" },
      allow_maintainer_edit: true,
      additions: 1,
    });
    expect(told(number)).toEqual(["issue.retitled", "issue.rewritten", "pull.retargeted"]);
    const entry = (await alice.api.get<{ type: string }[]>(`/repos/alice/site/issues/${number}/timeline`)).body.find(
      ({ type }) => type === "change_target_branch",
    );
    expect(entry).toMatchObject({
      old_ref: "main",
      new_ref: "next",
      pull_request_url: `${app.url}/alice/site/pulls/${number}`,
    });
    expect((await edit(bob.api, number, { state: "closed" })).body.state).toBe("closed");
    expect((await edit(bob.api, number, { state: "open" })).body.state).toBe("open");
  });

  test("by those who may write: labels, milestone, assignees, a time", async () => {
    const { number } = await open();
    const { body: label } = await alice.api.post<{ id: number }>("/repos/alice/site/labels", {
      name: `l${made}`,
      color: "ffffff",
    });
    const { body: milestone } = await alice.api.post<{ id: number }>("/repos/alice/site/milestones", {
      title: `m${made}`,
    });
    const set = { labels: [label.id], milestone: milestone.id, assignees: ["alice"], due_date: "2030-01-01T00:00:00Z" };
    expect((await edit(alice.api, number, set)).body).toMatchObject({
      labels: [{ id: label.id }],
      milestone: { id: milestone.id },
      assignees: [{ login: "alice" }],
      due_date: "2030-01-01T00:00:00Z",
    });
    // What the SDK sends for "as it was".
    const nothing = {
      title: "",
      base: "",
      assignee: "",
      assignees: null,
      milestone: 0,
      labels: null,
      body: null,
      state: null,
    };
    expect((await edit(alice.api, number, nothing)).body).toMatchObject({
      labels: [{ id: label.id }],
      milestone: { id: milestone.id },
    });
    expect((await edit(alice.api, number, { labels: [], assignees: [], unset_due_date: true })).body).toMatchObject({
      labels: [],
      assignees: null,
      due_date: null,
    });
  });

  test("over the address of the issue, too; and pinned", async () => {
    const { number } = await open();
    expect((await alice.api.patch(`/repos/alice/site/issues/${number}`, { title: "Renamed" })).status).toBe(201);
    expect((await alice.api.post(`/repos/alice/site/issues/${number}/pin`)).status).toBe(204);
    const { body } = await bob.api.get<PullJson[]>(`${at}/pinned`);
    expect(body).toEqual([expect.objectContaining({ number, title: "Renamed", pin_order: 1 })] as never);
    expect((await bob.api.get("/repos/alice/site/issues/pinned")).body).toEqual([]);
    await app.repository(alice, "private", { private: true });
    expect((await bob.api.get("/repos/alice/private/pulls/pinned")).status).toBe(404);
  });
});

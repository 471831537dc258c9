import { beforeAll, describe, expect, test } from "bun:test";
import { hearEvents } from "../../support/hear-events.ts";
import { mustGit, Scratch } from "../../support/git.ts";
import { commitFile, type PullJson } from "../../support/pulls.ts";
import { redact } from "../../support/redact.ts";
import { testPassword, useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const heard = hearEvents();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const { sql } = app.forge.database;
const site = await app.repository(alice, "site");
const at = "/repos/alice/site/pulls";
let fork = 0;
let mainTip = "";
let made = 0;

/** A branch of alice/site with one commit more than main. */
async function branch(name = `branch-${++made}`): Promise<string> {
  await commitFile(alice, "alice/site", { path: `${name}.txt`, text: "one\ntwo\n", branch: name, from: "main" });
  return name;
}

const open = (client: typeof alice.api, fields: object) =>
  client.post<PullJson>(at, { title: "A change", base: "main", ...fields });
const refOf = async (name: string) =>
  (
    await sql<
      { oid: string }[]
    >`select encode(oid, 'hex') as oid from ref where repository_id = ${site.id} and name = ${name}`
  )[0]?.oid ?? null;

beforeAll(async () => {
  mainTip = await commitFile(alice, "alice/site", { path: "a.txt", text: "one\n" });
  fork = (await bob.api.post<{ id: number }>("/repos/alice/site/forks", {})).body.id;
});

describe("refused", () => {
  test("to nobody, without the scope, to whom the owner blocked, and to strangers of a private repository", async () => {
    const head = await branch();
    const mallory = await app.user("mallory");
    expect((await alice.api.put("/user/block/mallory")).status).toBe(204);
    await app.repository(alice, "secret", { private: true });
    expect((await open(app.anonymous, { head })).status).toBe(401);
    expect((await open(await app.scoped(bob, "write:issue"), { head })).status).toBe(403);
    expect((await open(mallory.api, { head })).status).toBe(403);
    const { status } = await bob.api.post("/repos/alice/secret/pulls", { title: "x", base: "main", head: "x" });
    expect(status).toBe(404);
    expect((await alice.api.get<PullJson[]>(at)).body).toEqual([]);
  });

  test("where pull requests are off, and where the repository is archived", async () => {
    await app.repository(alice, "closed");
    await commitFile(alice, "alice/closed", { path: "a", text: "a" });
    await alice.api.patch("/repos/alice/closed", { has_pull_requests: false });
    const fields = { title: "x", base: "main", head: "main" };
    expect((await alice.api.post("/repos/alice/closed/pulls", fields)).status).toBe(404);
    expect((await alice.api.get("/repos/alice/closed/pulls")).status).toBe(404);
    await alice.api.patch("/repos/alice/closed", { has_pull_requests: true });
    await alice.api.patch("/repos/alice/closed", { archived: true });
    expect((await alice.api.post("/repos/alice/closed/pulls", fields)).status).toBe(423);
  });

  test.each([
    ["no head", {}, 422, '"head" is needed'],
    ["an empty base", { head: "level", base: "" }, 422, '"base" is needed'],
    ["a title of blanks", { head: "titled", title: " " }, 422, "A title has 1 to 255 characters"],
    [
      "a head that is the base",
      { head: "main" },
      422,
      "The head is the base: a pull request is from one branch to another one",
    ],
    [
      "the base by its owner's name",
      { head: "Alice:main" },
      422,
      "The head is the base: a pull request is from one branch to another one",
    ],
    ["an unknown base", { head: "level", base: "nowhere" }, 404, 'There is no branch "nowhere"'],
    ["an unknown head", { head: "nowhere" }, 404, 'There is no branch "nowhere"'],
    ["an unknown branch of a fork", { head: "bob:nowhere" }, 404, 'There is no branch "bob:nowhere"'],
    ["somebody without a fork", { head: "carol:main" }, 404, 'There is no repository of the head "carol:main"'],
    [
      "a repository of another descent",
      { head: "carol/other:main" },
      404,
      'There is no repository of the head "carol/other:main"',
    ],
    ["no commits between", { head: "level" }, 422, "The head has no commits that the base does not have"],
    ["no commits between, in a fork", { head: "bob:main" }, 422, "The head has no commits that the base does not have"],
  ])("%s", async (_, fields, status, message) => {
    await alice.api.post("/repos/alice/site/branches", { new_branch_name: "level", old_branch_name: "main" });
    if ("title" in fields) {
      await branch("titled");
    }
    if ((await carol.api.get("/repos/carol/other")).status === 404) {
      await app.repository(carol, "other");
      await commitFile(carol, "carol/other", { path: "a", text: "a" });
    }
    const answer = await open(bob.api, fields);
    expect({ status: answer.status, message: answer.body.message }).toEqual({ status, message });
  });

  test("an unrelated history", async () => {
    using scratch = new Scratch();
    await mustGit(scratch.path, ["init", "-q", "-b", "unrelated", "."]);
    await mustGit(scratch.path, ["commit", "-q", "--allow-empty", "-m", "root"]);
    const remote = app.url.replace("://", `://alice:${encodeURIComponent(testPassword)}@`);
    await mustGit(scratch.path, ["push", "-q", `${remote}/alice/site.git`, "unrelated"]);
    const { status, body } = await open(alice.api, { head: "unrelated" });
    expect({ status, message: body.message }).toEqual({
      status: 422,
      message: "The head and the base have no history in common",
    });
  });

  test("a fork that the doer may not read: as one that is not there", async () => {
    const dave = await app.user("dave");
    await dave.api.post("/repos/alice/site/forks", {});
    await commitFile(dave, "dave/site", { path: "d.txt", text: "d", branch: "mine", from: "main" });
    await dave.api.patch("/repos/dave/site", { private: true });
    const hidden = await open(bob.api, { head: "dave:mine" });
    const missing = await open(bob.api, { head: "erin:mine" });
    expect([hidden.status, missing.status]).toEqual([404, 404]);
    expect(hidden.body.message.replace("dave", "erin")).toBe(missing.body.message);
    // The same by whoever may.
    expect((await open(dave.api, { head: "dave:mine" })).status).toBe(201);
    // Others see the commit, and nothing of the fork.
    const { body } = await bob.api.get<PullJson[]>(at);
    expect(body[0]?.head).toMatchObject({ label: "mine", repo: null, repo_id: -1, sha: expect.any(String) });
    expect(body[0]?.head.ref).toMatch(/^refs\/pull\/\d+\/head$/);
  });

  test("a second one of the same branches, while the first is open", async () => {
    const head = await branch();
    const first = await open(bob.api, { head });
    const second = await open(carol.api, { head });
    expect({ status: second.status, message: second.body.message }).toEqual({
      status: 409,
      message: `There is an open pull request from "${head}" to "main": #${first.body.number}`,
    });
    await alice.api.patch(`${at}/${first.body.number}`, { state: "closed" });
    expect((await open(carol.api, { head })).status).toBe(201);
  });

  test("of many at once, all but one", async () => {
    const head = await branch();
    const all = await Promise.all(Array.from({ length: 6 }, () => open(bob.api, { head })));
    expect(all.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  test.each(["assignees", "labels", "milestone", "due_date"])("%s to those who may not write", async (field) => {
    const head = await branch();
    const values = { assignees: ["alice"], labels: [1], milestone: 1, due_date: "2030-01-01T00:00:00Z" };
    const { status, body } = await open(bob.api, { head, [field]: values[field as keyof typeof values] });
    expect({ status, message: body.message }).toEqual({
      status: 403,
      message: `"${field}" needs write access to the pull requests of the repository`,
    });
  });
});

describe("opened", () => {
  test("from a branch: the whole answer, its ref, and its number among the issues", async () => {
    const head = await branch();
    const { body: issue } = await bob.api.post<{ number: number }>("/repos/alice/site/issues", { title: "An issue" });
    const { body: before } = await alice.api.get<{ open_pr_counter: number }>("/repos/alice/site");
    const { status, body } = await open(bob.api, { head, title: " Two lines ", body: "For @carol" });
    expect(status).toBe(201);
    expect(body.number).toBe(issue.number + 1);
    const { base, head: from, ...rest } = redact(body) as Record<string, Record<string, unknown>>;
    expect(rest).toMatchObject(addresses(body.number));
    expect({ ...rest, ...addresses(0), number: "<number>", merge_base: "<oid>" }).toMatchSnapshot();
    expect(base).toMatchObject({ label: "main", ref: "main", sha: mainTip, repo: { full_name: "alice/site" } });
    expect(from).toMatchObject({ label: head, ref: head, sha: body.head.sha, repo: { full_name: "alice/site" } });
    expect(body.base.repo_id).toBe(site.id);
    expect(body.merge_base).toBe(mainTip);
    expect(await refOf(`refs/pull/${body.number}/head`)).toBe(body.head.sha);
    expect(await refOf(`refs/heads/${head}`)).toBe(body.head.sha);
    expect((await bob.api.get<PullJson>(`${at}/${body.number}`)).body).toEqual({
      ...body,
      base: expect.anything(),
      head: expect.anything(),
    } as never);
    const { body: after } = await alice.api.get<{ open_pr_counter: number }>("/repos/alice/site");
    expect(after.open_pr_counter).toBe(before.open_pr_counter + 1);
    const told = heard.filter((event) => "issue" in event && event.issue.number === body.number);
    expect(told.map(({ kind }) => kind)).toEqual(["issue.opened", "issue.mentioned"]);
    expect((await bob.api.get(`/repos/alice/site/issues/${body.number}`)).body).toMatchObject({
      html_url: `${app.url}/alice/site/pulls/${body.number}`,
      pull_request: {
        draft: false,
        merged: false,
        merged_at: null,
        html_url: `${app.url}/alice/site/pulls/${body.number}`,
      },
    });
  });

  test("by those who may write, with all details", async () => {
    const head = await branch();
    const { body: label } = await alice.api.post<{ id: number }>("/repos/alice/site/labels", {
      name: "big",
      color: "ffffff",
    });
    const { body: milestone } = await alice.api.post<{ id: number }>("/repos/alice/site/milestones", { title: "May" });
    const { status, body } = await open(alice.api, {
      head,
      title: "[wip] Later",
      assignee: "alice",
      labels: [label.id],
      milestone: milestone.id,
      due_date: "2030-01-01T00:00:00Z",
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      draft: true,
      mergeable: false,
      assignees: [{ login: "alice" }],
      labels: [{ name: "big" }],
      milestone: { id: milestone.id, open_issues: 1 },
      due_date: "2030-01-01T00:00:00Z",
    });
  });

  test("from a fork: with what the head needs, and nothing else of the fork", async () => {
    await commitFile(bob, "bob/site", { path: "b.txt", text: "b\n", branch: "mine", from: "main" });
    const secret = await commitFile(bob, "bob/site", { path: "s.txt", text: "s\n", branch: "secret", from: "main" });
    const { status, body } = await open(bob.api, { head: "bob:mine" });
    expect(status).toBe(201);
    expect(body).toMatchObject({ additions: 1, deletions: 0, changed_files: 1, mergeable: true, merge_base: mainTip });
    expect(body.head).toMatchObject({ label: "mine", ref: "mine", repo_id: fork, repo: { full_name: "bob/site" } });
    expect(await refOf(`refs/pull/${body.number}/head`)).toBe(body.head.sha);
    expect((await alice.api.get(`/repos/alice/site/git/commits/${body.head.sha}`)).status).toBe(200);
    expect((await alice.api.get(`/repos/alice/site/git/commits/${secret}`)).status).toBe(404);
    expect((await open(carol.api, { head: "bob/site:mine" })).status).toBe(409);
  });

  test("from the parent to the fork", async () => {
    const head = await branch();
    const { status, body } = await bob.api.post<PullJson>("/repos/bob/site/pulls", {
      title: "Down",
      base: "main",
      head: `alice:${head}`,
    });
    expect(status).toBe(201);
    expect(body.head).toMatchObject({ ref: head, repo_id: site.id });
  });

  test("with edits by maintainers allowed where the repository says so", async () => {
    await alice.api.patch("/repos/alice/site", { default_allow_maintainer_edit: true });
    await commitFile(bob, "bob/site", { path: "e.txt", text: "e\n", branch: "edits", from: "main" });
    expect((await open(bob.api, { head: "bob:edits" })).body.allow_maintainer_edit).toBe(true);
    expect((await open(bob.api, { head: await branch() })).body.allow_maintainer_edit).toBe(false);
  });

  test("with a conflict: at once known", async () => {
    await commitFile(alice, "alice/site", { path: "c.txt", text: "theirs\n", branch: "conflict", from: "main" });
    mainTip = await commitFile(alice, "alice/site", { path: "c.txt", text: "ours\n" });
    const { body } = await open(bob.api, { head: "conflict" });
    expect(body).toMatchObject({ mergeable: false, additions: 1, changed_files: 1 });
    const [row] =
      await sql`select mergeability, conflicted_files, commit_count, behind_count from pull join issue on issue.id = issue_id
      where number = ${body.number} and repository_id = ${site.id}`;
    expect({ ...row }).toEqual({
      mergeability: "conflict",
      conflicted_files: ["c.txt"],
      commit_count: 1,
      behind_count: 1,
    });
  });
});

function addresses(number: number) {
  const page = `<url>/alice/site/pulls/${number}`;
  return { html_url: page, url: page, diff_url: `${page}.diff`, patch_url: `${page}.patch` };
}

import { afterAll, describe, expect, test } from "bun:test";
import { Receiver, type Received } from "../support/receiver.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** What webhooks are told: the fields of each payload, and that the objects in it are those of the API. */

const app = await useTestApp({ outbound: { allowed_networks: ["127.0.0.1"] } });
const receiver = new Receiver();
afterAll(() => receiver[Symbol.asyncDispose]());
const alice = await app.user("alice");
const bob = await app.user("bob");

/** The fields that the family's payloads have, those that may be missing in parentheses. */
const fields = {
  create: ["sha", "ref", "ref_type", "repository", "sender"],
  delete: ["ref", "ref_type", "pusher_type", "repository", "sender"],
  fork: ["forkee", "repository", "sender"],
  push: "ref before after compare_url commits total_commits head_commit repository pusher sender".split(" "),
  issues: ["action", "number", "issue", "repository", "sender", "commit_id"],
  issue_comment: ["action", "issue", "comment", "repository", "sender", "is_pull"],
  pull_request: "action number pull_request requested_reviewer repository sender commit_id review".split(" "),
  wiki: ["action", "repository", "sender", "page", "comment"],
  repository: ["action", "repository", "organization", "sender"],
  release: ["action", "release", "repository", "sender"],
} as const;

let made = 0;

async function makePlace(owner: TestUser, events: string[], extra: Record<string, unknown> = {}) {
  const name = `repo-${++made}`;
  await app.repository(owner, name, extra);
  const path = `/repos/${owner.name}/${name}`;
  const url = receiver.url(`/${name}`);
  const option = { type: "gitea", active: true, events, config: { url, content_type: "json" } };
  expect((await owner.api.post(`${path}/hooks`, option)).status).toBe(201);
  const got = () => receiver.received.filter((one) => one.path === `/${name}`);
  return {
    name,
    path,
    got,
    /** Waits for so many deliveries, and returns them. */
    async arrived(count: number): Promise<Received[]> {
      await until(`${count} deliveries have come`, () => got().length >= count);
      return got();
    },
  };
}

const keysOf = ({ body }: Received) => Object.keys(body).sort();
const typed = (one: Received) => [one.headers["x-gitea-event-type"], one.body["action"] ?? one.body["ref"]];
const as = (value: unknown) => value as Record<string, unknown>;

/** Objects of the API as a stranger sees them, without what changes from one moment to the next. */
function steady(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, one: unknown) =>
      /^(updated_at|updated|size|stars_count|.*_count|.*_counter|permissions|last_login|email|language)$/.test(key)
        ? undefined
        : one,
    ),
  );
}

const commitFile = (path: string, file: string, rest: Record<string, unknown> = {}) =>
  alice.api.post<{ commit: { sha: string } }>(`${path}/contents/${file}`, {
    content: Buffer.from(`content of ${file}`).toString("base64"),
    message: `add ${file}`,
    ...rest,
  });

describe("refs", () => {
  test("a branch that is made, moved and deleted", async () => {
    const place = await makePlace(alice, ["push", "create", "delete"]);
    const first = await commitFile(place.path, "a.txt");
    const second = await commitFile(place.path, "b.txt");
    await commitFile(place.path, "c.txt", { new_branch: "topic" });
    expect((await alice.api.delete(`${place.path}/branches/topic`)).status).toBe(204);
    const all = await place.arrived(6);
    const main = "refs/heads/main";
    expect(all.map(typed)).toEqual([
      ["create", "main"],
      ["push", main],
      ["push", main],
      ["create", "topic"],
      ["push", "refs/heads/topic"],
      ["delete", "topic"],
    ]);
    for (const one of all) {
      const type = one.headers["x-gitea-event-type"] as "push" | "create" | "delete";
      expect(keysOf(one)).toEqual([...fields[type]].sort());
      expect(as(one.body["sender"])["login"]).toBe("alice");
    }
    const [created, begun, moved, , branched, deleted] = all.map(({ body }) => body);
    expect(created).toMatchObject({ sha: first.body.commit.sha, ref: "main", ref_type: "branch" });
    expect(begun).toMatchObject({
      before: "0".repeat(40),
      after: first.body.commit.sha,
      compare_url: "",
      total_commits: 1,
    });
    expect(moved).toMatchObject({
      before: first.body.commit.sha,
      after: second.body.commit.sha,
      compare_url: `${app.url}/alice/${place.name}/compare/${first.body.commit.sha}...${second.body.commit.sha}`,
      total_commits: 1,
      head_commit: { id: second.body.commit.sha },
    });
    const [commit] = moved!["commits"] as Record<string, unknown>[];
    expect(commit).toEqual({
      id: second.body.commit.sha,
      message: "add b.txt\n",
      url: `${app.url}/alice/${place.name}/commit/${second.body.commit.sha}`,
      author: { name: "alice", email: "alice@example.com", username: "alice" },
      committer: { name: "alice", email: "alice@example.com", username: "alice" },
      verification: {
        verified: false,
        reason: "gpg.error.not_signed_commit",
        signature: "",
        signer: null,
        payload: "",
      },
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      added: ["b.txt"],
      removed: [],
      modified: [],
    });
    expect(as(branched!["head_commit"])["added"]).toEqual(["c.txt"]);
    expect(branched!["total_commits"]).toBe(1);
    expect(deleted).toMatchObject({ ref: "topic", ref_type: "branch", pusher_type: "user" });
    const shown = await app.anonymous.get(place.path);
    expect(steady(moved!["repository"])).toEqual(steady(shown.body));
    expect(as(moved!["repository"])["permissions"]).toEqual({ admin: true, push: true, pull: true });
    // Nobody's address is told that strangers do not see.
    expect(as(moved!["sender"])["email"]).toBe("alice@noreply.127.0.0.1");
  });

  test("only of branches that the filter names, and of all tags", async () => {
    const name = `repo-${made + 1}`;
    const place = await makePlace(alice, ["wiki"]);
    const url = receiver.url(`/${name}`);
    const option = { type: "gitea", active: true, events: ["create"], branch_filter: "{main,release/*}" };
    await alice.api.post(`${place.path}/hooks`, { ...option, config: { url, content_type: "json" } });
    await commitFile(place.path, "a.txt");
    await commitFile(place.path, "b.txt", { new_branch: "topic" });
    await commitFile(place.path, "c.txt", { new_branch: "release/1" });
    expect((await alice.api.post(`${place.path}/tags`, { tag_name: "v1", target: "topic" })).status).toBe(201);
    const all = await place.arrived(3);
    expect(all.map(({ body }) => [body["ref"], body["ref_type"]])).toEqual([
      ["main", "branch"],
      ["release/1", "branch"],
      ["v1", "tag"],
    ]);
  });

  test("a test tells of the newest commit, and of an empty repository nothing", async () => {
    const place = await makePlace(alice, ["wiki"]);
    const [{ id }] = (await alice.api.get<[{ id: number }]>(`${place.path}/hooks`)).body;
    expect((await alice.api.post(`${place.path}/hooks/${id}/tests`)).status).toBe(404);
    const { body } = await commitFile(place.path, "a.txt");
    expect((await alice.api.post(`${place.path}/hooks/${id}/tests?ref=nothing`)).status).toBe(404);
    expect((await alice.api.post(`${place.path}/hooks/999999/tests`)).status).toBe(404);
    expect((await alice.api.post(`${place.path}/hooks/${id}/tests`)).status).toBe(204);
    const [tested] = await place.arrived(1);
    expect(keysOf(tested!)).toEqual([...fields.push].sort());
    expect(tested!.headers["x-gitea-event"]).toBe("push");
    expect(tested!.body).toMatchObject({
      ref: "refs/heads/main",
      before: body.commit.sha,
      after: body.commit.sha,
      commits: [{ id: body.commit.sha }],
      total_commits: 1,
    });
  });
});

test("issues with all that happens to them, and their comments", async () => {
  const place = await makePlace(alice, ["issues"]);
  const { path } = place;
  const label = await alice.api.post<{ id: number }>(`${path}/labels`, { name: "bug", color: "#ff0000" });
  const milestone = await alice.api.post<{ id: number }>(`${path}/milestones`, { title: "soon" });
  await alice.api.post(`${path}/issues`, { title: "broken", body: "before" });
  const issue = `${path}/issues/1`;
  const send = async (answer: Promise<{ status: number }>) => expect((await answer).status).toBeWithin(200, 300);
  await send(alice.api.patch(issue, { title: "quite broken" }));
  await send(alice.api.patch(issue, { body: "after" }));
  await send(alice.api.post(`${issue}/labels`, { labels: [label.body.id] }));
  await send(alice.api.delete(`${issue}/labels/${label.body.id}`));
  const other = await alice.api.post<{ id: number }>(`${path}/labels`, { name: "small", color: "#00ff00" });
  await send(alice.api.put(`${issue}/labels`, { labels: [label.body.id, other.body.id] }));
  await send(alice.api.delete(`${issue}/labels`));
  await send(alice.api.patch(issue, { assignees: ["alice"] }));
  await send(alice.api.patch(issue, { assignees: [] }));
  await send(alice.api.patch(issue, { milestone: milestone.body.id }));
  await send(alice.api.patch(issue, { milestone: 0 }));
  await send(alice.api.patch(issue, { state: "closed" }));
  await send(alice.api.patch(issue, { state: "open" }));
  const comment = await bob.api.post<{ id: number }>(`${issue}/comments`, { body: "me too" });
  await send(bob.api.patch(`${path}/issues/comments/${comment.body.id}`, { body: "me not" }));
  const shownComment = await app.anonymous.get(`${path}/issues/comments/${comment.body.id}`);
  const shownIssue = await app.anonymous.get(issue);
  await send(bob.api.delete(`${path}/issues/comments/${comment.body.id}`));
  await send(alice.api.delete(issue));
  const all = await place.arrived(18);
  expect(all.map(typed)).toEqual([
    ["issues", "opened"],
    ["issues", "edited"],
    ["issues", "edited"],
    ["issue_label", "label_updated"],
    ["issue_label", "label_updated"],
    ["issue_label", "label_updated"],
    ["issue_label", "label_updated"],
    ["issue_label", "label_cleared"],
    ["issue_assign", "assigned"],
    ["issue_assign", "unassigned"],
    ["issue_milestone", "milestoned"],
    ["issue_milestone", "demilestoned"],
    ["issues", "closed"],
    ["issues", "reopened"],
    ["issue_comment", "created"],
    ["issue_comment", "edited"],
    ["issue_comment", "deleted"],
    ["issues", "deleted"],
  ]);
  const optional: Record<number, string> = {
    1: "changes",
    2: "changes",
    3: "label",
    4: "label",
    5: "label",
    6: "label",
    15: "changes",
  };
  for (const [at, one] of all.entries()) {
    const isComment = one.headers["x-gitea-event"] === "issue_comment";
    const wanted = [...(isComment ? fields.issue_comment : fields.issues), ...(optional[at] ? [optional[at]] : [])];
    expect([at, keysOf(one)]).toEqual([at, wanted.sort()]);
  }
  expect(all[1]!.body["changes"]).toEqual({ title: { from: "broken" } });
  expect(all[2]!.body["changes"]).toEqual({ body: { from: "before" } });
  expect(all[3]!.body["label"]).toMatchObject({ id: label.body.id, name: "bug" });
  expect(all[15]!.body["changes"]).toEqual({ body: { from: "me too" } });
  expect(steady(all[15]!.body["comment"])).toEqual(steady(shownComment.body));
  expect(as(all[16]!.body["comment"])).toMatchObject({ id: comment.body.id, body: "me not", user: { login: "bob" } });
  expect(as(all[16]!.body["sender"])["login"]).toBe("bob");
  // As it was, although it is gone.
  expect(steady({ ...as(all[17]!.body["issue"]), comments: 0 })).toEqual(
    steady({ ...as(shownIssue.body), comments: 0 }),
  );
});

test("pull requests, their reviews and who is asked for them", async () => {
  const place = await makePlace(alice, ["pull_request"], { auto_init: true });
  const { path } = place;
  await alice.api.put(`${path}/collaborators/bob`, { permission: "write" });
  await commitFile(path, "a.txt", { new_branch: "topic" });
  const opened = await alice.api.post<{ number: number }>(`${path}/pulls`, {
    title: "better",
    head: "topic",
    base: "main",
  });
  expect(opened.status).toBe(201);
  const pull = `${path}/pulls/${opened.body.number}`;
  expect((await alice.api.post(`${pull}/requested_reviewers`, { reviewers: ["bob"] })).status).toBe(201);
  expect((await alice.api.delete(`${pull}/requested_reviewers`, { reviewers: ["bob"] })).status).toBe(204);
  expect((await bob.api.post(`${pull}/reviews`, { event: "APPROVED", body: "well done" })).status).toBe(200);
  expect((await bob.api.post(`${pull}/reviews`, { event: "REQUEST_CHANGES", body: "but" })).status).toBe(200);
  expect((await bob.api.post(`${path}/issues/1/comments`, { body: "hm" })).status).toBe(201);
  await commitFile(path, "b.txt", { branch: "topic" });
  await place.arrived(7);
  expect((await alice.api.patch(pull, { state: "closed" })).status).toBe(201);
  const all = await place.arrived(8);
  expect(all.map((one) => [one.headers["x-gitea-event"], ...typed(one)])).toEqual([
    ["pull_request", "pull_request", "opened"],
    ["pull_request", "pull_request_review_request", "review_requested"],
    ["pull_request", "pull_request_review_request", "review_request_removed"],
    ["pull_request_approved", "pull_request_review_approved", "reviewed"],
    ["pull_request_rejected", "pull_request_review_rejected", "reviewed"],
    ["issue_comment", "pull_request_comment", "created"],
    ["pull_request", "pull_request_sync", "synchronized"],
    ["pull_request", "pull_request", "closed"],
  ]);
  for (const [at, one] of all.entries()) {
    const wanted = at === 5 ? [...fields.issue_comment, "pull_request"] : [...fields.pull_request];
    expect([at, keysOf(one)]).toEqual([at, wanted.sort()]);
  }
  expect(as(all[1]!.body["requested_reviewer"])["login"]).toBe("bob");
  expect(as(all[2]!.body["requested_reviewer"])["login"]).toBe("bob");
  expect(all[0]!.body["requested_reviewer"]).toBeNull();
  expect(all[3]!.body["review"]).toEqual({ type: "pull_request_review_approved", content: "well done" });
  expect(all[5]!.body["is_pull"]).toBe(true);
  const shown = await app.anonymous.get(pull);
  expect(steady(all[7]!.body["pull_request"])).toEqual(steady(shown.body));
});

test("releases, statuses, wikis and forks", async () => {
  const place = await makePlace(alice, ["release", "status", "wiki", "fork"], { auto_init: true });
  const { path } = place;
  const release = await alice.api.post<{ id: number }>(`${path}/releases`, { tag_name: "v1", name: "one" });
  await alice.api.patch(`${path}/releases/${release.body.id}`, { body: "notes" });
  const shownRelease = await app.anonymous.get(`${path}/releases/${release.body.id}`);
  await alice.api.post(`${path}/releases`, { tag_name: "v2", name: "two", draft: true });
  await alice.api.delete(`${path}/releases/${release.body.id}`);
  const branch = await alice.api.get<{ commit: { id: string } }>(`${path}/branches/main`);
  const sha = branch.body.commit.id;
  await alice.api.post(`${path}/statuses/${sha}`, {
    state: "success",
    context: "ci",
    target_url: "https://ci.example.com/1",
  });
  await alice.api.post(`${path}/wiki/new`, { title: "Home", content_base64: btoa("hello"), message: "begin" });
  await bob.api.post(`${path}/forks`, { name: "my-fork" });
  const all = await place.arrived(6);
  expect(all.map((one) => [one.headers["x-gitea-event-type"], one.body["action"]])).toEqual([
    ["release", "published"],
    ["release", "updated"],
    ["release", "deleted"],
    ["status", undefined],
    ["wiki", "created"],
    ["fork", undefined],
  ]);
  for (const at of [0, 1, 2]) {
    expect(keysOf(all[at]!)).toEqual([...fields.release].sort());
  }
  expect(steady(all[2]!.body["release"])).toEqual(steady(shownRelease.body));
  expect(all[3]!.body).toMatchObject({
    sha,
    state: "success",
    context: "ci",
    target_url: "https://ci.example.com/1",
    commit: { id: sha },
  });
  expect(keysOf(all[4]!)).toEqual([...fields.wiki].sort());
  expect(all[4]!.body).toMatchObject({ page: "Home", comment: "begin" });
  expect(keysOf(all[5]!)).toEqual([...fields.fork].sort());
  expect([as(all[5]!.body["forkee"])["full_name"], as(all[5]!.body["repository"])["full_name"]]).toEqual([
    `alice/${place.name}`,
    "bob/my-fork",
  ]);
  expect(as(all[5]!.body["sender"])["login"]).toBe("bob");
});

test("repositories, to hooks of their owner, of the instance and their own, deleted ones too", async () => {
  const carol = await app.user("carol");
  const root = await app.admin("root");
  await app.organization("forge", carol);
  const option = (path: string) => ({
    type: "gitea",
    active: true,
    events: ["repository"],
    config: { url: receiver.url(path), content_type: "json" },
  });
  await carol.api.post("/user/hooks", option("/of-carol"));
  await carol.api.post("/orgs/forge/hooks", option("/of-forge"));
  const system = await root.api.post<{ id: number }>("/admin/hooks", { ...option("/of-all"), is_system_webhook: true });
  await app.repository(carol, "mine", { private: true });
  await app.repository(carol, "ours", {}, "forge");
  await carol.api.post("/repos/carol/mine/hooks", option("/of-mine"));
  await carol.api.patch("/repos/carol/mine", { name: "renamed" });
  await carol.api.delete("/repos/carol/renamed");
  const at = (path: string) =>
    receiver.received
      .filter((one) => one.path === path)
      .map(({ body }) => [body["action"], as(body["repository"])["full_name"], as(body["organization"])["login"]]);
  await until("all have heard", () => at("/of-all").length === 4 && at("/of-mine").length === 2);
  await until("and the others", () => at("/of-carol").length === 3 && at("/of-forge").length === 1);
  expect(at("/of-carol")).toEqual([
    ["created", "carol/mine", "carol"],
    ["renamed", "carol/renamed", "carol"],
    ["deleted", "carol/renamed", "carol"],
  ]);
  expect(at("/of-forge")).toEqual([["created", "forge/ours", "forge"]]);
  expect(at("/of-all").map(([action]) => action)).toEqual(["created", "created", "renamed", "deleted"]);
  expect(at("/of-mine").map(([action]) => action)).toEqual(["renamed", "deleted"]);
  const deleted = receiver.received.find((one) => one.path === "/of-mine" && one.body["action"] === "deleted");
  expect(keysOf(deleted!)).toEqual([...fields.repository].sort());
  expect(as(deleted!.body["repository"])["private"]).toBe(true);
  await root.api.delete(`/admin/hooks/${system.body.id}`);
});

test("chats are told in words of their own", async () => {
  const place = await makePlace(alice, ["wiki"]);
  for (const type of ["slack", "discord", "dingtalk", "telegram", "msteams", "feishu", "wechatwork", "packagist"]) {
    const config = {
      url: receiver.url(`/chat/${type}`),
      content_type: "json",
      channel: "#talk",
      package_url: "https://example.com/p",
    };
    const { status } = await alice.api.post(`${place.path}/hooks`, { type, active: true, events: ["issues"], config });
    expect(status).toBe(201);
  }
  await alice.api.post(`${place.path}/issues`, { title: "<b>broken</b> & @everyone", body: "why" });
  const of = (type: string) => receiver.received.find(({ path }) => path === `/chat/${type}`)?.body;
  await until("all have heard", () => receiver.received.filter(({ path }) => path.startsWith("/chat/")).length === 8);
  const link = `${app.url}/alice/${place.name}/issues/1`;
  const title = `[alice/${place.name}] issue opened: #1 <b>broken</b> & @everyone by alice`;
  const escaped = title.replace("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  expect(of("slack")).toEqual({
    channel: "#talk",
    username: "",
    icon_url: "",
    text: `<${link}|${escaped}>`,
    attachments: [{ color: "", text: "why", fallback: escaped }],
  });
  expect(of("discord")).toMatchObject({
    embeds: [{ title, description: "why", url: link, author: { name: "alice" } }],
    allowed_mentions: { parse: [] },
  });
  expect(of("telegram")).toMatchObject({ text: `<a href="${link}">${escaped}</a>\n\nwhy`, parse_mode: "HTML" });
  expect(of("dingtalk")).toMatchObject({ msgtype: "actionCard", actionCard: { title, singleURL: link } });
  expect(of("msteams")).toMatchObject({ "@type": "MessageCard", title, sections: [{ text: "why" }] });
  expect(of("feishu")).toEqual({ msg_type: "text", content: { text: `${title}\n\nwhy\n\n${link}` } });
  expect(of("wechatwork")).toMatchObject({ markdown: { content: `[${title}](${link})\n\nwhy` } });
  expect(of("packagist")).toEqual({ repository: { url: "https://example.com/p" } });
});

import { expect, setDefaultTimeout, test } from "bun:test";
import { Replay } from "../support/replay.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp } from "../support/test-app.ts";

/** What tea, the family's command line, sends for each of its commands, and what it shows of the answers. It sends null and empty values for what was not said. */

setDefaultTimeout(120_000);

const app = await useTestApp();
const root = await app.admin("root");
const ann = await app.user("ann");
const agent = "tea/0.11.0 (linux/amd64)";
const tea = new Replay(root.api, agent);
const send = tea.send.bind(tea);
const reviewer = new Replay(ann.api, agent);
using key = new SshKeyPair();
const at = "/repos/root/site";
const listed = async (call: `GET /${string}`) => (await send<object[]>(call, 200)).length;

interface Numbered {
  id: number;
  number: number;
}

test("login, whoami and ssh-keys", async () => {
  await send("GET /version", 200, undefined, { version: expect.stringMatching(/^1\.\d+\.\d+/) });
  await send("GET /user", 200, undefined, { login: "root", is_admin: true });
  expect(await listed("GET /user/keys?limit=50&page=1")).toBe(0);
  const { id } = await send<Numbered>("POST /user/keys", 201, { title: "k", key: key.publicKey, read_only: false });
  await send(`GET /user/keys/${id}`, 200, undefined, {
    title: "k",
    key_type: "user",
    fingerprint: expect.stringMatching(/^SHA256:/),
  });
  await send(`DELETE /user/keys/${id}`, 204);
});

test("repos", async () => {
  const made = {
    name: "site",
    description: "hello",
    private: false,
    issue_labels: "Default",
    auto_init: true,
    template: false,
  };
  const unsaid = {
    gitignores: "",
    license: "",
    readme: "Default",
    default_branch: "main",
    trust_model: "",
    object_format_name: "",
  };
  await send(
    "POST /user/repos",
    201,
    { ...made, ...unsaid },
    { full_name: "root/site", default_branch: "main", permissions: { admin: true } },
  );
  await send(`GET ${at}/topics?limit=0&page=1`, 200, undefined, { topics: [] });
  expect(await listed("GET /user/repos?limit=30&page=1")).toBe(1);
  const found = await send("GET /repos/search?includeDesc=true&limit=30&page=1&priority_owner_id=1&q=sit", 200);
  expect(found).toMatchObject({ ok: true, data: [{ full_name: "root/site" }] });
  const change = {
    description: "yy",
    private: false,
    allow_fast_forward_only_merge: null,
    projects_mode: null,
    default_delete_branch_after_merge: null,
  };
  await send(`PATCH ${at}`, 200, change, { description: "yy", private: false });
  await send("POST /repos/root/nope/generate", 404, {
    owner: "root",
    name: "x",
    description: "",
    private: false,
    git_content: true,
  });
  await send(`POST ${at}/forks`, 422, { organization: "nope", name: null });
});

test("labels, milestones and issues", async () => {
  const label = { name: "bug2", color: "#ff0000", description: "a bug" };
  const { id: labelId } = await send<Numbered>(
    `POST ${at}/labels`,
    201,
    { ...label, exclusive: false, is_archived: false },
    { ...label, color: "ff0000" },
  );
  expect(await listed(`GET ${at}/labels?limit=50&page=1`)).toBe(8);
  const recolored = { name: null, color: "00ff00", description: null, exclusive: null, is_archived: null };
  await send(`PATCH ${at}/labels/${labelId}`, 200, recolored, { name: "bug2", color: "00ff00", description: "a bug" });
  const due = "2027-01-02T00:00:00Z";
  const { id: milestone } = await send<Numbered>(`POST ${at}/milestones`, 201, {
    title: "v1",
    description: "first",
    state: "open",
    due_on: due,
  });
  await send(`GET ${at}/milestones/v1`, 200, undefined, {
    id: milestone,
    title: "v1",
    due_on: expect.stringContaining("2027-01-02"),
  });

  const first = {
    title: "First",
    body: "body",
    ref: "",
    assignees: ["root"],
    due_date: due,
    milestone,
    labels: [labelId],
    closed: false,
  };
  await send(`POST ${at}/issues`, 201, first, { number: 1, milestone: { id: milestone }, labels: [{ id: labelId }] });
  const second = {
    title: "Second",
    body: "",
    ref: "",
    assignees: [""],
    due_date: null,
    milestone: 0,
    labels: [],
    closed: false,
  };
  await send(`POST ${at}/issues`, 201, second, { number: 2, assignees: null, milestone: null, labels: [] });
  expect(await listed(`GET ${at}/issues?labels=&limit=30&milestones=&page=1&state=open&type=issues`)).toBe(2);
  const filter =
    "assigned_by=root&created_by=root&labels=bug2&limit=30&milestones=v1&page=1&q=First&state=all&type=issues";
  expect(await listed(`GET ${at}/issues?${filter}`)).toBe(1);
  expect(await listed(`GET ${at}/issues?limit=30&milestones=v1&page=1&state=open&type=`)).toBe(1);
  expect(await listed("GET /repos/issues/search?labels=&limit=30&milestones=&page=1&state=open&type=issues")).toBe(2);

  const unsaid = {
    title: "",
    body: null,
    ref: null,
    assignees: null,
    milestone: null,
    state: null,
    due_date: null,
    unset_due_date: null,
  };
  await send(`PATCH ${at}/issues/2`, 201, { ...unsaid, milestone }, { title: "Second", milestone: { id: milestone } });
  await send(
    `PATCH ${at}/issues/2`,
    201,
    { ...unsaid, state: "closed" },
    { state: "closed", milestone: { id: milestone } },
  );
  await send(
    `PATCH ${at}/issues/1`,
    201,
    { ...unsaid, milestone: 0 },
    { title: "First", body: "body", milestone: null, assignees: [{ login: "root" }] },
  );
  await send(`PATCH ${at}/issues/1`, 422, { ...unsaid, assignees: ["nobody"] });
  await send(`POST ${at}/issues/2/labels`, 200, { labels: [labelId] });
  await send(`DELETE ${at}/issues/2/labels/${labelId}`, 204);
  await send(
    `PATCH ${at}/milestones/v1`,
    200,
    { title: "v1", description: null, state: "closed", due_on: null },
    { state: "closed", description: "first" },
  );

  await send(`POST ${at}/issues/1/comments`, 201, { body: "hello" }, { body: "hello", user: { login: "root" } });
  expect(await listed(`GET ${at}/issues/1/comments?limit=30&page=1`)).toBe(1);
  await send(`GET ${at}/issues/1/reactions?limit=0&page=1`, 200);
});

test("pulls: create, list, check out, review, edit, merge and clean", async () => {
  const nobody = { name: "", email: "" };
  const commit = {
    message: "add a",
    branch: "main",
    new_branch: "topic",
    author: nobody,
    committer: nobody,
    content: btoa("a\n"),
  };
  await send(`POST ${at}/contents/a.txt`, 201, commit);
  const unsaid = {
    assignee: "",
    assignees: [""],
    reviewers: null,
    team_reviewers: null,
    milestone: 0,
    labels: [],
    due_date: null,
  };
  const pull = { head: "topic", base: "main", title: "PR one", body: "d" };
  await send(
    `POST ${at}/pulls`,
    201,
    { ...pull, ...unsaid, milestone: 1, assignees: ["root"] },
    { number: 3, milestone: { title: "v1" } },
  );
  await send(`POST ${at}/pulls`, 409, { ...pull, ...unsaid });
  const [read] = await send<{ head: { sha: string } }[]>(`GET ${at}/pulls?limit=30&page=1&state=all`, 200);
  await send(`GET ${at}/commits/${read?.head.sha}/status`, 200, undefined, { state: expect.any(String), statuses: [] });
  await send(`GET ${at}/pulls/3`, 200, undefined, {
    mergeable: true,
    head: { ref: "topic", repo: { clone_url: `${app.url}/root/site.git` } },
  });

  const review = { commit_id: "", comments: null };
  await send(`POST ${at}/pulls/3/reviews`, 422, { event: "APPROVED", body: "ok", ...review });
  const commented = { ...review, comments: [{ path: "a.txt", body: "why?", old_position: 0, new_position: 1 }] };
  await reviewer.send(
    `POST ${at}/pulls/3/reviews`,
    200,
    { event: "REQUEST_CHANGES", body: "no", ...commented },
    { state: "REQUEST_CHANGES" },
  );
  const { id } = await reviewer.send<Numbered>(
    `POST ${at}/pulls/3/reviews`,
    200,
    { event: "APPROVED", body: "ok", ...review },
    { state: "APPROVED" },
  );
  const reviews = await send<Numbered[]>(`GET ${at}/pulls/3/reviews?limit=50&page=1`, 200);
  expect(reviews.map((one) => one.id)).toContain(id);
  const [comment] = await send<Numbered[]>(`GET ${at}/pulls/3/reviews/${reviews[0]?.id}/comments`, 200);
  await send(`POST ${at}/pulls/comments/${comment?.id}/resolve`, 204);

  const kept = {
    title: "",
    body: null,
    base: "",
    assignee: "",
    assignees: null,
    milestone: 0,
    labels: null,
    state: null,
  };
  const edit = { ...kept, due_date: null, unset_due_date: null, allow_maintainer_edit: null };
  const same = { milestone: { title: "v1" }, assignees: [{ login: "root" }], body: "d", base: { ref: "main" } };
  await send(`PATCH ${at}/pulls/3`, 201, { ...edit, state: "closed" }, { ...same, state: "closed", title: "PR one" });
  await send(`PATCH ${at}/pulls/3`, 201, { ...edit, state: "open" }, { ...same, state: "open" });
  await send(`PATCH ${at}/pulls/3`, 201, { ...edit, title: "x" }, { ...same, title: "x" });
  await send(`POST ${at}/pulls/3/requested_reviewers`, 201, { reviewers: ["ann"], team_reviewers: null });
  const merge = { Do: "squash", MergeCommitID: "", MergeTitleField: "t", MergeMessageField: "m" };
  await send(`POST ${at}/pulls/3/merge`, 200, {
    ...merge,
    force_merge: false,
    head_commit_id: "",
    merge_when_checks_succeed: false,
  });
  await send(`GET ${at}/pulls/3`, 200, undefined, { merged: true, state: "closed" });
  await send(`DELETE ${at}/branches/topic`, 204);
});

test("branches: list, protect, rename", async () => {
  expect(await listed(`GET ${at}/branches?limit=30&page=1`)).toBe(1);
  const lists = [
    "push_whitelist_usernames",
    "push_whitelist_teams",
    "merge_whitelist_usernames",
    "merge_whitelist_teams",
    "status_check_contexts",
    "approvals_whitelist_username",
    "approvals_whitelist_teams",
  ];
  const rule = {
    branch_name: "main",
    rule_name: "",
    enable_push: false,
    required_approvals: 1,
    dismiss_stale_approvals: false,
  };
  await send(
    `POST ${at}/branch_protections`,
    201,
    { ...rule, ...Object.fromEntries(lists.map((name) => [name, []])), protected_file_patterns: "" },
    { rule_name: "main" },
  );
  expect(await listed(`GET ${at}/branch_protections?limit=30&page=1`)).toBe(1);
  await send(`GET ${at}/branches/main`, 200, undefined, {
    protected: true,
    user_can_push: false,
    user_can_merge: true,
  });
  await send(`DELETE ${at}/branch_protections/main`, 204);
  await send(`POST ${at}/branches`, 201, { new_branch_name: "one", old_branch_name: "main" });
  await send(`PATCH ${at}/branches/one`, 204, { name: "two" });
});

test("releases with their files", async () => {
  const made = { tag_name: "v1.0", target_commitish: "main", name: "R", body: "n", draft: false, prerelease: false };
  const { id } = await send<Numbered>(`POST ${at}/releases`, 201, made, made);
  const unsaid = { tag_name: "", target_commitish: "", name: "", body: "", draft: null, prerelease: null };
  await send(
    `PATCH ${at}/releases/${id}`,
    200,
    { ...unsaid, name: "RR", draft: true },
    { ...made, name: "RR", draft: true },
  );
  await send(
    `PATCH ${at}/releases/${id}`,
    200,
    { ...unsaid, draft: false, prerelease: true },
    { ...made, name: "RR", prerelease: true },
  );
  const form = new FormData();
  form.append("attachment", new Blob(["hello"]), "README.md");
  const headers = { authorization: `token ${root.token}`, "user-agent": agent };
  const uploaded = await fetch(`${app.url}/api/v1${at}/releases/${id}/assets`, { method: "POST", headers, body: form });
  const asset = (await uploaded.json()) as { id: number };
  expect([uploaded.status, asset]).toMatchObject([201, { name: "README.md", size: 5 }]);
  expect(await listed(`GET ${at}/releases/${id}/assets?limit=50&page=1`)).toBe(1);
  await send(`DELETE ${at}/releases/${id}/assets/${asset.id}`, 204);
  await send(`DELETE ${at}/releases/${id}`, 204);
  await send(`DELETE ${at}/tags/v1.0`, 204);
});

test("times and notifications", async () => {
  const added = { time: 5400, created: "0001-01-01T00:00:00Z", user_name: "" };
  const { id, ...time } = await send<{ id: number; created: string }>(`POST ${at}/issues/1/times`, 200, added, {
    time: 5400,
    user_name: "root",
  });
  expect(Date.now() - Date.parse(time.created)).toBeLessThan(3_600_000);
  expect(await send<unknown>("GET /user/times?limit=30&page=1", 200)).toMatchObject([
    { id, issue: { number: 1, repository: { full_name: "root/site" } } },
  ]);
  expect(await listed(`GET ${at}/times?limit=30&page=1&user=root`)).toBe(1);
  await send(`DELETE ${at}/issues/1/times/${id}`, 204);
  await send(`POST ${at}/issues/1/times`, 200, added);
  await send(`DELETE ${at}/issues/1/times`, 204);

  await reviewer.send(`POST ${at}/issues/1/comments`, 201, { body: "@root look" });
  const states = "status-types=unread&status-types=read&status-types=pinned";
  const seen = async () =>
    await send<{ unread: boolean; pinned: boolean; subject: { title: string } }[]>(
      `GET /notifications?limit=30&page=1&${states}&subject-type=`,
      200,
    );
  const told = (await seen()).find(({ subject }) => subject.title === "First");
  expect(told).toMatchObject({ unread: true, pinned: false });
  await send("PUT /notifications?status-types=unread&to-status=pinned", 200);
  expect((await seen()).every(({ unread, pinned }) => !unread && pinned)).toBe(true);
  await send("PUT /notifications?status-types=pinned&to-status=read", 200);
});

test("organizations, webhooks, secrets and variables, users", async () => {
  const organization = {
    username: "guild",
    full_name: "",
    email: "",
    description: "",
    website: "",
    location: "",
    visibility: "private",
  };
  await send("POST /orgs", 201, { ...organization, repo_admin_change_team_access: true }, organization);
  expect(await listed("GET /users/root/orgs?limit=30&page=1")).toBe(1);
  await send("GET /orgs/guild", 200, undefined, organization);
  await send("DELETE /orgs/guild", 204);

  const config = { content_type: "json", url: "https://example.com/" };
  const hook = { type: "gitea", branch_filter: "main", active: true, authorization_header: "Bearer x" };
  const events = ["push", "release"];
  const { id } = await send<Numbered>(
    `POST ${at}/hooks`,
    201,
    { ...hook, events, config: { ...config, http_method: "post", secret: "s" } },
    { ...hook, events, config },
  );
  expect(await listed(`GET ${at}/hooks?limit=30&page=1`)).toBe(1);
  const moved = {
    config: { ...config, url: "https://example.com/y" },
    events: ["push"],
    branch_filter: "main",
    active: false,
    authorization_header: "",
  };
  await send(`PATCH ${at}/hooks/${id}`, 200, moved, { config: moved.config, events: ["push"], active: false });
  await send(`DELETE ${at}/hooks/${id}`, 204);

  await send(`PUT ${at}/actions/secrets/S1`, 201, { data: "val", description: "" });
  expect(await send<unknown>(`GET ${at}/actions/secrets?limit=30&page=1`, 200)).toMatchObject([{ name: "S1" }]);
  await send(`DELETE ${at}/actions/secrets/S1`, 204);
  await send(`POST ${at}/actions/variables/V1`, 204, { value: "val" });
  await send(`POST ${at}/actions/variables/V1`, 409, { value: "val2" });
  await send(`GET ${at}/actions/variables/V1`, 200, undefined, { name: "V1", data: "val", owner_id: 0 });
  await send(`DELETE ${at}/actions/variables/V1`, 204);
  await send(`GET ${at}/actions/runs?limit=30&page=1`, 200, undefined, { total_count: 0, workflow_runs: [] });

  const login = { source_id: 0, login_name: "teau" };
  const made = {
    ...login,
    username: "teau",
    full_name: "",
    email: "teau@example.com",
    password: "a long enough password",
    must_change_password: true,
    send_notify: false,
    visibility: "public",
  };
  await send("POST /admin/users", 201, made, { login: "teau" });
  const unsaid = [
    "email",
    "full_name",
    "description",
    "must_change_password",
    "website",
    "location",
    "active",
    "allow_git_hook",
    "allow_import_local",
    "max_repo_creation",
    "prohibit_login",
    "allow_create_organization",
    "restricted",
    "visibility",
  ];
  const edit = { ...login, password: "", ...Object.fromEntries(unsaid.map((name) => [name, null])), admin: true };
  await send("PATCH /admin/users/teau", 200, edit, { is_admin: true, email: "teau@example.com" });
  expect(await listed("GET /admin/users?limit=30&page=1")).toBe(3);
  await send("DELETE /admin/users/teau", 204);
});

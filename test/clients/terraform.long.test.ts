import { expect, setDefaultTimeout, test } from "bun:test";
import { Replay } from "../support/replay.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";

/**
 * What Terraform's providers send for each of their resources, and what they read afterwards: a plan after an apply is
 * empty only if the answers have what was written. Both send `Go-http-client/1.1`.
 */

setDefaultTimeout(120_000);

const app = await useTestApp({ outbound: { allowed_networks: ["127.0.0.1"] } });
const root = await app.admin("root");
const terraform = new Replay(root.api, "Go-http-client/1.1");
const basic = new Replay(app.withPassword("root", testPassword), "Go-http-client/1.1");
const send = terraform.send.bind(terraform);
using key = new SshKeyPair();
using deployKey = new SshKeyPair();
const none = "?limit=0&page=0";

/** A user as the providers make one: with a first request, then with all that the first cannot say. */
async function user(login: string, fields: object): Promise<number> {
  const made = { source_id: 0, login_name: "", username: login, full_name: "", email: `${login}@example.com` };
  const { id } = await send<{ id: number }>("POST /admin/users", 201, {
    ...made,
    password: "a long enough password",
    must_change_password: true,
    send_notify: false,
    visibility: null,
  });
  const { login_name: loginName, source_id: source, full_name: fullName, email } = made;
  const change = {
    source_id: source,
    login_name: loginName,
    email,
    full_name: fullName,
    password: "",
    description: "",
    must_change_password: false,
    website: "",
    location: "",
    active: true,
    admin: false,
    allow_git_hook: false,
    allow_import_local: false,
    max_repo_creation: -1,
    prohibit_login: false,
    allow_create_organization: true,
    restricted: false,
    visibility: null,
    ...fields,
  };
  await send(`PATCH /admin/users/${login}`, 200, change);
  const { data } = await send<{ data: object[] }>(`GET /users/search?uid=${id}`, 200, undefined, { ok: true });
  const { admin, ...told } = { admin: false, ...fields };
  expect(data[0]).toMatchObject({ id, login, active: true, prohibit_login: false, email, is_admin: admin, ...told });
  return id;
}

test("users, their keys and tokens", async () => {
  const told = { full_name: "Bea B", description: "hello", website: "https://bea.example.com/", location: "There" };
  const bea = await user("bea", { ...told, admin: true, restricted: true, visibility: "limited" });
  await user("cid", {});
  const written = { title: "laptop", key: key.publicKey, read_only: false };
  const made = await send<{ id: number }>("POST /admin/users/bea/keys", 201, written, {
    ...written,
    user: { id: bea },
  });
  expect(await send<unknown>(`GET /users/bea/keys${none}`, 200)).toMatchObject([{ id: made.id, ...written }]);
  await send(`GET /user/keys/${made.id}`, 200, undefined, written);
  const token = { name: "terraform", scopes: ["read:misc", "read:user", "write:repository"] };
  const { sha1, id } = await basic.send<{ sha1: string; id: number }>("POST /users/root/tokens", 201, token, {
    name: token.name,
  });
  const tokens = await basic.send<{ id: number; token_last_eight: string; scopes: string[] }[]>(
    `GET /users/root/tokens${none}`,
    200,
  );
  const read = tokens.find((one) => one.id === id);
  expect([read?.token_last_eight, [...(read?.scopes ?? [])].sort()]).toEqual([sha1.slice(-8), token.scopes]);
  const application = {
    name: "app",
    confidential_client: false,
    redirect_uris: ["https://app.example/cb", "http://127.0.0.1"],
  };
  const { id: applicationId } = await send<{ id: number }>(
    "POST /user/applications/oauth2",
    201,
    application,
    application,
  );
  await send(`GET /user/applications/oauth2/${applicationId}`, 200, undefined, application);
});

test("organizations and teams", async () => {
  const told = {
    full_name: "The Smithy",
    description: "An org",
    website: "https://smithy.example.com/",
    location: "Here",
  };
  const organization = { username: "smithy", ...told, visibility: "private", repo_admin_change_team_access: true };
  await send("POST /orgs", 201, organization, organization);
  await send("GET /orgs/smithy", 200, undefined, organization);
  const plain = { full_name: "", email: "", description: "", website: "", location: "" };
  await send(
    "POST /orgs",
    201,
    { username: "plain", ...plain, visibility: "", repo_admin_change_team_access: false },
    plain,
  );

  const empty = {
    description: "",
    permission: "read",
    can_create_org_repo: false,
    includes_all_repositories: false,
    units: null,
  };
  const team = async (name: string, change: object) => {
    const made = { name, ...empty, units_map: { "repo.code": "none" } };
    const { id } = await send<{ id: number }>("POST /orgs/smithy/teams", 201, made, { units_map: made.units_map });
    await send(`PATCH /teams/${id}`, 200, { name, ...empty, ...change }, change);
    await send(`GET /teams/${id}`, 200, undefined, { name, organization: { username: "smithy" }, ...change });
    const read = await send<{ units_map: object }>(`GET /teams/${id}`, 200);
    expect(read.units_map).toEqual((change as { units_map: object }).units_map);
    return id;
  };
  const units = [
    "actions",
    "code",
    "ext_issues",
    "ext_wiki",
    "issues",
    "packages",
    "projects",
    "pulls",
    "releases",
    "wiki",
  ];
  const all = Object.fromEntries(units.map((unit) => [`repo.${unit}`, "admin"]));
  await team("admins", {
    permission: "admin",
    can_create_org_repo: true,
    includes_all_repositories: true,
    units_map: all,
  });
  await team("readers", { permission: "read", units_map: { "repo.code": "write", "repo.issues": "read" } });
  const some = { "repo.code": "write", "repo.ext_issues": "read", "repo.issues": "read", "repo.wiki": "none" };
  const devs = await team("devs", { permission: "write", includes_all_repositories: true, units_map: some });
  expect(await send<object[]>(`GET /orgs/smithy/teams${none}`, 200)).toHaveLength(4);

  await send(`PUT /teams/${devs}/members/bea`, 204);
  await send(`GET /teams/${devs}/members/bea`, 200, undefined, { login: "bea" });
  expect(await send<unknown>(`GET /teams/${devs}/members?limit=50&page=1`, 200)).toMatchObject([{ login: "bea" }]);
});

const repository = {
  has_issues: true,
  has_wiki: true,
  globally_editable_wiki: false,
  has_pull_requests: true,
  has_projects: true,
  has_releases: true,
  has_packages: true,
  has_actions: true,
  ignore_whitespace_conflicts: false,
  allow_merge_commits: true,
  allow_rebase: true,
  allow_rebase_explicit: true,
  allow_squash_merge: true,
  allow_fast_forward_only_merge: false,
  archived: false,
  allow_rebase_update: true,
  default_delete_branch_after_merge: false,
  default_merge_style: "merge",
  default_update_style: "merge",
  default_allow_maintainer_edit: false,
};
const unread = { allow_manual_merge: false, autodetect_manual_merge: false, enable_prune: false };

/** Makes a repository by this call and changes it to all that it can be; what is read afterwards equals what was written. */
async function makeRepository(
  call: `POST /${string}`,
  made: object,
  change: object,
): Promise<{ id: number; at: string }> {
  const { id, full_name: fullName } = await send<{ id: number; full_name: string }>(call, 201, made);
  const edit = {
    website: "",
    private: false,
    template: false,
    default_branch: "",
    wiki_branch: "",
    ...repository,
    ...change,
  };
  await send(`PATCH /repos/${fullName}`, 200, { ...edit, ...unread });
  const { default_branch: branch, wiki_branch: wikiBranch, ...read } = edit;
  await send(`GET /repositories/${id}`, 200, undefined, {
    ...read,
    ...(branch === "" ? {} : { default_branch: branch }),
    ...(wikiBranch === "" ? {} : { wiki_branch: wikiBranch }),
  });
  return { id, at: `/repos/${fullName}` };
}

test("repositories, new, with outside trackers, from elsewhere, from a template and as forks", async () => {
  const made = {
    description: "",
    private: false,
    issue_labels: "",
    auto_init: true,
    template: false,
    gitignores: "",
    license: "",
    readme: "",
    default_branch: "",
    trust_model: "default",
  };
  const anvil = {
    ...made,
    name: "anvil",
    private: true,
    issue_labels: "Default",
    gitignores: "Go",
    license: "MIT",
    readme: "Default",
    default_branch: "main",
    trust_model: "collaborator",
  };
  await makeRepository("POST /org/smithy/repos", anvil, {
    name: "anvil",
    description: "d",
    website: "https://a.example.com/",
    private: true,
    default_branch: "main",
    internal_tracker: {
      enable_time_tracker: false,
      allow_only_contributors_to_track_time: false,
      enable_issue_dependencies: false,
    },
    allow_squash_merge: false,
    allow_fast_forward_only_merge: true,
    allow_rebase_update: false,
    has_projects: false,
    has_packages: false,
    default_delete_branch_after_merge: true,
    default_merge_style: "rebase",
    default_update_style: "rebase",
    default_allow_maintainer_edit: true,
  });
  await makeRepository(
    "POST /user/repos",
    { ...made, name: "ext" },
    {
      external_tracker: {
        external_tracker_url: "https://t.example.com/",
        external_tracker_format: "https://t.example.com/{user}/{repo}/{index}",
        external_tracker_style: "alphanumeric",
        external_tracker_regexp_pattern: "",
      },
      external_wiki: { external_wiki_url: "https://w.example.com/" },
    },
  );
  const template = await makeRepository(
    "POST /admin/users/root/repos",
    { ...made, name: "tpl", object_format_name: "" },
    { template: true },
  );

  const address = `${app.url}/root/ext.git`;
  const from = { clone_addr: address, service: "", auth_username: "", auth_password: "", auth_token: root.token };
  const asked = { wiki: true, milestones: false, labels: false, issues: true, pull_requests: true, releases: true };
  const other = {
    uid: 0,
    mirror: false,
    private: false,
    description: "",
    mirror_interval: "",
    lfs: false,
    lfs_endpoint: "",
  };
  const clone = { repo_name: "clone", repo_owner: "", ...from, ...asked, ...other };
  const { at } = await makeRepository("POST /repos/migrate", clone, { name: "clone" });
  await send(`GET ${at}`, 200, undefined, { original_url: address, mirror: false });
  const mirror = {
    repo_name: "mirror",
    repo_owner: "",
    ...from,
    ...asked,
    ...other,
    mirror: true,
    mirror_interval: "12h",
  };
  await send("POST /repos/migrate", 201, mirror, { mirror: true, original_url: address, mirror_interval: "12h0m0s" });

  const generated = { owner: "root", name: "generated", description: "", private: true };
  const taken = { git_content: true, topics: false, git_hooks: false, webhooks: false, avatar: false, labels: true };
  await send(`POST ${template.at}/generate`, 201, { ...generated, ...taken }, { name: "generated", private: true });
  await send(
    "POST /repos/smithy/anvil/forks",
    202,
    { organization: "plain", name: null },
    { full_name: "plain/anvil", fork: true },
  );
});

test("files, branches, keys, collaborators, secrets and variables of a repository", async () => {
  const at = "/repos/smithy/anvil";
  await send("GET /repos/root/tpl/contents/dir/hello.txt?ref=", 404);
  const nobody = { name: "", email: "" };
  const never = { author: "0001-01-01T00:00:00Z", committer: "0001-01-01T00:00:00Z" };
  const commit = {
    message: "",
    branch: "",
    new_branch: "",
    force_push: false,
    author: nobody,
    committer: nobody,
    dates: never,
    signoff: false,
  };
  await send(
    "POST /repos/root/tpl/contents/dir/hello.txt",
    201,
    { ...commit, content: "aGVsbG8=" },
    { content: { path: "dir/hello.txt" } },
  );
  await send("GET /repos/root/tpl/contents/dir/hello.txt?ref=", 200, undefined, { content: "aGVsbG8=", size: 5 });
  await send(`POST ${at}/branches`, 201, { new_branch_name: "dev", old_branch_name: "" }, { name: "dev" });
  await send(`GET ${at}/branches/dev`, 200, undefined, { name: "dev" });

  const written = { title: "deploy", key: deployKey.publicKey, read_only: true };
  const { id, url } = await send<{ id: number; url: string }>(`POST ${at}/keys`, 201, written, written);
  await send(`GET ${at}/keys/${id}`, 200, undefined, { ...written, url });
  await send(`PUT ${at}/collaborators/cid`, 204, { permission: "write" });
  await send(`GET ${at}/collaborators/cid/permission`, 200, undefined, { permission: "write" });

  for (const scope of [at, "/orgs/smithy"]) {
    await send(`PUT ${scope}/actions/secrets/SECRET_ONE`, 201, { name: "SECRET_ONE", data: "v" });
    await send(`PUT ${scope}/actions/secrets/SECRET_ONE`, 204, { name: "SECRET_ONE", data: "w" });
    expect(await send<unknown>(`GET ${scope}/actions/secrets${none}`, 200)).toMatchObject([{ name: "SECRET_ONE" }]);
    await send(`POST ${scope}/actions/variables/FOO`, 204, { name: "FOO", value: "bar" });
    await send(`GET ${scope}/actions/variables/FOO`, 200, undefined, { name: "FOO", data: "bar" });
    await send(`PUT ${scope}/actions/variables/FOO`, 204, { name: "", value: "baz" });
    await send(`GET ${scope}/actions/variables/FOO`, 200, undefined, { name: "FOO", data: "baz" });
  }
  const described = { description: "said" };
  await send("PUT /orgs/smithy/actions/secrets/SAID", 201, { data: "v", ...described });
  const secrets = await send<unknown>("GET /orgs/smithy/actions/secrets?limit=50&page=1", 200);
  expect(secrets).toMatchObject([
    { name: "SAID", ...described },
    { name: "SECRET_ONE", description: "" },
  ]);
  await send("POST /orgs/smithy/actions/variables/SAID", 204, { value: "bar", ...described });
  await send("GET /orgs/smithy/actions/variables/SAID", 200, undefined, { data: "bar", ...described });
  await send("PUT /user/actions/secrets/SECRET_ONE", 201, { data: "v", description: "" });
  await send("POST /user/actions/variables/FOO", 204, { value: "bar", description: "" });
  await send("GET /user/actions/variables/FOO", 200, undefined, { data: "bar" });
});

test("webhooks and rules for branches", async () => {
  const at = "/repos/smithy/anvil";
  const config = { content_type: "json", url: "https://hooks.example.com/" };
  const hook = {
    type: "forgejo",
    events: ["push", "release"],
    branch_filter: "main",
    active: true,
    authorization_header: "Bearer x",
  };
  const { id } = await send<{ id: number }>(
    `POST ${at}/hooks`,
    201,
    { ...hook, config: { ...config, secret: "hush" } },
    { ...hook, config },
  );
  await send(`GET ${at}/hooks/${id}`, 200, undefined, { ...hook, config });
  const change = {
    config: { ...config, content_type: "form" },
    events: ["push"],
    branch_filter: "",
    active: false,
    authorization_header: "",
  };
  await send(`PATCH ${at}/hooks/${id}`, 200, change, change);
  const slack = { channel: "#general", color: "#ff0000", icon_url: "https://i.example.com/i.png", username: "bot" };
  const toSlack = {
    type: "slack",
    config: { ...config, ...slack },
    events: ["push"],
    branch_filter: "*",
    active: true,
  };
  await send(`POST ${at}/hooks`, 201, { ...toSlack, authorization_header: "" }, toSlack);

  const blank = {
    enable_push: false,
    enable_push_whitelist: false,
    push_whitelist_usernames: [],
    push_whitelist_teams: [],
    push_whitelist_deploy_keys: false,
    enable_merge_whitelist: false,
    merge_whitelist_usernames: [],
    merge_whitelist_teams: [],
    enable_status_check: false,
    status_check_contexts: [],
    required_approvals: 0,
    enable_approvals_whitelist: false,
    approvals_whitelist_username: [],
    approvals_whitelist_teams: [],
    block_on_rejected_reviews: false,
    block_on_official_review_requests: false,
    block_on_outdated_branch: false,
    dismiss_stale_approvals: false,
    require_signed_commits: false,
    protected_file_patterns: "",
    unprotected_file_patterns: "",
  };
  const full = {
    ...blank,
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_usernames: ["bea"],
    push_whitelist_teams: ["devs"],
    push_whitelist_deploy_keys: true,
    enable_merge_whitelist: true,
    merge_whitelist_usernames: ["bea"],
    enable_status_check: true,
    status_check_contexts: ["ci/*", "lint"],
    required_approvals: 2,
    enable_approvals_whitelist: true,
    approvals_whitelist_teams: ["devs"],
    block_on_rejected_reviews: true,
    block_on_official_review_requests: true,
    block_on_outdated_branch: true,
    dismiss_stale_approvals: true,
    require_signed_commits: true,
    protected_file_patterns: "a/*;b",
  };
  for (const [rule, name, fields] of [
    ["release/*", "", blank],
    ["main", "main", full],
  ] as const) {
    await send(`POST ${at}/branch_protections`, 201, { branch_name: rule, rule_name: name, ...fields }, fields);
    const path = `${at}/branch_protections/${encodeURIComponent(rule).replaceAll("*", "%2A")}` as const;
    await send(`GET ${path}`, 200, undefined, { rule_name: rule, ...fields });
    await send(`PATCH ${path}`, 200, { ...fields, required_approvals: 1 }, { ...fields, required_approvals: 1 });
  }
});

test("what is destroyed is gone", async () => {
  const at = "/repos/smithy/anvil";
  for (const [path, status] of [
    [`${at}/branch_protections/main`, 404],
    [`${at}/collaborators/cid`, 404],
    [`${at}/actions/variables/FOO`, 404],
    ["/orgs/smithy/actions/variables/FOO", 404],
    [at, 404],
    ["/repos/plain/anvil", 404],
    ["/orgs/smithy", 404],
  ] as const) {
    if (path.includes("/actions/variables/")) {
      expect((await root.api.delete(path)).status).toBe(204);
    } else {
      await send(`DELETE ${path}`, 204);
    }
    await send(`GET ${path}`, status);
  }
  await send("DELETE /admin/users/bea?purge=true", 204);
  await send("GET /users/bea", 404);
});

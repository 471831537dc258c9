import { describe, expect, test } from "bun:test";
import { useProtectedRefs } from "../git/protected-fixture.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { TestApp, type TestUser } from "../support/test-app.ts";

/** The API decides by the protections of branches and tags as pushes are decided. */

const { alice, bob, carl, http, repository, protect, tip, oid } = await useProtectedRefs();

describe("the API decides alike", () => {
  const content = Buffer.from("new\n").toString("base64");

  test("commits", async () => {
    const base = await repository("commits");
    await protect(base, {
      rule_name: "main",
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ["bob"],
      protected_file_patterns: "*.lock",
      unprotected_file_patterns: "*.md",
    });
    const before = await tip(base);
    const post = async (user: TestUser, path: string, body: object = {}) => {
      const { status, body: answer } = await user.api.post<{ message?: string }>(`${base}/contents/${path}`, {
        content,
        message: "New",
        ...body,
      });
      return [status, answer.message];
    };
    expect(await post(alice, "a.ts")).toEqual([
      403,
      'protected branch main: you are not on the list of those who may push to it, and "a.ts" is none of the files that anybody may change',
    ]);
    expect(await post(bob, "a.lock")).toEqual([403, 'protected branch main: the file "a.lock" is protected']);
    expect(await tip(base)).toBe(before);
    expect((await post(alice, "a.md"))[0]).toBe(201);
    expect((await post(bob, "a.ts"))[0]).toBe(201);
    expect((await post(carl, "b.ts", { new_branch: "topic" }))[0]).toBe(201);
    const patch = "diff --git a/c.ts b/c.ts\nnew file mode 100644\n--- /dev/null\n+++ b/c.ts\n@@ -0,0 +1 @@\n+new\n";
    const apply = { content: patch, sha: "0".repeat(40), message: "Patch" };
    expect((await carl.api.post(`${base}/diffpatch`, apply)).status).toBe(403);
    expect((await bob.api.post(`${base}/diffpatch`, apply)).status).toBe(200);
    // Notes are no branch's.
    expect((await carl.api.post(`${base}/git/notes/${await tip(base)}`, { message: "n" })).status).toBe(200);
  });

  test("branches are made, renamed, moved and deleted as the rules have it", async () => {
    const base = await repository("branches");
    await http(alice, "branches", "main", "main:refs/heads/free", "main~1:refs/heads/old");
    await protect(base, { rule_name: "release/*" });
    await protect(base, { rule_name: "old", enable_push: true });
    const refusal = (reason: string) => [403, expect.stringContaining(reason)];
    const asked = async (user: TestUser, method: string, path: string, body?: object) => {
      const answer = await user.api.request<{ message?: string } | null>(
        method,
        `${base}${path}`,
        body === undefined ? {} : { body },
      );
      return [answer.status, answer.body?.message];
    };
    expect(await asked(alice, "POST", "/branches", { new_branch_name: "release/1" })).toEqual(
      refusal("protected branch release/1: nobody may push to it"),
    );
    expect(await asked(bob, "DELETE", "/branches/old")).toEqual(refusal("protected branch old: nobody may delete it"));
    expect(await asked(bob, "PATCH", "/branches/free", { name: "release/2" })).toEqual(
      refusal("protected branch release/2"),
    );
    expect(await asked(bob, "PATCH", "/branches/old", { name: "older" })).toEqual(
      refusal("protected branch old: nobody may delete it"),
    );
    const [newest, oldest] = [await oid("main"), await oid("main~2")];
    expect(await asked(bob, "PUT", "/branches/old", { new_commit_id: oldest, force: true })).toEqual(
      refusal("protected branch old: nobody may force it"),
    );
    expect(await asked(bob, "PUT", "/branches/old", { new_commit_id: newest })).toEqual([204, undefined]);
    expect(await tip(base, "old")).toBe(newest);
    // Administrators rename it, and its rule goes along.
    expect(await asked(alice, "PATCH", "/branches/old", { name: "release/old" })).toEqual([204, undefined]);
    const rules = await alice.api.get<{ rule_name: string }[]>(`${base}/branch_protections`);
    expect(rules.body.map((rule) => rule.rule_name)).toEqual(["release/old", "release/*"]);
    expect((await http(bob, "branches", "+main~2:release/old")).stderr).toContain("nobody may force it");
    // Where there is a rule of the new name, it holds, and the other one stays.
    await protect(base, { rule_name: "taken" });
    expect(await asked(alice, "PATCH", "/branches/release%2Fold", { name: "taken" })).toEqual(
      refusal("protected branch"),
    );
    expect(await asked(carl, "DELETE", "/branches/free")).toEqual([204, undefined]);
  });

  test("a fork is brought up to date where its own rules allow it", async () => {
    await repository("upstream");
    expect((await bob.api.post("/repos/forge/upstream/forks", {})).status).toBe(202);
    await http(alice, "upstream", "main");
    const fork = "/repos/bob/upstream";
    const rules = `${fork}/branch_protections`;
    expect((await bob.api.post(rules, { rule_name: "main" })).status).toBe(201);
    const sync = async () => {
      const { status, body } = await bob.api.post<{ message?: string } | null>(`${fork}/merge-upstream`, {
        branch: "main",
      });
      return [status, body?.message];
    };
    expect(await sync()).toEqual([403, expect.stringContaining("protected branch main: nobody may push to it")]);
    expect(await tip(fork)).toBe(await oid("main~1"));
    expect(
      (await bob.api.patch(`${rules}/main`, { enable_push: true, protected_file_patterns: "*.lock" })).status,
    ).toBe(200);
    expect((await sync())[0]).toBe(200);
    expect(await tip(fork)).toBe(await oid("main"));
  });

  test("commits that the server signs are signed", async () => {
    using key = new SshKeyPair();
    await using signing = await TestApp.start({ git: { signing_key: key.path } });
    const owner = await signing.user("owner");
    await signing.repository(owner, "signed", { auto_init: true });
    const commit = async (path: string) =>
      (await owner.api.post(`/repos/owner/signed/contents/${path}`, { content, message: "New" })).status;
    const rule = { rule_name: "main", enable_push: true, require_signed_commits: true };
    expect((await owner.api.post("/repos/owner/signed/branch_protections", rule)).status).toBe(201);
    expect(await commit("a.txt")).toBe(201);
    const base = await repository("unsigned");
    await protect(base, rule);
    const refused = await alice.api.post<{ message: string }>(`${base}/contents/a.txt`, { content, message: "New" });
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining("commits have to be signed")]);
  });

  test("tags answer 405", async () => {
    const base = await repository("tagged");
    await alice.api.post(`${base}/tag_protections`, { name_pattern: "v*", whitelist_usernames: ["bob"] });
    const refused = await alice.api.post<{ message: string }>(`${base}/tags`, { tag_name: "v1" });
    expect([refused.status, refused.body.message]).toEqual([405, expect.stringContaining("protected tag v1: only")]);
    expect((await alice.api.post(`${base}/tags`, { tag_name: "v1", message: "annotated" })).status).toBe(405);
    expect((await bob.api.post(`${base}/tags`, { tag_name: "v1" })).status).toBe(201);
    expect((await alice.api.delete(`${base}/tags/v1`)).status).toBe(405);
    expect((await alice.api.get(`${base}/tags/v1`)).status).toBe(200);
    expect((await bob.api.delete(`${base}/tags/v1`)).status).toBe(204);
  });

  test("a branch says how it is protected, and what whoever asks may do", async () => {
    const base = await repository("told");
    await protect(base, {
      rule_name: "ma*",
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ["bob"],
      enable_merge_whitelist: true,
      merge_whitelist_usernames: ["carl"],
      required_approvals: 2,
      enable_status_check: true,
      status_check_contexts: ["ci"],
    });
    const told = async (user: TestUser) => (await user.api.get<Record<string, unknown>>(`${base}/branches/main`)).body;
    const rule = { protected: true, required_approvals: 2, enable_status_check: true, status_check_contexts: ["ci"] };
    expect(await told(bob)).toMatchObject({
      ...rule,
      user_can_push: true,
      user_can_merge: false,
      effective_branch_protection_name: "",
    });
    expect(await told(carl)).toMatchObject({ ...rule, user_can_push: false, user_can_merge: true });
    expect(await told(alice)).toMatchObject({ user_can_push: false, effective_branch_protection_name: "ma*" });
    const [listed] = (await bob.api.get<Record<string, unknown>[]>(`${base}/branches`)).body;
    expect(listed).toEqual(await told(bob));
    await http(bob, "told", "main:refs/heads/free");
    expect((await carl.api.get(`${base}/branches/free`)).body).toMatchObject({ protected: false, user_can_push: true });
  });
});

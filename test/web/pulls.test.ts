import { describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { commitFile, openPull } from "../support/pulls.ts";
import { WebVisitor, hiddenFields } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
await app.user("bob");
await app.repository(alice, "tour", { auto_init: true });
const nobody = new WebVisitor(app.url);
const owner = new WebVisitor(app.url);
await owner.signIn("alice", testPassword);
const stranger = new WebVisitor(app.url);
await stranger.signIn("bob", testPassword);

interface Pull {
  number: number;
  title: string;
  merged: boolean;
  head: { sha: string };
  requested_reviewers: { login: string }[] | null;
}

let branches = 0;
async function propose(title: string): Promise<Pull> {
  const head = `branch-${++branches}`;
  const file = { content: Buffer.from(`${head}\n`).toString("base64"), message: `Add ${head}`, new_branch: head };
  await alice.api.post(`/repos/alice/tour/contents/${head}.txt`, file);
  const { number } = (await alice.api.post<Pull>("/repos/alice/tour/pulls", { title, head, base: "main" })).body;
  return pull(number);
}
const pull = async (number: number) => (await alice.api.get<Pull>(`/repos/alice/tour/pulls/${number}`)).body;
const page = (number: number, rest = "") => `/alice/tour/pulls/${number}${rest}`;

describe("what somebody may not do", () => {
  test("who may only read is not offered to merge, and cannot", async () => {
    const { number } = await propose("Not theirs");
    expect((await stranger.get(page(number))).text).not.toContain(`action="${page(number, "/merge")}"`);
    for (const [path, fields] of Object.entries({
      merge: { style: "merge" },
      update: {},
      ready: {},
      draft: {},
      base: { base: "main" },
      maintainers: { allow: "1" },
      "branch/delete": {},
      "branch/restore": {},
      revert: {},
      reviewers: { reviewer: "alice" },
    })) {
      const { status } = await stranger.send(page(number), page(number, `/${path}`), fields);
      expect([path, [403, 409, 303].includes(status)]).toEqual([path, true]);
    }
    expect(await pull(number)).toMatchObject({ merged: false, title: "Not theirs" });
    expect((await nobody.get(page(number, "/files"))).status).toBe(200);
    expect((await nobody.post(page(number, "/merge"), { style: "merge" })).status).not.toBe(200);
  });

  test("an issue is no pull request", async () => {
    const { body } = await alice.api.post<{ number: number }>("/repos/alice/tour/issues", { title: "An issue" });
    for (const rest of ["/files", "/commits", "/checks", "/merge", `/commits/${"a".repeat(40)}`, "/files/a..b"]) {
      expect((await owner.get(page(body.number, rest))).status).toBe(404);
    }
    const { status } = await owner.send(`/alice/tour/issues/${body.number}`, page(body.number, "/merge"), {
      style: "merge",
    });
    expect(status).toBe(404);
  });
});

describe("a pull request", () => {
  test("shows its commits and its files", async () => {
    const { number } = await propose("See me");
    const files = await nobody.get(page(number, "/files"));
    expect(files.status).toBe(200);
    expect(files.headers.get("x-robots-tag")).toBe("noindex, nofollow");
    expect(files.text).toContain(`branch-${branches}.txt`);
    expect((await nobody.get(page(number, "/commits"))).text).toContain(`Add branch-${branches}`);
    const text = await nobody.get(page(number, ".diff"));
    expect(text.text).toStartWith("diff --git");
  });

  test("is merged in a style that the repository allows, and says so", async () => {
    const { number } = await propose("Merge me");
    const wrong = await owner.send(page(number), page(number, "/merge"), { style: "octopus" });
    expect(wrong.status).toBe(422);
    const merged = await owner.send(page(number), page(number, "/merge"), {
      style: "squash",
      title: "Squashed",
      delete: "1",
    });
    expect(merged.status).toBe(303);
    expect(await pull(number)).toMatchObject({ merged: true });
    const { text } = await owner.get(page(number));
    expect(text).toContain("The pull request is merged.");
    expect(text).toContain("merged this");
    expect((await alice.api.get(`/repos/alice/tour/branches/branch-${branches}`)).status).toBe(404);
  });

  test("is not merged if its head has moved since the page was made", async () => {
    const { number } = await propose("Moves");
    const { text } = await owner.get(page(number));
    const fields = hiddenFields(text, page(number, "/merge"));
    await alice.api.post(`/repos/alice/tour/contents/later-${branches}.txt`, {
      content: "eA==",
      message: "Later",
      branch: `branch-${branches}`,
    });
    const refused = await owner.post(page(number, "/merge"), { ...fields, style: "merge" });
    expect(refused.status).toBe(409);
    expect(await pull(number)).toMatchObject({ merged: false });
  });

  test("waits for its checks, until that is taken back", async () => {
    const { number, head } = await propose("Later");
    await alice.api.post(`/repos/alice/tour/statuses/${head.sha}`, { state: "pending", context: "ci" });
    expect((await owner.send(page(number), page(number, "/merge"), { style: "merge", when: "checks" })).status).toBe(
      303,
    );
    expect((await owner.get(page(number))).text).toContain("It is merged as soon as all checks succeed");
    await owner.send(page(number), page(number, "/merge"), { when: "never" });
    expect((await owner.get(page(number))).text).not.toContain("It is merged as soon as all checks succeed</span>");
  });

  test("is reviewed by others, not by its author", async () => {
    const { number } = await propose("Review me");
    const finish = (visitor: WebVisitor, fields: Record<string, string>) =>
      visitor.send(page(number, "/files"), page(number, "/files"), { act: "finish", ...fields });
    const own = await finish(owner, { verdict: "approve", body: "mine" });
    expect(own.status).toBe(422);
    const none = await finish(stranger, { verdict: "", body: "kept words" });
    expect(none.status).toBe(422);
    expect(none.text).toContain("kept words");
    const given = await finish(stranger, { verdict: "approve", body: "Looks *good*" });
    expect(given.status).toBe(303);
    const { text } = await nobody.get(page(number));
    expect(text).toContain("approved these changes");
    expect(text).toContain("Looks <em>good</em>");
  });

  test("asks for a review, and tells who cannot be asked", async () => {
    const { number } = await propose("Ask");
    expect((await owner.send(page(number), page(number, "/reviewers"), { reviewer: "bob" })).status).toBe(303);
    expect((await pull(number)).requested_reviewers?.map(({ login }) => login)).toEqual(["bob"]);
    expect(
      (await owner.send(page(number), page(number, "/reviewers"), { reviewer: "nobody-there" })).status,
    ).toBeGreaterThanOrEqual(400);
  });

  test("that is a draft is made ready", async () => {
    const { number } = await propose("WIP: half done");
    const { text } = await owner.get(page(number));
    expect(text).toContain("It is a draft");
    expect(text).not.toContain('value="squash"');
    await owner.send(page(number), page(number, "/ready"), {});
    expect((await pull(number)).title).toBe("half done");
  });
});

/** A pull request that changes a file, and the oid of its head. */
async function proposeFile(title: string, path: string, text: string): Promise<Pull> {
  const head = `branch-${++branches}`;
  await commitFile(alice, "alice/tour", { path, text, branch: head, from: "main" });
  return pull((await openPull(alice, "alice/tour", { head, title })).number);
}

describe("the merge box", () => {
  test("says what a rule wants, who can do it, and names the administrator's override", async () => {
    const { number, head } = await propose("Ruled");
    await alice.api.put("/repos/alice/tour/collaborators/bob", { permission: "write" });
    const rule = {
      rule_name: "main",
      enable_push: true,
      required_approvals: 1,
      enable_status_check: true,
      status_check_contexts: ["ci/test"],
      protected_file_patterns: `branch-${branches}.txt`,
    };
    const { body } = await alice.api.post<{ rule_name: string }>("/repos/alice/tour/branch_protections", rule);
    await alice.api.post(`/repos/alice/tour/statuses/${head.sha}`, { state: "failure", context: "ci/other" });
    const seen = await owner.get(page(number));
    expect(seen.text).toContain("0 of 1 required approvals");
    expect(seen.text).toContain("Nothing has reported it yet");
    expect(seen.text).toContain("It changes a protected file");
    expect(seen.text).toContain("Merge in spite of the rules");
    const theirs = await stranger.get(page(number));
    expect(theirs.text).toContain("Administrators of the repository can merge in spite of its rules.");
    expect(theirs.text).not.toContain("Merge in spite of the rules");
    const refused = await stranger.send(page(number), page(number, "/merge"), { style: "merge", force: "1" });
    expect([refused.status, (await pull(number)).merged]).toEqual([409, false]);
    const merged = await owner.send(page(number), page(number, "/merge"), { style: "merge", force: "1" });
    expect([merged.status, (await pull(number)).merged]).toEqual([303, true]);
    await alice.api.delete(`/repos/alice/tour/branch_protections/${body.rule_name}`);
  });

  test("makes it a draft, changes its base, and updates it in the style of the button", async () => {
    const { number } = await propose("Steered");
    await alice.api.post("/repos/alice/tour/branches", { new_branch_name: "next", old_ref_name: "main" });
    await owner.send(page(number), page(number, "/draft"), {});
    expect((await pull(number)).title).toBe("WIP: Steered");
    expect((await owner.get(page(number))).text).toContain("nobody can merge it");
    await owner.send(page(number), page(number, "/ready"), {});
    await owner.send(page(number), page(number, "/base"), { base: "next" });
    expect(await pull(number)).toMatchObject({ base: { ref: "next" } });
    const wrong = await owner.send(page(number), page(number, "/base"), { base: "nowhere" });
    expect(wrong.status).toBe(404);
    await commitFile(alice, "alice/tour", { path: `next-${branches}.txt`, text: "next\n", branch: "next" });
    const before = await pull(number);
    await owner.send(page(number), page(number, "/update"), { style: "rebase" });
    const { body } = await alice.api.get<{ parents: unknown[] }[]>(`/repos/alice/tour/pulls/${number}/commits`);
    expect(body.map(({ parents }) => parents.length)).toEqual([1]);
    expect((await pull(number)).head.sha).not.toBe(before.head.sha);
  });

  test("shows the history that each style makes, with its message, and merges with the one that was written", async () => {
    const { number } = await propose("Preview <b>me</b>");
    const seen = await owner.get(page(number, "/merge?style=squash"));
    expect(seen.text).toContain(`value="Preview &lt;b&gt;me&lt;/b&gt; (#${number})"`);
    expect(seen.text).toContain('class="lanes"');
    expect((await stranger.get(page(number, "/merge"))).status).toBe(200);
    const kept = await owner.post(page(number, "/merge"), {
      ...hiddenFields(seen.text, page(number, "/merge")),
      style: "squash",
      title: "x".repeat(1001),
      message: "kept words",
    });
    expect([kept.status, kept.text.includes("kept words"), kept.text.includes('aria-invalid="true"')]).toEqual([
      422,
      true,
      true,
    ]);
    const fields = { ...hiddenFields(seen.text, page(number, "/merge")), style: "squash", title: "My title" };
    expect((await owner.post(page(number, "/merge"), { ...fields, message: "And why" })).status).toBe(303);
    const { body } = await alice.api.get<{ commit: { message: string } }[]>(
      "/repos/alice/tour/commits?sha=main&limit=1",
    );
    expect(body[0]?.commit.message).toBe("My title\n\nAnd why\n");
    expect((await owner.get(page(number, "/merge"))).text).toContain("There is nothing to merge");
  });
});

describe("a merged pull request", () => {
  test("has its branch deleted and restored, and is reverted by another one", async () => {
    const { number, head } = await proposeFile("Brought", `brought-${branches + 1}.txt`, "brought\n");
    const branch = `branch-${branches}`;
    const early = await owner.send(page(number), page(number, "/branch/delete"), {});
    expect(early.status).toBe(409);
    await owner.send(page(number), page(number, "/merge"), { style: "rebase" });
    expect((await owner.send(page(number), page(number, "/branch/delete"), {})).status).toBe(303);
    expect((await owner.get(page(number))).text).toContain("Restore the branch");
    await owner.send(page(number), page(number, "/branch/restore"), {});
    const { body } = await alice.api.get<{ commit: { id: string } }>(`/repos/alice/tour/branches/${branch}`);
    expect(body.commit.id).toBe(head.sha);
    const { location } = await owner.send(page(number), page(number, "/revert"), {});
    const other = Number(location.split("/").at(-1));
    expect(await pull(other)).toMatchObject({ title: 'Revert "Brought"', body: `Reverts #${number}` });
    await owner.send(page(other), page(other, "/merge"), { style: "merge" });
    expect((await alice.api.get(`/repos/alice/tour/contents/brought-${branches}.txt`)).status).toBe(404);
  });
});

describe("the checks", () => {
  test("of a pull request and of a commit, with their history", async () => {
    const { number, head } = await propose("Checked");
    const report = (state: string, description: string) =>
      alice.api.post(`/repos/alice/tour/statuses/${head.sha}`, {
        state,
        context: "ci/<test>",
        description,
      });
    await report("pending", "It runs");
    await report("success", "It went well");
    for (const at of [page(number, "/checks"), `/alice/tour/commit/${head.sha}/checks`]) {
      const { status, text } = await nobody.get(at);
      expect([status, text.includes("ci/&lt;test&gt;")]).toEqual([200, true]);
      expect(text).toContain("It runs");
      expect(text).toContain("2 reports");
    }
    const none = await propose("Unchecked");
    expect((await nobody.get(page(none.number, "/checks"))).text).toContain("No checks");
  });
});

describe("the changes since another state", () => {
  test("are a diff after a push, and pairs of commits over a rebase; other commits are not shown", async () => {
    const { number, head } = await proposeFile("Since", "since.txt", "one\n");
    const branch = `branch-${branches}`;
    const next = await commitFile(alice, "alice/tour", { path: "since-2.txt", text: "two\n", branch });
    const forward = await nobody.get(page(number, `/files/${head.sha}..${next}`));
    expect([
      forward.status,
      forward.text.includes('aria-label="since-2.txt"'),
      forward.text.includes('aria-label="since.txt"'),
    ]).toEqual([200, true, false]);
    await commitFile(alice, "alice/tour", { path: `base-${branches}.txt`, text: "base\n", branch: "main" });
    await owner.send(page(number), page(number, "/update"), { style: "rebase" });
    const after = (await pull(number)).head.sha;
    const rewritten = await nobody.get(page(number, `/files/${next}..${after}`));
    expect(rewritten.status).toBe(200);
    expect(rewritten.text).toContain("2 commits: 2 as it was.");
    const stray = await commitFile(alice, "alice/tour", {
      path: "stray.txt",
      text: "x\n",
      branch: "stray",
      from: "main",
    });
    expect((await nobody.get(page(number, `/files/${stray}..${after}`))).status).toBe(404);
    for (const range of ["x", "..x", `${after}..`, "a..b", `${"0".repeat(40)}..${after}`]) {
      expect((await nobody.get(page(number, `/files/${range}`))).status).toBe(404);
    }
  });

  test("begin at one's own review", async () => {
    const { number, head } = await propose("Reviewed once");
    const files = page(number, "/files");
    await stranger.send(files, files, { act: "finish", verdict: "comment", body: "Seen" });
    expect((await stranger.get(page(number, "/files/since-review"))).location).toBe(
      page(number, `/files/${head.sha}..${head.sha}`),
    );
    expect((await nobody.get(page(number, "/files/since-review"))).location).toBe(page(number, "/files"));
  });

  test("lead from commit to commit", async () => {
    const { number, head } = await proposeFile("Two commits", "walk.txt", "one\n");
    const next = await commitFile(alice, "alice/tour", {
      path: "walk-2.txt",
      text: "two\n",
      branch: `branch-${branches}`,
    });
    const first = await nobody.get(page(number, `/commits/${head.sha}`));
    expect([first.status, first.text.includes("Commit 1 of 2"), first.text.includes(`/commits/${next}"`)]).toEqual([
      200,
      true,
      true,
    ]);
    expect((await nobody.get(page(number, `/commits/${"b".repeat(40)}`))).status).toBe(404);
  });
});

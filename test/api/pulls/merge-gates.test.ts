import { beforeAll, describe, expect, test } from "bun:test";
import { expectRefused, PullsOf } from "../../support/merges.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const site = new PullsOf(app, alice, "alice/site");
const at = "/repos/alice/site";

beforeAll(async () => {
  await app.repository(alice, "site");
  await site.write("a.txt", "a\n");
  for (const name of ["bob", "carol"]) {
    await alice.api.put(`${at}/collaborators/${name}`, { permission: "write" });
  }
});

/** Puts the one rule of main in the place of the one before. */
async function protect(rule: object): Promise<void> {
  await alice.api.delete(`${at}/branch_protections/main`);
  const { status } = await alice.api.post(`${at}/branch_protections`, { rule_name: "main", ...rule });
  expect(status).toBe(201);
}

async function unprotected<Result>(run: () => Promise<Result>): Promise<Result> {
  await alice.api.delete(`${at}/branch_protections/main`);
  return run();
}

const open = async (files: Record<string, string> = {}) => site.open(await site.branch(files), {}, bob.api);
const status = (sha: string, context: string, state: string) =>
  alice.api.post(`${at}/statuses/${sha}`, { context, state });
const review = (number: number, by: typeof alice, event: string) =>
  by.api.post<{ id: number }>(`${at}/pulls/${number}/reviews`, { event, body: "Said" });

/** Why a merge is refused; nothing has moved by it. */
async function refusal(number: number, by = bob, body: object = {}): Promise<string> {
  const before = await site.tip();
  const reason = expectRefused(await site.merge(number, body, by.api));
  expect([await site.tip(), await site.isMerged(number)]).toEqual([before, false]);
  return reason.replace(/^protected branch main: /, "");
}

async function expectMerged(number: number, by = bob, body: object = {}): Promise<void> {
  const answer = await site.merge(number, body, by.api);
  expect([answer.status, answer.headers.get("x-merge-refused")]).toEqual([200, null]);
}

test("a protected branch to which nobody may push takes merges", async () => {
  const { number } = await open();
  await protect({ enable_push: false });
  await expectMerged(number);
});

test("the merge list decides who merges, whatever they force", async () => {
  const { number } = await open();
  await protect({ enable_merge_whitelist: true, merge_whitelist_usernames: ["carol"] });
  const list = "you are not on the list of those who may merge into it";
  expect(await refusal(number)).toBe(list);
  expect(await refusal(number, alice, { force_merge: true })).toBe(list);
  expect(expectRefused(await site.merge(number, { merge_when_checks_succeed: true }, bob.api))).toContain(
    "not on the list",
  );
  await expectMerged(number, carol);
});

describe("reviews", () => {
  test("as many approvals as the rule wants, of those that count", async () => {
    const { number } = await open();
    await protect({ required_approvals: 1 });
    expect(await refusal(number)).toBe("it takes 1 approvals, and there are 0");
    const eve = await app.user("eve");
    expect((await review(number, eve, "APPROVED")).status).toBe(200);
    expect(await refusal(number)).toBe("it takes 1 approvals, and there are 0");
    await review(number, carol, "APPROVED");
    await expectMerged(number);
  });

  test("none that rejects, and none that was dismissed or is stale counts", async () => {
    const { number, head } = await open();
    await protect({ required_approvals: 1, block_on_rejected_reviews: true, ignore_stale_approvals: true });
    const { body } = await review(number, alice, "REQUEST_CHANGES");
    await review(number, carol, "APPROVED");
    expect(await refusal(number)).toBe("a review asks for changes");
    await alice.api.post(`${at}/pulls/${number}/reviews/${body.id}/dismissals`, { message: "Done" });
    await site.write("stale.txt", `${number}\n`, { branch: head.ref });
    expect(await refusal(number)).toBe("it takes 1 approvals, and there are 0");
    await review(number, carol, "APPROVED");
    await expectMerged(number);
  });

  test("whoever was asked has to answer, where the rule says so", async () => {
    const { number } = await open();
    await protect({ block_on_official_review_requests: true });
    const asked = await alice.api.post(`${at}/pulls/${number}/requested_reviewers`, { reviewers: ["carol"] });
    expect(asked.status).toBe(201);
    expect(await refusal(number)).toBe("a review is asked for and not given yet");
    await review(number, carol, "COMMENT");
    await expectMerged(number);
  });
});

describe("status checks", () => {
  test("of the head, by name and by pattern", async () => {
    const { number, head } = await open();
    await protect({ enable_status_check: true, status_check_contexts: ["build", "test/*"] });
    expect(await refusal(number)).toBe('the status check "build" has not passed');
    await status(head.sha, "build", "success");
    expect(await refusal(number)).toBe('the status check "test/*" has not passed');
    await status(head.sha, "test/unit", "failure");
    expect(await refusal(number)).toBe('the status check "test/unit" has not passed');
    await status(head.sha, "test/unit", "success");
    await status(head.sha, "other", "failure");
    await expectMerged(number);
  });

  test("of another head count for nothing", async () => {
    const { number, head } = await open();
    await protect({ enable_status_check: true });
    expect(await refusal(number)).toBe("no status check has passed");
    await status(head.sha, "build", "success");
    await site.write("again.txt", "x", { branch: head.ref });
    expect(await refusal(number)).toBe("no status check has passed");
  });
});

test("a head that lacks commits of the base, where the rule wants it to have them", async () => {
  const { number } = await open();
  await unprotected(() => site.write("newer.txt", "x"));
  await protect({ block_on_outdated_branch: true });
  expect(await refusal(number)).toBe("it has commits that the pull request does not have");
  expect((await bob.api.post(`${at}/pulls/${number}/update`)).status).toBe(200);
  await expectMerged(number);
});

test("protected files, and commits that nobody signed", async () => {
  const { number } = await open({ "secret/key.txt": "x" });
  await protect({ protected_file_patterns: "secret/*" });
  expect(await refusal(number)).toBe('the file "secret/key.txt" is protected');
  await protect({ require_signed_commits: true });
  expect(await refusal(number)).toStartWith("its commits have to be signed");
  expect(await refusal(number, alice, { force_merge: true })).toStartWith("its commits have to be signed");
});

test("administrators merge in spite of it if they say so, unless the rule binds them, too", async () => {
  const rule = { required_approvals: 1, enable_status_check: true };
  const { number } = await open();
  await protect({ ...rule, apply_to_admins: true });
  expect(await refusal(number, alice)).toBe("it takes 1 approvals, and there are 0");
  expect(await refusal(number, alice, { force_merge: true })).toBe("it takes 1 approvals, and there are 0");
  await protect({ ...rule, apply_to_admins: false });
  expect(await refusal(number, alice)).toBe("it takes 1 approvals, and there are 0");
  expect(await refusal(number, carol, { force_merge: true })).toStartWith("Only administrators");
  await expectMerged(number, alice, { force_merge: true });
});

import { beforeAll, expect, test } from "bun:test";
import { loadRules } from "../../../src/domain/git/protections/rule-queries.ts";
import { readMergeReviews } from "../../../src/domain/work/reviews/merge-reviews.ts";
import { openPull, writeFile } from "../../support/pulls.ts";
import { makeTeam } from "../../support/team.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const { db, sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const dave = await app.user("dave");
const site = "forge/site";
const rulePath = `/repos/${site}/branch_protections`;
let repositoryId = 0;

beforeAll(async () => {
  await app.organization("forge", alice);
  ({ id: repositoryId } = await app.repository(alice, "site", { auto_init: true }, "forge"));
  const devs = await makeTeam(alice, "forge", { name: "devs", permission: "write" }, [dave]);
  await alice.api.put(`/teams/${devs.id}/repos/${site}`);
  await alice.api.put(`/repos/${site}/collaborators/carol`, { permission: "write" });
  await writeFile(alice, site, { new_branch: "topic" }, "a.txt", "a\n");
});

let opened = 0;
const open = async () => {
  const branch = `topic-${opened++}`;
  await alice.api.post(`/repos/${site}/branches`, { new_branch_name: branch, old_branch_name: "topic" });
  const { number, id } = await openPull(bob, site, { head: branch });
  return {
    id,
    reviews: `/repos/${site}/pulls/${number}/reviews`,
    requests: `/repos/${site}/pulls/${number}/requested_reviewers`,
  };
};
const state = async (pullId: number) => {
  const { branches } = await loadRules(db, repositoryId, null);
  return readMergeReviews(db, { repositoryId, pullId }, branches.find("main"));
};

test("approvals count of those who may write, one of each, until they are dismissed or lose the access", async () => {
  const { id, reviews } = await open();
  expect(await state(id)).toEqual({ approvals: 0, rejected: false, requested: false });
  const { id: first } = (await carol.api.post<{ id: number }>(reviews, { event: "APPROVED" })).body;
  await carol.api.post(reviews, { event: "APPROVED" });
  await dave.api.post(reviews, { event: "APPROVED" });
  await alice.api.post(reviews, { event: "COMMENT", body: "Fine" });
  await (await app.user("zoe")).api.post(reviews, { event: "APPROVED" });
  expect((await state(id)).approvals).toBe(2);
  // A former decision, let count again, counts for nothing.
  await alice.api.post(`${reviews}/${first}/undismissals`);
  expect((await state(id)).approvals).toBe(2);
  await alice.api.delete(`/repos/${site}/collaborators/carol`);
  expect((await state(id)).approvals).toBe(1);
  await alice.api.put(`/repos/${site}/collaborators/carol`, { permission: "write" });
  expect((await state(id)).approvals).toBe(2);
  const { body } = await carol.api.get<{ id: number; user: { login: string } }[]>(reviews);
  const last = body.findLast(({ user }) => user.login === "carol");
  await alice.api.post(`${reviews}/${last?.id}/dismissals`, {});
  expect((await state(id)).approvals).toBe(1);
});

test("a request for changes stands until its author approves; readers decide nothing", async () => {
  const { id, reviews } = await open();
  await carol.api.post(reviews, { event: "REQUEST_CHANGES", body: "No" });
  expect((await state(id)).rejected).toBe(true);
  await carol.api.post(reviews, { event: "COMMENT", body: "Still" });
  expect((await state(id)).rejected).toBe(true);
  await carol.api.post(reviews, { event: "APPROVED" });
  expect(await state(id)).toEqual({ approvals: 1, rejected: false, requested: false });
  await (await app.user("yves")).api.post(reviews, { event: "REQUEST_CHANGES", body: "No" });
  expect((await state(id)).rejected).toBe(false);
});

test("a review that is asked of somebody whose review counts is outstanding until it is given", async () => {
  const { id, reviews, requests } = await open();
  await app.user("xena");
  await alice.api.post(requests, { reviewers: ["xena"] });
  expect((await state(id)).requested).toBe(false);
  await alice.api.post(requests, { reviewers: ["carol"], team_reviewers: ["devs"] });
  expect((await state(id)).requested).toBe(true);
  await carol.api.post(reviews, { event: "APPROVED" });
  expect((await state(id)).requested).toBe(true);
  await dave.api.post(reviews, { event: "APPROVED" });
  expect(await state(id)).toEqual({ approvals: 2, rejected: false, requested: false });
});

test("the rule that the branch has now says whose reviews count, and whether stale ones do", async () => {
  const { id, reviews } = await open();
  await carol.api.post(reviews, { event: "APPROVED" });
  await dave.api.post(reviews, { event: "APPROVED" });
  await alice.api.post(rulePath, {
    rule_name: "main",
    enable_approvals_whitelist: true,
    approvals_whitelist_teams: ["devs"],
  });
  expect((await state(id)).approvals).toBe(1);
  await alice.api.patch(`${rulePath}/main`, { enable_approvals_whitelist: false });
  expect((await state(id)).approvals).toBe(2);
  await sql`update review set stale = true where pull_id = ${id} and reviewer_id = ${carol.id}`;
  expect((await state(id)).approvals).toBe(2);
  for (const [on, count] of [
    [{ ignore_stale_approvals: true, dismiss_stale_approvals: false }, 1],
    [{ ignore_stale_approvals: false, dismiss_stale_approvals: true }, 1],
    [{ ignore_stale_approvals: false, dismiss_stale_approvals: false }, 2],
  ] as const) {
    await alice.api.patch(`${rulePath}/main`, on);
    expect((await state(id)).approvals).toBe(count);
  }
});

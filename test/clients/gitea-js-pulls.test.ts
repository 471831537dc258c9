import { expect, test } from "bun:test";
import { giteaApi } from "gitea-js";
import { useTestApp } from "../support/test-app.ts";

/** Pull requests with gitea-js, whose types and paths are generated from Gitea's document. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const clientOf = (token: string) => giteaApi(app.url, { token, customFetch: fetch });
const { repos } = clientOf(alice.token);
const base64 = (text: string) => Buffer.from(text).toString("base64");

test("pull requests, with files, commits and reviews", async () => {
  await app.repository(alice, "plans", { auto_init: true });
  const write = (path: string, text: string, branch: string, from?: string) =>
    repos.repoCreateFile("alice", "plans", path, {
      content: base64(text),
      message: `Write ${path}`,
      branch: from ?? branch,
      ...(from === undefined ? {} : { new_branch: branch }),
    });
  await write("plan.md", "one\ntwo\n", "plan", "main");
  await write("more.md", "three\n", "plan");
  const opened = (
    await repos.repoCreatePullRequest("alice", "plans", { title: "A plan", head: "plan", base: "main", body: "See" })
  ).data;
  expect(opened).toMatchObject({ number: 1, state: "open", title: "A plan", head: { ref: "plan" }, additions: 3 });
  expect((await repos.repoListPullRequests("alice", "plans", { state: "open" })).data.map((one) => one.number)).toEqual(
    [1],
  );
  expect((await repos.repoGetPullRequestByBaseHead("alice", "plans", "main", "plan")).data.number).toBe(1);
  const files = (await repos.repoGetPullRequestFiles("alice", "plans", 1, { whitespace: "ignore-all" })).data;
  expect(files.map(({ filename, status, additions }) => [filename, status, additions])).toEqual([
    ["more.md", "added", 1],
    ["plan.md", "added", 2],
  ]);
  const commits = (await repos.repoGetPullRequestCommits("alice", "plans", 1, { files: true })).data;
  expect(commits.map(({ commit }) => commit?.message)).toEqual(["Write more.md\n", "Write plan.md\n"]);
  expect(commits[0]!.sha).toBe(opened.head!.sha!);
  const diff = await repos.repoDownloadPullDiffOrPatch("alice", "plans", 1, "diff", {}, { format: "text" });
  expect(diff.data).toStartWith("diff --git a/more.md b/more.md\n");

  const theirs = clientOf(bob.token).repos;
  const review = (
    await theirs.repoCreatePullReview("alice", "plans", 1, {
      event: "APPROVED",
      body: "Good",
      comments: [{ path: "plan.md", new_position: 1, body: "Indeed" }],
    })
  ).data;
  expect(review).toMatchObject({ state: "APPROVED", user: { login: "bob" }, comments_count: 1 });
  const comments = (await repos.repoGetPullReviewComments("alice", "plans", 1, review.id!)).data;
  expect(comments.map(({ path, position, body }) => [path, position, body])).toEqual([["plan.md", 1, "Indeed"]]);

  await expect(repos.repoPullRequestIsMerged("alice", "plans", 1)).rejects.toMatchObject({ status: 404 });
  await repos.repoMergePullRequest("alice", "plans", 1, { Do: "squash", delete_branch_after_merge: true });
  expect((await repos.repoPullRequestIsMerged("alice", "plans", 1)).status).toBe(204);
  const merged = (await repos.repoGetPullRequest("alice", "plans", 1)).data;
  expect(merged).toMatchObject({ state: "closed", merged: true, merged_by: { login: "alice" } });
  expect((await repos.repoGetCommitPullRequest("alice", "plans", merged.merge_commit_sha!)).data.number).toBe(1);
  await expect(repos.repoGetBranch("alice", "plans", "plan")).rejects.toMatchObject({ status: 404 });
});

import { expect, test } from "bun:test";
import { giteaApi } from "gitea-js";
import { useTestApp } from "../support/test-app.ts";

/** gitea-js as a client of issues and what is around them; its types and paths are generated from Gitea's document. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const clientOf = (token: string) => giteaApi(app.url, { token, customFetch: fetch });
const { repos, user } = clientOf(alice.token);
const ofBob = clientOf(bob.token);
await app.repository(alice, "orchard");
const at = ["alice", "orchard"] as const;

test("issues, labels and milestones", async () => {
  const label = (await repos.issueCreateLabel(...at, { name: "kind/tree", color: "#00aabb", exclusive: true })).data;
  const milestone = (await repos.issueCreateMilestone(...at, { title: "spring", due_on: "2030-01-02T00:00:00Z" })).data;
  const issue = (
    await repos.issueCreateIssue(...at, {
      title: "A branch fell",
      body: "@bob saw it",
      labels: [label.id!],
      milestone: milestone.id!,
      assignees: ["alice"],
    })
  ).data;
  expect(issue).toMatchObject({ number: 1, state: "open", milestone: { title: "spring" } });
  expect((await repos.issueListIssues(...at, { labels: "kind/tree", milestones: "spring" })).data).toHaveLength(1);
  expect((await repos.issueSearchIssues({ q: "branch" })).data.map(({ number }) => number)).toEqual([1]);
  const closed = (await repos.issueEditIssue(...at, 1, { state: "closed", title: "Two branches fell" })).data;
  expect([closed.state, closed.title]).toEqual(["closed", "Two branches fell"]);
  expect((await repos.issueGetMilestonesList(...at)).data[0]).toMatchObject({ closed_issues: 1, open_issues: 0 });
  expect((await repos.issueReplaceLabels(...at, 1, { labels: [] })).data).toEqual([]);
  expect((await repos.issueAddLabel(...at, 1, { labels: [label.id!] })).data.map(({ name }) => name)).toEqual([
    "kind/tree",
  ]);
  await repos.issueRemoveLabel(...at, 1, label.id!);
  expect((await repos.issueGetLabels(...at, 1)).data).toEqual([]);
});

test("comments, reactions and the timeline", async () => {
  const comment = (await ofBob.repos.issueCreateComment(...at, 1, { body: "Oh" })).data;
  expect((await ofBob.repos.issueEditComment(...at, comment.id!, { body: "Oh no" })).data.body).toBe("Oh no");
  expect((await repos.issueGetComments(...at, 1)).data.map(({ body }) => body)).toEqual(["Oh no"]);
  await repos.issuePostIssueReaction(...at, 1, { content: "heart" });
  await repos.issuePostCommentReaction(...at, comment.id!, { content: "+1" });
  expect((await repos.issueGetIssueReactions(...at, 1)).data.map(({ content }) => content)).toEqual(["heart"]);
  await repos.issueDeleteIssueReaction(...at, 1, { content: "heart" });
  const timeline = (await repos.issueGetCommentsAndTimeline(...at, 1)).data.map(({ type }) => type);
  expect(new Set(timeline)).toEqual(new Set(["label", "milestone", "assignees", "change_title", "close", "comment"]));
  await ofBob.repos.issueDeleteComment(...at, comment.id!);
  await expect(repos.issueGetComment(...at, comment.id!)).rejects.toMatchObject({ status: 404 });
});

test("tracked time and stopwatches", async () => {
  const added = (await repos.issueAddTime(...at, 1, { time: 90 })).data;
  expect(added).toMatchObject({ time: 90, user_name: "alice", issue: { number: 1 } });
  expect((await repos.issueTrackedTimes(...at, 1, { user: "alice" })).data).toHaveLength(1);
  expect((await repos.repoTrackedTimes(...at)).data.map(({ time }) => time)).toEqual([90]);
  await expect(ofBob.repos.issueAddTime(...at, 1, { time: 90 })).rejects.toMatchObject({ status: 403 });
  await repos.issueDeleteTime(...at, 1, added.id!);
  await repos.issueStartStopWatch(...at, 1);
  expect((await user.userGetStopWatches()).data).toMatchObject([{ issue_index: 1, repo_name: "orchard" }]);
  await expect(repos.issueStartStopWatch(...at, 1)).rejects.toMatchObject({ status: 409 });
  await repos.issueStopStopWatch(...at, 1);
  expect((await user.userCurrentTrackedTimes()).data).toHaveLength(1);
  await repos.issueResetTime(...at, 1);
  await repos.issueStartStopWatch(...at, 1);
  await repos.issueDeleteStopWatch(...at, 1);
  expect((await user.userCurrentTrackedTimes()).data).toEqual([]);
});

test("pins, subscriptions and notifications", async () => {
  await repos.issueCreateIssue(...at, { title: "A leaf fell" });
  await repos.pinIssue(...at, 1);
  await repos.pinIssue(...at, 2);
  await repos.moveIssuePin(...at, 2, 1);
  expect((await repos.repoListPinnedIssues(...at)).data.map(({ number }) => number)).toEqual([2, 1]);
  await repos.unpinIssue(...at, 2);
  expect((await repos.repoNewPinAllowed(...at)).data).toEqual({ issues: true, pull_requests: true });
  await repos.issueAddSubscription(...at, 2, "alice");
  expect((await repos.issueSubscriptions(...at, 2)).data.map(({ login }) => login)).toEqual(["alice"]);
  const { data: threads } = await ofBob.notifications.notifyGetList();
  expect(threads.map(({ subject }) => subject?.title)).toEqual(["Two branches fell"]);
  await ofBob.notifications.notifyReadThread(String(threads[0]?.id));
  expect((await ofBob.notifications.notifyNewAvailable()).data.new).toBe(0);
});

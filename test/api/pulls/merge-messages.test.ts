import { beforeAll, expect, test } from "bun:test";
import { mustGit, Scratch } from "../../support/git.ts";
import { PullsOf } from "../../support/merges.ts";
import { testPassword, useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const site = new PullsOf(app, alice, "alice/site");
const at = "/repos/alice/site";

beforeAll(async () => {
  await app.repository(alice, "site");
  await site.write("a.txt", "a\n");
  await alice.api.put(`${at}/collaborators/bob`, { permission: "write" });
});

interface Commit {
  parents: { sha: string }[];
  commit: { message: string; author: { name: string; email: string; date: string }; committer: { name: string } };
}

const commitOf = async (oid: string) => (await alice.api.get<Commit>(`${at}/git/commits/${oid}`)).body;
const tipCommit = async () => commitOf((await site.tip())!);
const urlOf = (number: number) => `${app.url}/alice/site/pulls/${number}`;

test("nobody said anything: the words of the family, with where it was reviewed", async () => {
  const head = await site.branch();
  const { number } = await site.open(head, { title: "Add the anvil" });
  await site.merge(number, {}, bob.api);
  const { commit } = await tipCommit();
  expect(commit.message).toBe(
    `Merge pull request 'Add the anvil' (#${number}) from ${head} into main\n\nReviewed-on: ${urlOf(number)}\n`,
  );
  expect([commit.author.name, commit.committer.name]).toEqual(["bob", "bob"]);
});

test("whoever approved is named", async () => {
  const { number } = await site.open(await site.branch());
  await bob.api.post(`${at}/pulls/${number}/reviews`, { event: "APPROVED", body: "Fine" });
  await site.merge(number, {});
  expect((await tipCommit()).commit.message).toEndWith(
    `\n\nReviewed-on: ${urlOf(number)}\nReviewed-by: bob <${bob.name}@example.com>\n`,
  );
});

test("title and message that are given count, cleaned up as git does", async () => {
  const { number } = await site.open(await site.branch());
  await site.merge(number, { MergeTitleField: " By hand ", MergeMessageField: "Why  \r\n\r\n\r\n\r\nBecause\n" });
  expect((await tipCommit()).commit.message).toBe("By hand\n\nWhy\n\nBecause\n");
  const head = await site.branch();
  const other = await site.open(head);
  await site.merge(other.number, { MergeMessageField: "Only a body" });
  expect((await tipCommit()).commit.message).toBe(
    `Merge pull request 'About ${head}' (#${other.number}) from ${head} into main\n\nOnly a body\n`,
  );
});

test("a squash is the poster's, with the description, and thanks those who wrote commits", async () => {
  using scratch = new Scratch();
  const work = scratch.join("work");
  const url = new URL("/alice/site.git", app.url);
  url.username = "bob";
  url.password = testPassword;
  await mustGit(scratch.path, ["clone", "-q", url.href, work]);
  await mustGit(work, ["checkout", "-q", "-b", "squashed"]);
  const people = ["Ada <ada@example.org>", "Bob the Smith <bob@example.com>", "Ada <ada@example.org>"];
  for (const [index, author] of people.entries()) {
    await mustGit(work, ["commit", "-q", "--allow-empty", "-m", `Step ${index}`, `--author=${author}`]);
  }
  await Bun.write(`${work}/squashed.txt`, "x\n");
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", "Last step"]);
  await mustGit(work, ["push", "-q", "origin", "squashed"]);
  const { number } = await site.open("squashed", { title: "Squash me", body: "It is\nneeded." }, bob.api);
  const before = await site.tip();
  await site.merge(number, { Do: "squash" });
  const { commit, parents } = await tipCommit();
  expect(commit.message).toBe(
    `Squash me (#${number})\n\nIt is\nneeded.\n\nCo-authored-by: Ada <ada@example.org>\nReviewed-on: ${urlOf(number)}\n`,
  );
  // As Bob writes himself in the commits that are his.
  expect([commit.author.name, commit.author.email, commit.committer.name]).toEqual([
    "Bob the Smith",
    "bob@example.com",
    "alice",
  ]);
  expect(parents.map(({ sha }) => sha)).toEqual([before!]);
});

test("a rebase keeps authors, dates and messages, and has the merger as its committer", async () => {
  const head = await site.branch({ "r1.txt": "1", "r2.txt": "2" });
  const own = await commitOf((await site.tip(head))!);
  const { number } = await site.open(head);
  await site.write("moved-on.txt", "x");
  await site.merge(number, { Do: "rebase" }, bob.api);
  const { commit } = await tipCommit();
  expect([commit.message, commit.author]).toEqual([own.commit.message, own.commit.author]);
  expect(commit.committer.name).toBe("bob");
  const reworded = await site.open(await site.branch({ "r3.txt": "3", "r4.txt": "4" }));
  await site.write("moved-further.txt", "x");
  await site.merge(reworded.number, { Do: "rebase", MergeTitleField: "Reworded" });
  const last = await tipCommit();
  expect(last.commit.message).toBe("Reworded\n");
  expect((await commitOf(last.parents[0]!.sha)).commit.message).toBe("Add r3.txt\n");
});

test("templates of the default branch, Forgejo's before Gitea's", async () => {
  const template = (style: string, text: string, place = ".gitea") =>
    site.write(`${place}/default_merge_message/${style}_TEMPLATE.md`, text);
  await template("MERGE", "of gitea");
  await template(
    "MERGE",
    "${PullRequestTitle} by $PullRequestPosterName\n\n$ClosingIssues $BaseRepoName\n$ReviewedOn",
    ".forgejo",
  );
  await template("SQUASH", "$PullRequestReference ${HeadBranch}");
  await template("REBASE", "$CommitTitle (#${PullRequestIndex})\n\n$CommitBody");
  await template("REBASE-MERGE", "Line up $BaseBranch");
  const merged = await site.open(await site.branch(), { title: "The title", body: "Closes #77, fixes #78." });
  await site.merge(merged.number, {});
  expect((await tipCommit()).commit.message).toBe(
    `The title by alice\n\nclose #77, close #78 site\nReviewed-on: ${urlOf(merged.number)}\n`,
  );
  const head = await site.branch();
  const squashed = await site.open(head);
  await site.merge(squashed.number, { Do: "squash" });
  expect((await tipCommit()).commit.message).toBe(`#${squashed.number} ${head}\n`);
  const rebased = await site.open(await site.branch({ "t.txt": "t" }));
  await site.merge(rebased.number, { Do: "rebase" });
  expect((await tipCommit()).commit.message).toBe(`Add t.txt (#${rebased.number})\n`);
  const both = await site.open(await site.branch());
  await site.merge(both.number, { Do: "rebase-merge" });
  expect((await tipCommit()).commit.message).toBe("Line up main\n");
});

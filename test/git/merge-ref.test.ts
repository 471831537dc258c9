import { afterAll, beforeAll, expect, test } from "bun:test";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { PullsOf } from "../support/merges.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp } from "../support/test-app.ts";

/** `refs/pull/N/merge`, which is made when somebody fetches it, by the real git. */

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
const { sql } = app.forge.database;
const site = new PullsOf(app, alice, "alice/site");
const scratch = new Scratch();
const key = new SshKeyPair();
const work = scratch.join("work");
const url = `${app.url}/alice/site.git`;

afterAll(() => {
  scratch[Symbol.dispose]();
  key[Symbol.dispose]();
});

beforeAll(async () => {
  await app.repository(alice, "site");
  await site.write("a.txt", "1\n2\n3\n");
  await key.addTo(bob);
  await mustGit(scratch.path, ["clone", "-q", url, work]);
});

const fetchRef = (number: number, from = url) =>
  runGit(work, ["fetch", "-q", from, `refs/pull/${number}/merge`], { env: { ...key.env } });
const fetched = async (number: number, from = url) => {
  expect(await fetchRef(number, from)).toMatchObject({ code: 0 });
  return mustGit(work, ["rev-parse", "FETCH_HEAD"]);
};
const parentsOf = async (commit: string) =>
  (await mustGit(work, ["rev-list", "--parents", "-n1", commit])).split(" ").slice(1);
const stored = async () =>
  (await sql<{ name: string }[]>`select name from ref where name like '%/merge' order by name`).map(({ name }) => name);

test("it is the merge that git makes, as head and base are at the moment", async () => {
  const { number, head } = await site.open(await site.branch());
  // Nobody pays for it before.
  expect(await stored()).toEqual([]);
  await site.write("b.txt", "of main\n");
  const merge = await fetched(number);
  const main = (await site.tip())!;
  expect(await parentsOf(merge)).toEqual([main, head.sha]);
  await mustGit(work, ["fetch", "-q", url, "main", `refs/pull/${number}/head`]);
  const tree = await mustGit(work, ["merge-tree", "--write-tree", main, head.sha]);
  expect(await mustGit(work, ["rev-parse", `${merge}^{tree}`])).toBe(tree);
  expect(await mustGit(work, ["log", "-1", "--format=%an %s", merge])).toBe(`Stithy Merge ${head.sha} into ${main}`);
  // The same one, as long as nothing moves.
  expect(await fetched(number)).toBe(merge);
  await site.write("b.txt", "again\n");
  expect(await parentsOf(await fetched(number))).toEqual([(await site.tip())!, head.sha]);
  await mustGit(work, ["fsck", "--connectivity-only"]);
});

test("over SSH, from a fork, and by many at once", async () => {
  expect((await bob.api.post("/repos/alice/site/forks", {})).status).toBe(202);
  const fork = new PullsOf(app, bob, "bob/site");
  const branch = await fork.branch();
  const { number } = await site.open(`bob:${branch}`, {}, bob.api);
  const { body } = await bob.api.get<{ ssh_url: string }>("/repos/alice/site");
  const next = await fork.write("more.txt", "more\n", { branch });
  const merge = await fetched(number, body.ssh_url);
  expect(await parentsOf(merge)).toEqual([(await site.tip())!, next]);
  await site.write("c.txt", "moves\n");
  const listed = await Promise.all(
    [1, 2, 3, 4].map(() => runGit(work, ["ls-remote", url, `refs/pull/${number}/merge`])),
  );
  expect(new Set(listed.map(({ stdout }) => stdout)).size).toBe(1);
  expect(listed[0]?.stdout).toContain(`refs/pull/${number}/merge`);
});

test("one that is in conflict, closed or none has none", async () => {
  const { number } = await site.open(await site.branch({ "a.txt": "1\nbranch\n3\n" }));
  await fetched(number);
  await site.write("a.txt", "1\nmain\n3\n");
  const refused = await fetchRef(number);
  expect([refused.code, refused.stderr]).toEqual([128, expect.stringContaining("couldn't find remote ref") as never]);
  expect(await stored()).not.toContain(`refs/pull/${number}/merge`);
  const other = await site.open(await site.branch());
  await fetched(other.number);
  await alice.api.patch(`/repos/alice/site/pulls/${other.number}`, { state: "closed" });
  expect((await fetchRef(other.number)).code).toBe(128);
  expect(await stored()).not.toContain(`refs/pull/${other.number}/merge`);
  const issue = await alice.api.post<{ number: number }>("/repos/alice/site/issues", { title: "No pull request" });
  for (const number_ of [issue.body.number, 999_999, 0]) {
    expect((await fetchRef(number_)).code).toBe(128);
  }
});

test("nobody pushes it, and those who may not read the repository do not make it", async () => {
  const { number } = await site.open(await site.branch());
  const pushUrl = url.replace("://", `://x:${alice.token}@`);
  const pushed = await runGit(work, ["push", pushUrl, `HEAD:refs/pull/${number}/merge`]);
  expect(pushed.stderr).toContain("deny updating a hidden ref");
  await alice.api.patch("/repos/alice/site", { private: true });
  expect((await fetchRef(number, url.replace("://", `://x:${(await app.user("eve")).token}@`))).code).toBe(128);
  expect(await stored()).not.toContain(`refs/pull/${number}/merge`);
  await alice.api.patch("/repos/alice/site", { private: false });
  await alice.api.patch("/repos/alice/site", { archived: true });
  expect((await fetchRef(number)).code).toBe(128);
  expect((await runGit(work, ["fetch", "-q", url, "main"])).code).toBe(0);
});

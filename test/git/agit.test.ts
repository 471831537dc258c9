import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mustGit, runGit, Scratch, type GitRun } from "../support/git.ts";
import { commitFile, type PullJson } from "../support/pulls.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { testPassword, useTestApp, type TestUser } from "../support/test-app.ts";

/** Pull requests by pushes to refs/for/, of the real git. */

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
const mallory = await app.user("mallory");
const { sql } = app.forge.database;
const site = await app.repository(alice, "site");
const at = "/repos/alice/site/pulls";
const scratch = new Scratch();
const keys = new Map<string, SshKeyPair>();
const work = scratch.join("work");
let made = 0;

afterAll(() => {
  scratch[Symbol.dispose]();
  keys.forEach((key) => key[Symbol.dispose]());
});

beforeAll(async () => {
  await commitFile(alice, "alice/site", { path: "a.txt", text: "one\n" });
  await commitFile(alice, "alice/site", { path: "b.txt", text: "b\n", branch: "release/1", from: "main" });
  for (const user of [alice, bob, mallory]) {
    const key = new SshKeyPair();
    await key.addTo(user);
    keys.set(user.name, key);
  }
  await mustGit(scratch.path, ["clone", "-q", http(alice), work]);
  expect((await alice.api.put("/user/block/mallory")).status).toBe(204);
});

const http = ({ name }: TestUser) =>
  `${app.url.replace("://", `://${name}:${encodeURIComponent(testPassword)}@`)}/alice/site.git`;
const overHttp = (user: TestUser, ref: string, options: readonly string[] = []): Promise<GitRun> =>
  runGit(work, ["push", ...options.flatMap((option) => ["-o", option]), http(user), `HEAD:${ref}`]);
const overSsh = async (user: TestUser, ref: string, options: readonly string[] = []): Promise<GitRun> => {
  const body = (await user.api.get<{ ssh_url: string }>("/repos/alice/site")).body;
  const args = ["push", ...options.flatMap((option) => ["-o", option]), body.ssh_url, `HEAD:${ref}`];
  return runGit(work, args, { env: { ...keys.get(user.name)?.env } });
};

/** Makes one more commit upon main, or upon the last one. */
async function commit(
  upon: "main" | "last" = "main",
  message = `Change ${made + 1}\n\nWhy it is made.`,
): Promise<string> {
  if (upon === "main") {
    await mustGit(work, ["fetch", "-q", http(alice), "main"]);
    await mustGit(work, ["checkout", "-q", "--detach", "FETCH_HEAD"]);
  }
  await Bun.write(`${work}/agit-${++made}.txt`, `${made}\n`);
  await mustGit(work, ["add", "."]);
  await mustGit(work, ["commit", "-q", "-m", message]);
  return mustGit(work, ["rev-parse", "HEAD"]);
}
const pulls = async () => (await alice.api.get<PullJson[]>(`${at}?state=all&limit=50`)).body;
const numberIn = (run: GitRun) => Number(/pull request #(\d+)/.exec(run.stderr)?.[1]);
const shown = async (number: number) => (await alice.api.get<PullJson>(`${at}/${number}`)).body;

describe.each([
  ["HTTP", overHttp],
  ["SSH", overSsh],
] as const)("over %s", (transport, push) => {
  test("whoever may read offers a change, and another one upon it", async () => {
    const first = await commit();
    const run = await push(bob, "refs/for/main", [`topic=${transport}`]);
    expect({ code: run.code, stderr: run.stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("remote: Opened pull request #") as never,
    });
    const number = numberIn(run);
    expect(await shown(number)).toMatchObject({
      title: expect.stringMatching(/^Change \d+$/),
      body: "Why it is made.",
      user: { login: "bob" },
      flow: 1,
      mergeable: true,
      additions: 1,
      base: { ref: "main" },
      head: { label: "", ref: `refs/pull/${number}/head`, sha: first, repo_id: site.id },
    });
    const second = await commit("last");
    const again = await push(bob, `refs/for/main/${transport}`, ["title=Better", "description=Still"]);
    expect({ code: again.code, number: numberIn(again) }).toEqual({ code: 0, number });
    expect(again.stderr).toContain("remote: Updated pull request");
    expect(await shown(number)).toMatchObject({ title: "Better", body: "Still", additions: 2, head: { sha: second } });
    const told = await sql<
      { kind: string }[]
    >`select kind from outbox where payload->'issue'->>'number' = ${String(number)} order by id`;
    expect(told.map(({ kind }) => kind)).toEqual([
      "issue.opened",
      "pull.synchronized",
      "issue.retitled",
      "issue.rewritten",
    ]);
    // No branch was made.
    const branches =
      await sql`select name from ref where repository_id = ${site.id} and name like 'refs/heads/%' and name not in ('refs/heads/main', 'refs/heads/release/1')`;
    expect([...branches]).toEqual([]);
  });

  test("commits are given up only where that is asked for", async () => {
    const topic = `force-${transport}`;
    await commit();
    const number = numberIn(await push(bob, "refs/for/main", [`topic=${topic}`]));
    const before = (await shown(number)).head.sha;
    const other = await commit();
    const refused = await push(bob, "refs/for/main", [`topic=${topic}`]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("push with -o force-push to do that");
    expect((await shown(number)).head.sha).toBe(before);
    expect((await push(bob, "refs/for/main", [`topic=${topic}`, "force-push"])).code).toBe(0);
    expect((await shown(number)).head.sha).toBe(other);
  });

  test("other refs stay closed to whoever may only read", async () => {
    await commit();
    for (const ref of ["refs/heads/main", "refs/heads/new", "refs/tags/v1", "refs/pull/1/head"]) {
      const run = await push(bob, ref);
      expect(run.code).not.toBe(0);
      expect(run.stderr).toContain('You may read "alice/site", but not push to it');
    }
    const refs =
      await sql`select name from ref where repository_id = ${site.id} and name in ('refs/heads/new', 'refs/tags/v1')`;
    expect([...refs]).toEqual([]);
  });

  test("whoever the owner keeps away offers nothing", async () => {
    await commit();
    const before = await pulls();
    expect((await push(mallory, "refs/for/main", ["topic=x"])).code).not.toBe(0);
    expect(await pulls()).toHaveLength(before.length);
  });
});

describe("refused", () => {
  test.each([
    ["no topic", "refs/for/main", [], "Name the change: push with -o topic=NAME, or to refs/for/main/NAME"],
    ["an unknown branch", "refs/for/nowhere", ["topic=x"], 'There is no branch "nowhere"'],
    ["a topic that is none", "refs/for/main", ["topic=a..b"], "cannot be a topic"],
  ])("%s", async (_, ref, options, message) => {
    await commit();
    const before = await pulls();
    const run = await overHttp(bob, ref, options);
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain(message);
    expect(await pulls()).toHaveLength(before.length);
  });

  test("nothing new, an unrelated history, a deletion, and several at once", async () => {
    await commit();
    await mustGit(work, ["checkout", "-q", "HEAD~1"]);
    expect((await overHttp(bob, "refs/for/main", ["topic=n"])).stderr).toContain(
      "The head has no commits that the base does not have",
    );
    await mustGit(work, ["checkout", "-q", "--orphan", `orphan-${made}`]);
    await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "root"]);
    expect((await overHttp(bob, "refs/for/main", ["topic=o"])).stderr).toContain("no history in common");
    expect((await runGit(work, ["push", http(bob), ":refs/for/main"])).code).not.toBe(0);
    const both = await runGit(work, ["push", http(alice), "HEAD:refs/for/main/x", "HEAD:refs/heads/beside"]);
    expect(both.stderr).toContain("push one change at a time to refs/for/");
    const refs = await sql`select name from ref where repository_id = ${site.id} and name = 'refs/heads/beside'`;
    expect([...refs]).toEqual([]);
  });
});

test("a branch whose name has slashes is found, the title is an option, and a topic is each user's own", async () => {
  await commit();
  const bobs = numberIn(await overHttp(bob, "refs/for/release/1/same/topic", ["title=Backport"]));
  expect(await shown(bobs)).toMatchObject({ title: "Backport", base: { ref: "release/1" } });
  const alices = numberIn(await overHttp(alice, "refs/for/release/1/same/topic"));
  expect(alices).not.toBe(bobs);
  const again = await overHttp(bob, "refs/for/release/1/same/topic");
  expect(again.stderr).toContain(`Pull request #${bobs} is at this commit already`);
});

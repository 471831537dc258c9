import { beforeAll, describe, expect, test } from "bun:test";
import { serverDoer } from "../../../src/domain/spine/doer.ts";
import { requestRefresh } from "../../../src/domain/work/pulls/follow-refs.ts";
import { waitUntilIdle } from "../../../src/domain/server/wait-until-idle.ts";
import { hearEvents } from "../../support/hear-events.ts";
import { mustGit, runGit, Scratch } from "../../support/git.ts";
import { commitFile, type PullJson } from "../../support/pulls.ts";
import { testPassword, useTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

/** Pull requests go with the branches that they are from and for. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const { sql } = app.forge.database;
const site = await app.repository(alice, "site");
const at = "/repos/alice/site/pulls";
const remote = (user: string, path: string) =>
  `${app.url.replace("://", `://${user}:${encodeURIComponent(testPassword)}@`)}/${path}.git`;
let made = 0;

beforeAll(async () => {
  await commitFile(alice, "alice/site", { path: "a.txt", text: "one\n" });
  await bob.api.post("/repos/alice/site/forks", {});
});

const commit = (branch: string, fields: { path?: string; text?: string; from?: string } = {}, who = alice) =>
  commitFile(who, `${who.name}/site`, { path: `${++made}.txt`, text: `${made}\n`, branch, ...fields });
const shown = async (number: number) => (await alice.api.get<PullJson>(`${at}/${number}`)).body;
const stored = async (number: number) =>
  (await alice.api.get<PullJson[]>(`${at}?state=all&limit=50`)).body.find((one) => one.number === number);
const refs = async () =>
  new Map(
    (
      await sql<
        { name: string; oid: string }[]
      >`select name, encode(oid, 'hex') as oid from ref where repository_id = ${site.id}`
    ).map(({ name, oid }) => [name, oid]),
  );
const heard = hearEvents();
const told = (number: number) =>
  heard.flatMap((event) =>
    "issue" in event && event.issue.number === number && event.repository.id === site.id ? event.kind : [],
  );

/** Opens a pull request from a new branch; `who`: from their repository. */
async function open(who = alice, base = "main"): Promise<{ number: number; head: string }> {
  const head = `head-${++made}`;
  await commit(head, { from: "main" }, who);
  const fields = { title: `From ${head}`, base, head: `${who.name}:${head}` };
  return { number: (await who.api.post<PullJson>(at, fields)).body.number, head };
}

describe("the head", () => {
  test("moves with a push to its branch, in the same moment", async () => {
    const { number, head } = await open();
    const tip = await commit(head);
    expect((await refs()).get(`refs/pull/${number}/head`)).toBe(tip);
    expect(await shown(number)).toMatchObject({ head: { sha: tip }, additions: 2, changed_files: 2, mergeable: true });
    expect(told(number)).toEqual(["issue.opened", "pull.synchronized"]);
  });

  test("of a fork moves with it, too, and brings its objects", async () => {
    const { number, head } = await open(bob);
    const secret = await commit(`secret-${made}`, { from: "main" }, bob);
    const tip = await commit(head, {}, bob);
    expect(await shown(number)).toMatchObject({ head: { sha: tip, label: head }, additions: 2, changed_files: 2 });
    expect((await refs()).get(`refs/pull/${number}/head`)).toBe(tip);
    expect((await alice.api.get(`/repos/alice/site/git/commits/${secret}`)).status).toBe(404);
    expect(told(number)).toEqual(["issue.opened", "pull.synchronized"]);
  });

  test("of a fork moves without anybody who looks", async () => {
    const { number, head } = await open(bob);
    const tip = await commit(head, {}, bob);
    await until("the head to be brought", async () => (await stored(number))?.head.sha === tip);
    await until("it to be compared", async () => (await stored(number))?.additions === 2);
  });

  test("may give up commits", async () => {
    using scratch = new Scratch();
    const { number, head } = await open();
    await commit(head);
    await mustGit(scratch.path, ["clone", "-q", "-b", head, remote("alice", "alice/site"), "."]);
    await mustGit(scratch.path, ["reset", "-q", "--hard", "HEAD~1"]);
    await mustGit(scratch.path, ["push", "-q", "--force", "origin", head]);
    const tip = await mustGit(scratch.path, ["rev-parse", "HEAD"]);
    expect(await shown(number)).toMatchObject({ head: { sha: tip }, additions: 1, changed_files: 1 });
    expect((await refs()).get(`refs/pull/${number}/head`)).toBe(tip);
  });

  test("can be fetched, is pushed by nobody, and is not in a fork", async () => {
    using scratch = new Scratch();
    const { number, head } = await open();
    await mustGit(scratch.path, ["clone", "-q", remote("bob", "alice/site"), "."]);
    await mustGit(scratch.path, ["fetch", "-q", "origin", `refs/pull/${number}/head:mine`]);
    expect(await mustGit(scratch.path, ["rev-parse", "mine"])).toBe((await shown(number)).head.sha);
    const push = await runGit(scratch.path, ["push", remote("alice", "alice/site"), `+main:refs/pull/${number}/head`]);
    expect(push.code).not.toBe(0);
    expect(push.stderr).toContain("deny updating a hidden ref");
    expect(await mustGit(scratch.path, ["ls-remote", "origin", "refs/pull/*"])).toContain(`refs/pull/${number}/head`);
    const pushing = await fetch(`${app.url}/alice/site.git/info/refs?service=git-receive-pack`, {
      headers: { authorization: `Basic ${btoa(`alice:${testPassword}`)}` },
    });
    expect(pushing.status).toBe(200);
    expect(await pushing.text()).not.toContain("refs/pull/");
    const carol = await app.user(`carol-${made}`);
    const { body: fork } = await carol.api.post<{ id: number }>("/repos/alice/site/forks", {});
    const copied = await sql<{ name: string }[]>`select name from ref where repository_id = ${fork.id}`;
    expect(copied.some(({ name }) => name === `refs/heads/${head}`)).toBe(true);
    expect(copied.filter(({ name }) => name.startsWith("refs/pull/"))).toEqual([]);
  });

  test("that is deleted closes, keeps the commit, and is there again when it is restored", async () => {
    const { number, head } = await open();
    const { sha } = (await shown(number)).head;
    expect((await alice.api.delete(`/repos/alice/site/branches/${head}`)).status).toBe(204);
    const closed = await shown(number);
    expect(closed).toMatchObject({ state: "closed", head: { label: head, ref: `refs/pull/${number}/head`, sha } });
    const reopening = await alice.api.patch<PullJson>(`${at}/${number}`, { state: "open" });
    expect({ status: reopening.status, message: reopening.body.message }).toEqual({
      status: 409,
      message: `The branch "${head}" of pull request #${number} is gone; restore it first`,
    });
    const restored = await alice.api.post(`/repos/alice/site/branches`, {
      new_branch_name: head,
      old_ref_name: `refs/pull/${number}/head`,
    });
    expect(restored.status).toBe(201);
    expect((await alice.api.patch<PullJson>(`${at}/${number}`, { state: "open" })).body).toMatchObject({
      state: "open",
      head: { ref: head, sha },
    });
    expect(told(number)).toEqual(["issue.opened", "issue.closed", "pull.head-deleted", "issue.reopened"]);
    const { body: entries } = await alice.api.get<{ type: string; old_ref: string }[]>(
      `/repos/alice/site/issues/${number}/timeline`,
    );
    expect(entries.map(({ type }) => type)).toEqual(["close", "delete_branch", "reopen"]);
  });

  test("that moved while it was closed is taken up when it is reopened", async () => {
    const { number, head } = await open();
    await alice.api.patch(`${at}/${number}`, { state: "closed" });
    const tip = await commit(head);
    expect((await shown(number)).head.sha).not.toBe(tip);
    expect((await alice.api.patch<PullJson>(`${at}/${number}`, { state: "open" })).body).toMatchObject({
      head: { sha: tip },
      additions: 2,
    });
    expect((await refs()).get(`refs/pull/${number}/head`)).toBe(tip);
  });

  test("whose fork is deleted closes, and keeps the commit", async () => {
    const dora = await app.user("dora");
    await dora.api.post("/repos/alice/site/forks", {});
    const { number } = await open(dora);
    const { sha } = (await shown(number)).head;
    const second = await open(dora);
    const already = await open(dora);
    await alice.api.patch(`${at}/${already.number}`, { state: "closed" });
    const before = (await alice.api.get<{ open_pr_counter: number }>("/repos/alice/site")).body.open_pr_counter;
    expect((await dora.api.delete("/repos/dora/site")).status).toBe(204);
    for (const one of [number, second.number]) {
      expect(told(one)).toEqual(["issue.opened", "issue.closed"]);
      const { body: entries } = await alice.api.get<{ type: string; user: { login: string } }[]>(
        `/repos/alice/site/issues/${one}/timeline`,
      );
      expect(entries.map(({ type, user }) => [type, user.login])).toEqual([["close", "dora"]]);
    }
    expect(told(already.number)).toEqual(["issue.opened", "issue.closed"]);
    const { body } = await alice.api.get<{ open_pr_counter: number }>("/repos/alice/site");
    expect(body.open_pr_counter).toBe(before - 2);
    expect(await shown(number)).toMatchObject({
      state: "closed",
      head: { ref: `refs/pull/${number}/head`, repo: null, repo_id: -1, sha },
    });
    const reopening = await alice.api.patch<PullJson>(`${at}/${number}`, { state: "open" });
    expect(reopening.status).toBe(409);
  });

  test("in a repository that its parent offered changes to closes with that parent, also with a user's whole estate", async () => {
    const [eve, fay] = [await app.user("eve"), await app.user("fay")];
    await app.repository(eve, "root", { auto_init: true });
    await fay.api.post("/repos/eve/root/forks", {});
    await commitFile(eve, "eve/root", { path: "new.txt", text: "new\n", branch: "next", from: "main" });
    const offered = await fay.api.post<PullJson>("/repos/fay/root/pulls", {
      title: "New",
      base: "main",
      head: "eve:next",
    });
    expect(offered.status).toBe(201);
    const hook = {
      type: "gitea",
      active: true,
      events: ["pull_request"],
      config: { url: "https://hooks.example.com/", content_type: "json" },
    };
    expect((await fay.api.post("/repos/fay/root/hooks", hook)).status).toBe(201);
    const admin = await app.admin("gardener");
    expect((await admin.api.delete("/admin/users/eve?purge=true")).status).toBe(204);
    const { body } = await fay.api.get<PullJson>(`/repos/fay/root/pulls/${offered.body.number}`);
    expect(body).toMatchObject({ state: "closed", head: { repo: null } });
    const { body: entries } = await fay.api.get<{ type: string; user: { login: string } }[]>(
      `/repos/fay/root/issues/${offered.body.number}/timeline`,
    );
    expect(entries.map(({ type, user }) => [type, user.login])).toEqual([["close", "gardener"]]);
    await until("the hook to be told once", async () => {
      const deliveries =
        await sql`select hook_event.action || ':' || (payload is not null) as action from hook_delivery join hook_event on hook_event.id = hook_delivery.event_id
        where hook_event.type = 'pull_request'`;
      return deliveries.map(({ action }) => action as string).join() === "closed:true";
    });
  });
});

describe("the base", () => {
  test("that moves makes all of its open ones stale in one statement, and each is worked out again", async () => {
    await commit("next", { from: "main" });
    const pulls = [await open(alice, "next"), await open(alice, "next"), await open(bob, "next")];
    const closed = await open(alice, "next");
    await alice.api.patch(`${at}/${closed.number}`, { state: "closed" });
    const { sha } = (await shown(closed.number)).base;
    const [first] = pulls;
    // The same file as the first one's.
    const [own] = await sql<{ path: string }[]>`select conflicted_files[1] as path from pull limit 1`;
    expect(own?.path).toBeNull();
    const tip = await commit("next", { path: `${Number(first?.head.slice(5)) + 1}.txt`, text: "another\n" });
    for (const { number } of pulls) {
      expect(await shown(number)).toMatchObject({ base: { sha: tip }, mergeable: number !== first?.number });
    }
    expect((await shown(closed.number)).base.sha).toBe(sha);
    const rows = await sql<
      { behind: number }[]
    >`select behind_count as behind from pull where base_branch = 'next' and open`;
    expect(rows.map(({ behind }) => behind)).toEqual([2, 2, 2]);
  });

  test("is worked out again without anybody who looks, in forks' pull requests too", async () => {
    await commit("later", { from: "main" });
    const { number } = await open(bob, "later");
    await commit("later");
    await until("it to be compared", async () => {
      const [row] =
        await sql`select mergeability from pull join issue on issue.id = issue_id where number = ${number} and base_repository_id = ${site.id}`;
      return row?.["mergeability"] === "mergeable";
    });
  });

  test("that is deleted closes", async () => {
    await commit("gone", { from: "main" });
    const { number } = await open(alice, "gone");
    await alice.api.delete("/repos/alice/site/branches/gone");
    expect((await shown(number)).state).toBe("closed");
    expect(told(number)).toEqual(["issue.opened", "issue.closed"]);
    const reopening = await alice.api.patch<PullJson>(`${at}/${number}`, { state: "open" });
    expect(reopening.status).toBe(409);
  });

  test("and the head go with a branch that is renamed", async () => {
    await commit("old", { from: "main" });
    const { number, head } = await open(alice, "old");
    await alice.api.patch("/repos/alice/site/branches/old", { name: "new" });
    await alice.api.patch(`/repos/alice/site/branches/${head}`, { name: `${head}-new` });
    expect(await shown(number)).toMatchObject({ state: "open", base: { ref: "new" }, head: { ref: `${head}-new` } });
  });
});

test("a pull request that is deleted leaves no ref behind", async () => {
  const { number } = await open();
  expect((await alice.api.delete(`/repos/alice/site/issues/${number}`)).status).toBe(204);
  expect([...(await refs()).keys()].filter((name) => name.startsWith(`refs/pull/${number}/`))).toEqual([]);
});

test("one that is reopened as an issue has the head that a push gives it at the same time", async () => {
  const { number, head } = await open();
  await alice.api.patch(`${at}/${number}`, { state: "closed" });
  await waitUntilIdle(app.forge, 15_000);
  const waiting = async () => {
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return row?.count ?? 0;
  };
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  // Who reopens it has read where the branch is, and waits for this job.
  const holder = app.forge.change(serverDoer("test"), async (work) => {
    await requestRefresh(work, site.id);
    held.resolve();
    await release.promise;
  });
  await held.promise;
  const reopened = alice.api.patch(`/repos/alice/site/issues/${number}`, { state: "open" });
  await until("it to wait", async () => (await waiting()) === 1);
  let isDone = false;
  const pushed = commit(head).finally(() => (isDone = true));
  await until("the push to be done, or to wait, too", async () => isDone || (await waiting()) === 2);
  release.resolve();
  await holder;
  expect((await reopened).status).toBe(201);
  const tip = await pushed;
  expect((await refs()).get(`refs/pull/${number}/head`)).toBe(tip);
  expect(await shown(number)).toMatchObject({ state: "open", head: { sha: tip }, additions: 2 });
});

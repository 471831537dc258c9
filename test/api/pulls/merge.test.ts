import { beforeAll, describe, expect, test } from "bun:test";
import { mustGit, Scratch } from "../../support/git.ts";
import { expectRefused, PullsOf } from "../../support/merges.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const eve = await app.user("eve");
const { sql } = app.forge.database;
const site = new PullsOf(app, alice, "alice/site");
const at = "/repos/alice/site";

beforeAll(async () => {
  await app.repository(alice, "site");
  await alice.api.put(`${at}/collaborators/bob`, { permission: "write" });
  await site.write("shared.txt", "one\ntwo\nthree\n");
});

const eventsOf = async (number: number) =>
  (
    await sql<{ kind: string }[]>`select kind from outbox
      where (kind like 'pull.%' or kind = 'issue.closed') and (payload->'issue'->>'number')::int = ${number} order by id`
  ).map(({ kind }) => kind);

/** Asks for something that is refused, and makes sure that nothing has changed by it. */
async function unchanged<Answer>(number: number, ask: () => Promise<Answer>): Promise<Answer> {
  const before = [await site.tip(), await site.isMerged(number), await eventsOf(number)];
  const answer = await ask();
  expect([await site.tip(), await site.isMerged(number), await eventsOf(number)]).toEqual(before);
  return answer;
}

describe("refused", () => {
  test("to nobody, without the scope, to readers, and to strangers of a private repository", async () => {
    const { number } = await site.open(await site.branch());
    await unchanged(number, async () => {
      expect((await site.merge(number, {}, app.anonymous)).status).toBe(401);
      expect((await site.merge(number, {}, await app.scoped(alice, "read:repository", "write:issue"))).status).toBe(
        403,
      );
      expect(expectRefused(await site.merge(number, {}, eve.api))).toBe(
        "You may not merge: it takes write access to the code of the repository",
      );
      expect(expectRefused(await site.merge(number, { merge_when_checks_succeed: true }, eve.api))).toStartWith(
        "You may not",
      );
      expect(expectRefused(await site.merge(number, { force_merge: true }, bob.api))).toStartWith(
        "Only administrators",
      );
    });
    await app.repository(alice, "secret", { private: true });
    const secret = new PullsOf(app, alice, "alice/secret");
    await secret.write("a", "a");
    const hidden = await secret.open(await secret.branch());
    for (const api of [bob.api, app.anonymous]) {
      expect((await secret.merge(hidden.number, {}, api)).status).toBe(api === bob.api ? 404 : 401);
      expect((await api.get(`/repos/alice/secret/pulls/${hidden.number}/merge`)).status).toBe(404);
    }
  });

  test("of a number that is none, or that of an issue", async () => {
    const issue = await alice.api.post<{ number: number }>(`${at}/issues`, { title: "An issue" });
    for (const number of [9999, issue.body.number]) {
      expect((await site.merge(number, {})).status).toBe(404);
      expect((await alice.api.get(`${at}/pulls/${number}/merge`)).status).toBe(404);
      expect((await alice.api.delete(`${at}/pulls/${number}/merge`)).status).toBe(404);
      expect((await alice.api.post(`${at}/pulls/${number}/update`)).status).toBe(404);
    }
  });

  test("of a style that is none, without one, and of one that the repository does not allow", async () => {
    const { number } = await site.open(await site.branch());
    await unchanged(number, async () => {
      expect((await site.merge(number, { Do: "octopus" })).status).toBe(422);
      expect((await alice.api.post(`${at}/pulls/${number}/merge`, {})).status).toBe(422);
      expect((await site.merge(number, { MergeTitleField: 5 })).status).toBe(422);
      await alice.api.patch(at, { allow_squash_merge: false, allow_rebase: false });
      for (const style of ["squash", "rebase", "manually-merged"]) {
        expect(expectRefused(await site.merge(number, { Do: style }))).toBe(
          `The repository does not allow merges of the style "${style}"`,
        );
      }
      await alice.api.patch(at, { allow_squash_merge: true, allow_rebase: true });
    });
  });

  test("of a draft, a closed one, a merged one, and one that depends on something open", async () => {
    const draft = await site.open(await site.branch(), { title: "wip: not yet" });
    expect(expectRefused(await unchanged(draft.number, () => site.merge(draft.number, {})))).toBe(
      `Pull request #${draft.number} is a draft, as its title says`,
    );
    const closed = await site.open(await site.branch());
    await alice.api.patch(`${at}/pulls/${closed.number}`, { state: "closed" });
    expect(expectRefused(await unchanged(closed.number, () => site.merge(closed.number, {})))).toBe(
      `Pull request #${closed.number} is closed; reopen it first`,
    );
    const merged = await site.open(await site.branch());
    expect((await site.merge(merged.number, {})).status).toBe(200);
    expect(expectRefused(await unchanged(merged.number, () => site.merge(merged.number, {})))).toBe(
      `Pull request #${merged.number} is merged already`,
    );
    const waiting = await site.open(await site.branch());
    const issue = await alice.api.post<{ number: number }>(`${at}/issues`, { title: "First this" });
    const meta = { owner: "alice", repo: "site", index: issue.body.number };
    expect((await alice.api.post(`${at}/issues/${waiting.number}/dependencies`, meta)).status).toBe(201);
    expect(expectRefused(await unchanged(waiting.number, () => site.merge(waiting.number, {})))).toContain(
      "depends on something open",
    );
  });

  test("in conflict, with the names of the files, whatever the style", async () => {
    const head = await site.branch({ "shared.txt": "one\nTWO\nthree\n" });
    const { number } = await site.open(head);
    await site.write("shared.txt", "one\n2\nthree\n");
    for (const style of ["merge", "squash", "rebase", "rebase-merge"]) {
      expect(expectRefused(await unchanged(number, () => site.merge(number, { Do: style })))).toEndWith(
        'in conflict: "shared.txt"',
      );
    }
    expect(expectRefused(await unchanged(number, () => site.merge(number, { Do: "fast-forward-only" })))).toStartWith(
      `"main" has commits that "${head}" does not have`,
    );
  });

  test("with a stale head_commit_id", async () => {
    const head = await site.branch();
    const pull = await site.open(head);
    await site.write("more.txt", "more", { branch: head });
    const { status, body } = await unchanged(pull.number, () =>
      site.merge(pull.number, { head_commit_id: pull.head.sha }),
    );
    expect([status, (body as { message: string }).message]).toEqual([
      409,
      `The head of pull request #${pull.number} is at ${await site.tip(head)}, not at "${pull.head.sha}"`,
    ]);
    expect((await site.merge(pull.number, { head_commit_id: (await site.tip(head))!.toUpperCase() })).status).toBe(200);
  });

  test("in an archived repository", async () => {
    await app.repository(alice, "old");
    const old = new PullsOf(app, alice, "alice/old");
    await old.write("a", "a");
    const { number } = await old.open(await old.branch());
    await alice.api.patch("/repos/alice/old", { archived: true });
    expect((await old.merge(number, {})).status).toBe(423);
    expect((await alice.api.post(`/repos/alice/old/pulls/${number}/update`)).status).toBe(423);
    expect((await alice.api.delete(`/repos/alice/old/pulls/${number}/merge`)).status).toBe(423);
    expect(await old.isMerged(number)).toBe(false);
  });
});

describe("merging", () => {
  test("right after creating works, tells it, and shows it", async () => {
    const { number, head } = await site.open(await site.branch());
    const before = await site.tip();
    const { status, body } = await site.merge(number, {}, bob.api);
    expect([status, body]).toEqual([200, null]);
    const shown = await alice.api.get<Record<string, unknown> & { merged_by: { login: string } }>(
      `${at}/pulls/${number}`,
    );
    expect(shown.body).toMatchObject({ merged: true, state: "closed", merge_commit_sha: await site.tip() });
    expect(shown.body.merged_by.login).toBe("bob");
    expect(shown.body["merged_at"]).toBe(shown.body["closed_at"]);
    expect(await site.isMerged(number)).toBe(true);
    expect(await eventsOf(number)).toEqual(["pull.merged"]);
    const commit = await alice.api.get<{ parents: { sha: string }[] }>(`${at}/git/commits/${await site.tip()}`);
    expect(commit.body.parents.map(({ sha }) => sha)).toEqual([before!, head.sha]);
    const log = await sql<{ reason: string }[]>`select reason from reflog where reason = 'merge pull request'`;
    expect(log.length).toBeGreaterThan(0);
    const timeline = await alice.api.get<{ type: string }[]>(`${at}/issues/${number}/timeline`);
    expect(timeline.body.map(({ type }) => type)).toContain("merge_pull");
  });

  /** What git makes of the same merge, in a clone. */
  const byGit: Readonly<Record<string, (work: string, head: string) => Promise<unknown>>> = {
    merge: (work, head) => mustGit(work, ["merge", "-q", "--no-ff", "-m", "x", head]),
    squash: async (work, head) => {
      await mustGit(work, ["merge", "-q", "--squash", head]);
      await mustGit(work, ["commit", "-q", "-m", "x"]);
    },
    rebase: async (work, head) => {
      await mustGit(work, ["checkout", "-q", "--detach", head]);
      await mustGit(work, ["rebase", "-q", "main"]);
    },
    "rebase-merge": async (work, head) => {
      await mustGit(work, ["checkout", "-q", "--detach", head]);
      await mustGit(work, ["rebase", "-q", "main"]);
      const rebased = await mustGit(work, ["rev-parse", "HEAD"]);
      await mustGit(work, ["checkout", "-q", "main"]);
      await mustGit(work, ["merge", "-q", "--no-ff", "-m", "x", rebased]);
    },
  };

  test.each(Object.keys(byGit))("by %s gives the trees, authors and parents that git gives", async (style) => {
    using scratch = new Scratch();
    const head = await site.branch({ [`${style}-1.txt`]: "1\n", "shared.txt": `one\ntwo\nthree\n${style}\n` });
    const { number } = await site.open(head);
    await site.write(`${style}-main.txt`, "main\n");
    const work = await site.clone(scratch);
    expect((await site.merge(number, { Do: style })).status).toBe(200);
    await mustGit(work, ["fetch", "-q", "origin", "main"]);
    await byGit[style]!(work, `refs/pull/${number}/head`);
    const shape = ["log", "--topo-order", "--format=%T %an %ae", "-6"];
    const ours = await mustGit(work, [...shape, "FETCH_HEAD"]);
    const lines = (await mustGit(work, [...shape, "HEAD"])).split("\n");
    // What git makes here is by its own author.
    expect(ours.split("\n").map((line) => line.split(" ")[0]!)).toEqual(lines.map((line) => line.split(" ")[0]!));
    expect(ours).not.toContain("Ada");
    const parents = ["log", "--topo-order", "--format=%t|%p", "-1"];
    const count = (text: string) => text.split("|")[1]!.split(" ").length;
    expect(count(await mustGit(work, [...parents, "FETCH_HEAD"]))).toBe(
      count(await mustGit(work, [...parents, "HEAD"])),
    );
    await mustGit(work, ["fsck", "--connectivity-only"]);
  });

  test("by fast-forward-only moves the branch to the head itself", async () => {
    const head = await site.branch();
    const { number } = await site.open(head);
    const tip = await site.tip(head);
    expect((await site.merge(number, { Do: "fast-forward-only" })).status).toBe(200);
    expect(await site.tip()).toBe(tip);
  });

  test("notes what was merged by hand, if the repository lets it", async () => {
    await alice.api.patch(at, { allow_manual_merge: true });
    const { number, head } = await site.open(await site.branch());
    const tip = await site.tip();
    const manually = (MergeCommitID: string) => site.merge(number, { Do: "manually-merged", MergeCommitID });
    expect(expectRefused(await unchanged(number, () => manually("")))).toStartWith("MergeCommitID must be");
    expect(expectRefused(await unchanged(number, () => manually("0".repeat(40))))).toStartWith(
      'The branch "main" has no',
    );
    const elsewhere = (await site.tip(await site.branch()))!;
    expect(expectRefused(await unchanged(number, () => manually(elsewhere)))).toBe(
      `The branch "main" has no commit ${elsewhere}`,
    );
    // It is in the base branch, and has nothing of the head.
    expect(expectRefused(await unchanged(number, () => manually(tip!)))).toBe(
      `Commit ${tip} does not contain the changes of pull request #${number}: name the commit that brought them`,
    );
    const squashed = await site.write(`${head.ref}.txt`, `${head.ref}\n`);
    expect((await manually(squashed)).status).toBe(200);
    expect(await site.tip()).toBe(squashed);
    const { body } = await alice.api.get<{ merge_commit_sha: string }>(`${at}/pulls/${number}`);
    expect(body.merge_commit_sha).toBe(squashed);
  });

  test("notes a merge by hand whose commit has the head in its history", async () => {
    await alice.api.patch(at, { allow_manual_merge: true });
    const first = await site.open(await site.branch());
    const second = await site.open(await site.branch({ [`${first.head.ref}.txt`]: "other\n" }, first.head.ref));
    const before = await site.tip();
    const manually = (number: number, MergeCommitID: string) =>
      site.merge(number, { Do: "manually-merged", MergeCommitID });
    expect((await site.merge(second.number, {})).status).toBe(200);
    const tip = (await site.tip())!;
    expectRefused(await unchanged(first.number, () => manually(first.number, before!)));
    expect((await manually(first.number, tip)).status).toBe(200);
    expect(await site.tip()).toBe(tip);
  });

  test("deletes the head branch if it is wanted, unless something else needs it", async () => {
    const mergeAndDelete = async (head: string, fields: object = { delete_branch_after_merge: true }) => {
      const { number } = await site.open(head);
      expect((await site.merge(number, fields)).status).toBe(200);
      return site.tip(head);
    };
    expect(await mergeAndDelete(await site.branch())).toBeNull();
    expect(await mergeAndDelete(await site.branch(), {})).not.toBeNull();
    await alice.api.patch(at, { default_delete_branch_after_merge: true });
    expect(await mergeAndDelete(await site.branch(), {})).toBeNull();
    expect(await mergeAndDelete(await site.branch(), { delete_branch_after_merge: false })).not.toBeNull();
    await alice.api.patch(at, { default_delete_branch_after_merge: false });
    const needed = await site.branch();
    const other = await site.branch({ "on-top.txt": "x" }, needed);
    expect((await alice.api.post(`${at}/pulls`, { title: "On top", base: needed, head: other })).status).toBe(201);
    expect(await mergeAndDelete(needed)).not.toBeNull();
    const kept = await site.branch();
    await alice.api.post(`${at}/branch_protections`, { rule_name: kept });
    expect(await mergeAndDelete(kept)).not.toBeNull();
  });

  test("20 at the same time, beside commits to the base, leave a linear line of them all", async () => {
    using scratch = new Scratch();
    const work = await site.clone(scratch);
    const names = Array.from({ length: 20 }, (_, index) => `parallel-${index}`);
    const script = names.map(
      (name) => `commit refs/heads/${name}
committer Ada <ada@example.org> 1700000000 +0000
data 1
x
from refs/remotes/origin/main
M 644 inline ${name}.txt
data 1
x
`,
    );
    await mustGit(work, ["fast-import", "--quiet"], { input: script.join("\n") });
    await mustGit(work, ["push", "-q", "origin", ...names]);
    const pulls = await Promise.all(names.map((name) => site.open(name)));
    const before = await site.tip();
    const styles = ["merge", "squash", "rebase", "rebase-merge"];
    const [answers, commits] = await Promise.all([
      Promise.all(pulls.map(({ number }, index) => site.merge(number, { Do: styles[index % styles.length] }))),
      Promise.all([1, 2, 3].map((index) => site.write(`beside-${index}.txt`, "x"))),
    ]);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    await mustGit(work, ["fetch", "-q", "origin"]);
    const line = (await mustGit(work, ["log", "--first-parent", "--format=%H", `${before}..origin/main`])).split("\n");
    const merged = await sql<{ oid: string }[]>`select encode(merge_commit_oid, 'hex') as oid from pull
      join issue on issue.id = pull.issue_id where number = any(${pulls.map(({ number }) => number)})`;
    expect([...merged.map(({ oid }) => oid), ...commits].toSorted()).toEqual(line.toSorted());
    const files = new Set((await mustGit(work, ["ls-tree", "--name-only", "origin/main"])).split("\n"));
    expect(names.filter((name) => !files.has(`${name}.txt`))).toEqual([]);
  });

  test("works for a fork, whose branch goes if the merger may delete it", async () => {
    const fork = (await bob.api.post<{ name: string }>(`${at}/forks`, { name: "site-of-bob" })).body.name;
    const bobs = new PullsOf(app, bob, `bob/${fork}`);
    const open = async () => {
      const head = await bobs.branch();
      return { ...(await site.open(`bob:${head}`, {}, bob.api)), name: head };
    };
    const first = await open();
    expect((await site.merge(first.number, { delete_branch_after_merge: true })).status).toBe(200);
    // It is not Alice's to delete.
    expect(await bobs.tip(first.name)).not.toBeNull();
    const second = await open();
    expect((await site.merge(second.number, { delete_branch_after_merge: true }, bob.api)).status).toBe(200);
    expect(await bobs.tip(second.name)).toBeNull();
    // The head is brought before it is merged.
    const third = await open();
    const tip = await bobs.write("late.txt", "late", { branch: third.name });
    expect((await site.merge(third.number, { head_commit_id: tip })).status).toBe(200);
    expect((await alice.api.get(`${at}/contents/late.txt`)).status).toBe(200);
  });
});

import { beforeAll, describe, expect, test } from "bun:test";
import { waitUntilIdle } from "../../../src/domain/server/wait-until-idle.ts";
import { mustGit, Scratch } from "../../support/git.ts";
import { PullsOf } from "../../support/merges.ts";
import { testPassword, useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const eve = await app.user("eve");
const { sql } = app.forge.database;
const site = new PullsOf(app, alice, "alice/site");
const at = "/repos/alice/site";

beforeAll(async () => {
  await app.repository(alice, "site");
  await site.write("a.txt", "a\n");
  await alice.api.put(`${at}/collaborators/bob`, { permission: "write" });
});

const update = (number: number, style = "", by = alice) =>
  by.api.post<{ message: string } | null>(`${at}/pulls/${number}/update${style === "" ? "" : `?style=${style}`}`);

/** A pull request that lacks a commit of main. */
async function outdated(files: Record<string, string> = {}) {
  const head = await site.branch(files);
  const pull = await site.open(head);
  await site.write("main.txt", `${head}\n`);
  return { ...pull, name: head };
}

interface Commit {
  parents: { sha: string }[];
  commit: { message: string; author: { name: string }; committer: { name: string } };
}

const commitOf = async (oid: string) => (await alice.api.get<Commit>(`${at}/git/commits/${oid}`)).body;

describe("the head gets what the base has", () => {
  test("by a merge, as a push of whoever asks", async () => {
    const { number, name, head } = await outdated();
    const answer = await update(number, "merge", bob);
    expect([answer.status, answer.body]).toEqual([200, null]);
    const tip = (await site.tip(name))!;
    const { parents, commit } = await commitOf(tip);
    expect(parents.map(({ sha }) => sha)).toEqual([head.sha, (await site.tip())!]);
    expect([commit.message, commit.author.name]).toEqual([`Merge branch 'main' into ${name}\n`, "bob"]);
    const { body } = await alice.api.get<{ head: { sha: string } }>(`${at}/pulls/${number}`);
    expect(body.head.sha).toBe(tip);
    // Nothing is missing any more.
    expect((await update(number)).status).toBe(200);
    expect(await site.tip(name)).toBe(tip);
  });

  test("by a rebase, with the trees that git makes", async () => {
    using scratch = new Scratch();
    const { number, name } = await outdated({ "r1.txt": "1", "r2.txt": "2" });
    const work = await site.clone(scratch);
    await mustGit(work, ["checkout", "-q", name]);
    await mustGit(work, ["rebase", "-q", "origin/main"]);
    expect((await update(number, "rebase")).status).toBe(200);
    await mustGit(work, ["fetch", "-q", "origin"]);
    const shape = (tip: string) => mustGit(work, ["log", "--format=%T %an %s", `origin/main..${tip}`]);
    expect(await shape(`origin/${name}`)).toBe(await shape("HEAD"));
  });

  test("as the repository says, where it is not said how", async () => {
    await alice.api.patch(at, { default_update_style: "rebase" });
    const { number, name } = await outdated();
    expect((await update(number)).status).toBe(200);
    expect((await commitOf((await site.tip(name))!)).parents).toHaveLength(1);
    await alice.api.patch(at, { default_update_style: "merge" });
  });

  test("in a fork, by those who may push there", async () => {
    await eve.api.post(`${at}/forks`, { name: "site-of-eve" });
    const eves = new PullsOf(app, eve, "eve/site-of-eve");
    const head = await eves.branch();
    const { number } = await site.open(`eve:${head}`, {}, eve.api);
    await site.write("for-the-fork.txt", "x");
    const before = await eves.tip(head);
    expect((await update(number)).status).toBe(403);
    expect(await eves.tip(head)).toBe(before);
    // Whoever may write to the base may, too, where she lets them; nobody else, and no rule of hers is passed by.
    const allowed = await eve.api.patch(`${at}/pulls/${number}`, { allow_maintainer_edit: true });
    expect(allowed.status).toBe(201);
    const carol = await app.user("carol");
    expect((await update(number, "", carol)).status).toBe(403);
    // Nor anybody from whom she hides the fork, whom she keeps away, or whose token is for the base alone.
    await eve.api.patch("/repos/eve/site-of-eve", { private: true });
    expect((await update(number)).status).toBe(403);
    await eve.api.patch("/repos/eve/site-of-eve", { private: false });
    await sql`insert into block (blocker_id, blocked_id) values (${eve.id}, ${alice.id})`;
    expect((await update(number)).status).toBe(403);
    await sql`delete from block where blocker_id = ${eve.id}`;
    const { body: token } = await app.withPassword("alice").post<{ sha1: string }>("/users/alice/tokens", {
      name: "base",
      scopes: ["write:repository"],
      repositories: ["alice/site"],
    });
    const onlyBase = app.withToken(token.sha1);
    expect((await onlyBase.post(`${at}/pulls/${number}/update`)).status).toBe(403);
    expect(await eves.tip(head)).toBe(before);
    await eve.api.post("/repos/eve/site-of-eve/branch_protections", { rule_name: head });
    expect((await update(number)).status).toBe(403);
    await eve.api.delete(`/repos/eve/site-of-eve/branch_protections/${head}`);
    expect((await update(number)).status).toBe(200);
    expect(await eves.tip(head)).not.toBe(before);
    await site.write("for-the-fork-still.txt", "x");
    for (const style of ["merge", "rebase"]) {
      expect((await update(number, style, eve)).status).toBe(200);
      expect((await eve.api.get(`/repos/eve/site-of-eve/contents/for-the-fork.txt?ref=${head}`)).status).toBe(200);
      await site.write("for-the-fork-again.txt", "x");
    }
    using scratch = new Scratch();
    const clone = await eves.clone(scratch);
    await mustGit(clone, ["fsck", "--connectivity-only"]);
    expect((await site.merge(number, {})).status).toBe(200);
  });
});

describe("refused", () => {
  test("to readers, without the scope, of what is closed, and in a style that is none", async () => {
    const { number, name, head } = await outdated();
    expect((await update(number, "", eve)).status).toBe(403);
    expect((await app.anonymous.post(`${at}/pulls/${number}/update`)).status).toBe(401);
    const reader = await app.scoped(alice, "read:repository");
    expect((await reader.post(`${at}/pulls/${number}/update`)).status).toBe(403);
    expect((await update(number, "octopus")).status).toBe(422);
    await alice.api.patch(at, { allow_rebase_update: false });
    expect((await update(number, "rebase")).status).toBe(403);
    await alice.api.patch(at, { allow_rebase_update: true });
    await alice.api.patch(`${at}/pulls/${number}`, { state: "closed" });
    expect((await update(number)).status).toBe(422);
    expect(await site.tip(name)).toBe(head.sha);
  });

  test("in conflict, whatever the style, and where a rule protects the head", async () => {
    const { number, name, head } = await outdated({ "a.txt": "other\n" });
    await site.write("a.txt", "changed\n");
    for (const style of ["merge", "rebase"]) {
      const { status, body } = await update(number, style);
      expect([status, body?.message]).toEqual([
        409,
        `"main" cannot be brought into "${name}": they are in conflict: "a.txt"`,
      ]);
    }
    const other = await outdated();
    await alice.api.post(`${at}/branch_protections`, { rule_name: other.name });
    expect((await update(other.number)).status).toBe(403);
    await alice.api.patch(`${at}/branch_protections/${other.name}`, { enable_push: true });
    expect((await update(other.number, "rebase")).status).toBe(403);
    expect((await update(other.number, "merge")).status).toBe(200);
    expect(await site.tip(name)).toBe(head.sha);
  });
});

describe("a push that brings a pull request", () => {
  const push = async (branch: string, how: readonly string[]) => {
    using scratch = new Scratch();
    const work = scratch.join("work");
    const url = new URL("/alice/site.git", app.url);
    url.username = "bob";
    url.password = testPassword;
    await mustGit(scratch.path, ["clone", "-q", url.href, work]);
    await mustGit(work, ["merge", "-q", ...how, `origin/${branch}`]);
    await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "One more"]);
    await mustGit(work, ["push", "-q", "origin", "main"]);
    await waitUntilIdle(app.forge, 60_000);
    return (await mustGit(work, ["rev-parse", "HEAD^"])).trim();
  };
  const stateOf = async (number: number) =>
    (
      await alice.api.get<{ merged: boolean; merge_commit_sha: string | null; merged_by: { login: string } | null }>(
        `${at}/pulls/${number}`,
      )
    ).body;

  test("merges nothing, unless the repository wants that", async () => {
    const { number, name } = await outdated();
    await push(name, ["--no-ff", "-m", "By hand"]);
    expect((await stateOf(number)).merged).toBe(false);
  });

  test("merges it by hand: by the commit that brought it, in the name of the pusher", async () => {
    await alice.api.patch(at, { autodetect_manual_merge: true });
    const byMerge = await outdated();
    const untouched = await outdated();
    const merge = await push(byMerge.name, ["--no-ff", "-m", "By hand"]);
    const merged = await stateOf(byMerge.number);
    expect([merged.merged, merged.merge_commit_sha, merged.merged_by?.login]).toEqual([true, merge, "bob"]);
    expect((await stateOf(untouched.number)).merged).toBe(false);
    const forward = await site.open(await site.branch());
    await push(forward.head.ref, ["--ff-only"]);
    expect((await stateOf(forward.number)).merge_commit_sha).toBe(forward.head.sha);
    const [event] = await sql<{ kind: string; payload: { style: string } }[]>`select kind, payload from outbox
      where kind = 'pull.merged' and (payload->'issue'->>'number')::int = ${forward.number}`;
    expect(event?.payload.style).toBe("manually-merged");
    // Whatever the next merge here brings, too, is merged with it.
    const below = await site.branch();
    const above = await site.branch({ "above.txt": "x" }, below);
    const [first, second] = [await site.open(below), await site.open(above)];
    expect((await site.merge(second.number, {})).status).toBe(200);
    await waitUntilIdle(app.forge, 60_000);
    expect((await stateOf(first.number)).merge_commit_sha).toBe((await site.tip())!);
  });
});

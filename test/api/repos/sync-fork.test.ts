import { afterAll, describe, expect, test } from "bun:test";
import { repackRepository } from "../../../src/domain/server/maintenance/repack-repository.ts";
import { LfsClient, sha256 } from "../../lfs/raw-lfs.ts";
import { GitWorkTree } from "../../support/git-work-tree.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";

interface Info {
  allowed: boolean;
  fork_commit: string;
  base_commit: string;
  commits_behind: number;
}
interface Failure {
  message: string;
}
interface CommitJson {
  sha: string;
  parents: { sha: string }[];
  commit: { message: string; author: { name: string; email: string } };
}

const app = await useTestApp();
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const trees: GitWorkTree[] = [];
afterAll(() => trees.forEach((tree) => tree[Symbol.dispose]()));

let count = 0;

/** A repository of alice with one commit, and a fork of it by bob under another name. */
async function forked(fields: Record<string, unknown> = {}) {
  const parent = `parent-${++count}`;
  const fork = `fork-${count}`;
  const work = await GitWorkTree.create();
  trees.push(work);
  await app.repository(alice, parent, fields);
  await work.write("a", "1\n2\n3\n");
  const first = await work.commit("first");
  const push = (who: TestUser, ...refspecs: string[]) =>
    work.push(`${app.url}/${who === alice ? `alice/${parent}` : `bob/${fork}`}.git`, who.token, ...refspecs);
  await push(alice, "main", "main:refs/heads/feature/x");
  if (fields["private"] === true) {
    await alice.api.put(`/repos/alice/${parent}/collaborators/bob`, { permission: "read" });
  }
  expect((await bob.api.post(`/repos/alice/${parent}/forks`, { name: fork })).status).toBe(202);
  const path = `/repos/bob/${fork}`;
  return {
    parent: `alice/${parent}`,
    path,
    work,
    first,
    push,
    info: async (branch = "") => (await bob.api.get<Info>(`${path}/sync_fork${branch}`)).body,
    tip: async (branch = "main") =>
      (await bob.api.get<{ commit: { id: string } }>(`${path}/branches/${branch}`)).body.commit.id,
  };
}

describe("who may", () => {
  test("whoever writes to the fork, while they may read the parent", async () => {
    const { path, parent, work, push } = await forked({ private: true });
    await work.write("a", "more\n");
    await work.commit("second");
    await push(alice, "main");
    const carol = await app.user("carol");
    expect((await carol.api.post(`${path}/sync_fork`)).status).toBe(404);
    await bob.api.put(`${path}/collaborators/carol`, { permission: "write" });
    for (const call of [
      carol.api.get(`${path}/sync_fork`),
      carol.api.post(`${path}/sync_fork`),
      carol.api.post(`${path}/merge-upstream`, {}),
    ]) {
      const { status, body } = await call;
      expect([status, (body as Failure).message]).toEqual([404, `There is no parent of the fork "${path.slice(7)}"`]);
    }
    await bob.api.put(`${path}/collaborators/carol`, { permission: "read" });
    await alice.api.put(`/repos/${parent}/collaborators/carol`, { permission: "read" });
    expect((await carol.api.post(`${path}/sync_fork`)).status).toBe(403);
    expect((await carol.api.get<Info>(`${path}/sync_fork`)).body.commits_behind).toBe(1);
    await alice.api.delete(`/repos/${parent}/collaborators/bob`);
    expect((await bob.api.post(`${path}/sync_fork`)).status).toBe(404);
  });

  test("nobody for what is archived, and only forks follow anything", async () => {
    const { path, parent, work, push, info } = await forked();
    await work.commit("second");
    await push(alice, "main");
    await bob.api.patch(path, { archived: true });
    expect((await bob.api.post(`${path}/sync_fork`)).status).toBe(423);
    expect(await info()).toMatchObject({ allowed: false, commits_behind: 1 });
    for (const call of [
      alice.api.get(`/repos/${parent}/sync_fork`),
      alice.api.post(`/repos/${parent}/sync_fork/main`),
      alice.api.post(`/repos/${parent}/merge-upstream`, { branch: "main" }),
    ]) {
      const { status, body } = await call;
      expect([status, (body as Failure).message]).toEqual([400, `"${parent}" is not a fork`]);
    }
    await alice.api.delete(`/repos/${parent}`);
    expect((await bob.api.get(`${path}/sync_fork`)).status).toBe(400);
  });
});

describe("sync_fork", () => {
  test("says what is new, and moves the branch there", async () => {
    const { path, work, first, push, info, tip } = await forked();
    expect(await info()).toEqual({ allowed: false, fork_commit: first, base_commit: first, commits_behind: 0 });
    expect((await bob.api.post(`${path}/sync_fork`)).status).toBe(204);
    await work.write("b", "new\n");
    await work.commit("second");
    await work.write("b", "newer\n");
    const third = await work.commit("third");
    await push(alice, "main", "main:refs/heads/feature/x");
    expect(await info()).toEqual({ allowed: true, fork_commit: first, base_commit: third, commits_behind: 2 });
    expect(await info("/feature%2Fx")).toEqual(await info());
    const { status, body } = await bob.api.post(`${path}/sync_fork`);
    expect([status, body]).toEqual([204, null]);
    expect([await tip(), await tip("feature/x")]).toEqual([third, first]);
    expect((await bob.api.get(`${path}/raw/b`)).body).toBe("newer\n");
    expect((await bob.api.post(`${path}/sync_fork/feature/x`)).status).toBe(204);
    expect(await tip("feature/x")).toBe(third);
    const [log] = await sql`select reason, actor_id from reflog order by id desc limit 1`;
    expect([log?.["reason"], Number(log?.["actor_id"])]).toEqual(["sync fork", bob.id]);
    const [event] = await sql`select payload from outbox where kind = 'refs.moved' order by id desc limit 1`;
    expect(event?.["payload"]).toMatchObject({
      refs: [{ name: "refs/heads/feature/x", oldOid: first, newOid: third }],
    });
  });

  test("refuses what is no fast-forward, and changes nothing", async () => {
    const { path, parent, work, first, push, info, tip } = await forked();
    await work.write("b", "theirs\n");
    await work.commit("theirs");
    await push(alice, "main");
    await work.git("reset", "-q", "--hard", first);
    await work.write("c", "ours\n");
    const ours = await work.commit("ours");
    await push(bob, "main");
    expect(await info()).toMatchObject({ allowed: false, fork_commit: ours, commits_behind: 1 });
    const { status, body } = await bob.api.post<Failure>(`${path}/sync_fork`);
    expect([status, body.message]).toEqual([
      409,
      `The branch "main" has commits that "${parent}" does not have; merge them with merge-upstream, or with git`,
    ]);
    expect((await bob.api.post(`${path}/merge-upstream`, { branch: "main", ff_only: true })).status).toBe(409);
    expect(await tip()).toBe(ours);
  });

  test("a branch that one of them does not have", async () => {
    const { path, first, push, info } = await forked();
    await push(bob, "main:refs/heads/own");
    await push(alice, "main:refs/heads/theirs");
    expect(await info("/own")).toEqual({ allowed: false, fork_commit: first, base_commit: "", commits_behind: 0 });
    expect((await bob.api.post(`${path}/sync_fork/own`)).status).toBe(404);
    for (const name of ["theirs", "nowhere", "refs/heads/main", "a..b", "x".repeat(300)]) {
      expect((await bob.api.get(`${path}/sync_fork/${encodeURIComponent(name)}`)).status).toBe(404);
      expect((await bob.api.post(`${path}/sync_fork/${encodeURIComponent(name)}`)).status).toBe(404);
    }
  });

  test("the rules for branches hold, and a branch that is overtaken is left", async () => {
    const { path, work, push, tip } = await forked();
    await work.commit("second");
    await push(alice, "main");
    const answers = await Promise.all([1, 2, 3].map(() => bob.api.post(`${path}/sync_fork`)));
    expect(answers.every(({ status }) => status === 204 || status === 409)).toBe(true);
    expect(await tip()).toBe(await work.git("rev-parse", "main"));

    const { path: guarded, work: other, push: pushOther, tip: tipOfGuarded } = await forked();
    const carol = await app.user("carol-who-writes");
    await bob.api.put(`${guarded}/collaborators/${carol.name}`, { permission: "write" });
    const rule = {
      rule_name: "main",
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ["bob"],
    };
    expect((await bob.api.post(`${guarded}/branch_protections`, rule)).status).toBe(201);
    const before = await tipOfGuarded();
    await other.commit("second");
    await pushOther(alice, "main");
    for (const call of [carol.api.post(`${guarded}/sync_fork`), carol.api.post(`${guarded}/merge-upstream`, {})]) {
      expect((await call).status).toBe(403);
    }
    expect(await tipOfGuarded()).toBe(before);
    expect((await bob.api.post(`${guarded}/sync_fork`)).status).toBe(204);
  });

  test("is done again when the fork is repacked meanwhile, and not at all for who loses access to the parent", async () => {
    const { path, parent, work, push, tip } = await forked({ private: true });
    const { engine } = app.forge.git;
    const index = engine.index.bind(engine);
    let times = 0;
    /** Does something when the objects are there and the branch has not moved yet. */
    const meanwhile = async (what: () => Promise<unknown>): Promise<number> => {
      times = 0;
      engine.index = async (...args) => {
        const result = await index(...args);
        if (++times === 1) {
          await what();
        }
        return result;
      };
      try {
        return (await bob.api.post(`${path}/sync_fork`)).status;
      } finally {
        engine.index = index;
      }
    };
    const second = await work.commit("second");
    await push(alice, "main");
    const [row] = await sql`select id from repository where name = ${path.slice(11)}`;
    const { packDirectory, temporaryDirectory, blobs } = app.forge.files;
    const { change, config, database } = app.forge;
    const maintenance = { db: database.db, change, blobs, config, git: engine, packDirectory, temporaryDirectory };
    await work.git("checkout", "-q", "-b", "side", "main~1");
    await work.write("side", "one more pack\n");
    await work.commit("side");
    await push(bob, "side");
    await work.git("checkout", "-q", "main");
    const repacked = await meanwhile(() =>
      repackRepository(maintenance, { repositoryId: Number(row?.["id"]), kind: "full" }),
    );
    expect([repacked, await tip(), times]).toEqual([204, second, 2]);
    await work.commit("third");
    await push(alice, "main");
    expect(await meanwhile(() => alice.api.delete(`/repos/${parent}/collaborators/bob`))).toBe(404);
    expect(await tip()).toBe(second);
  });

  test("brings the LFS objects of what is new, and no others", async () => {
    const { path, parent, work, push } = await forked();
    const lfs = LfsClient.of(app, parent, alice.token);
    const pointer = (text: string) =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256(text)}\nsize ${text.length}\n`;
    for (const text of ["wanted", "elsewhere"]) {
      await lfs.put(sha256(text), text);
    }
    await work.write("large.bin", pointer("wanted"));
    await work.commit("pointer");
    await push(alice, "main");
    await work.write("other.bin", pointer("elsewhere"));
    await work.commit("another pointer");
    await push(alice, "main:refs/heads/elsewhere");
    expect((await bob.api.post(`${path}/sync_fork`)).status).toBe(204);
    const own = LfsClient.of(app, path.slice(7), bob.token);
    const has = async (text: string) =>
      (await own.ask("download", sha256(text), text.length)).actions?.["download"] !== undefined;
    expect([await has("wanted"), await has("elsewhere")]).toEqual([true, false]);
    const [size] =
      await sql`select lfs_bytes from repository_size join repository on id = repository_id where name = ${path.slice(11)}`;
    expect(Number(size?.["lfs_bytes"])).toBe(6);
  });
});

describe("merge-upstream", () => {
  const mergeUpstream = async (path: string, body: object = {}) =>
    (await bob.api.post<{ merge_type: string }>(`${path}/merge-upstream`, body)).body.merge_type;

  test("moves the branch, merges, or has nothing to do", async () => {
    const { path, parent, work, first, push, tip } = await forked();
    expect(await mergeUpstream(path, { branch: "main" })).toBe("up-to-date");
    await work.write("b", "theirs\n");
    const theirs = await work.commit("theirs");
    await push(alice, "main");
    expect(await mergeUpstream(path, { branch: "feature/x", ff_only: true })).toBe("up-to-date");
    await work.git("reset", "-q", "--hard", first);
    await work.write("c", "ours\n");
    const ours = await work.commit("ours");
    await push(bob, "main");
    expect(await mergeUpstream(path)).toBe("merge");
    const merged = await tip();
    const { body } = await bob.api.get<CommitJson>(`${path}/git/commits/${merged}`);
    expect(body.parents.map(({ sha }) => sha)).toEqual([ours, theirs]);
    expect([body.commit.message, body.commit.author.name]).toEqual([
      `Merge branch 'main' of ${app.url}/${parent}.git\n`,
      "bob",
    ]);
    for (const [file, text] of [
      ["b", "theirs\n"],
      ["c", "ours\n"],
    ] as const) {
      expect((await bob.api.get(`${path}/raw/${file}`)).body).toBe(text);
    }
    // Git finds what the fork has now whole, and what it merged there.
    await work.git("fetch", "-q", `${app.url}${path.slice(6)}.git`, "main");
    expect(await work.git("rev-parse", "FETCH_HEAD")).toBe(merged);
    await work.git("fsck", "--strict");
    expect(await mergeUpstream(path)).toBe("up-to-date");
  });

  test("a branch that the parent does not have gets what is in its default branch", async () => {
    const { path, work, push, tip } = await forked();
    await push(bob, "main:refs/heads/own");
    const second = await work.commit("second");
    await push(alice, "main");
    expect(await mergeUpstream(path, { branch: "own" })).toBe("fast-forward");
    expect([await tip("own"), await tip()]).toEqual([second, await work.git("rev-parse", "HEAD~1")]);
    expect((await bob.api.post(`${path}/merge-upstream`, { branch: "nowhere" })).status).toBe(404);
    expect((await bob.api.post(`${path}/merge-upstream`, { branch: 5 })).status).toBe(422);
  });

  test("says which files both changed, and changes nothing", async () => {
    const { path, parent, work, first, push, tip } = await forked();
    await work.write("a", "theirs\n");
    await work.commit("theirs");
    await push(alice, "main");
    await work.git("reset", "-q", "--hard", first);
    await work.write("a", "ours\n");
    const ours = await work.commit("ours");
    await push(bob, "main");
    const packs = await sql`select count(*)::int as n from pack`;
    const { status, body } = await bob.api.post<Failure>(`${path}/merge-upstream`, { branch: "main" });
    expect([status, body.message]).toEqual([
      409,
      `"${parent}" cannot be merged into the branch "main": both changed "a"; merge it with git`,
    ]);
    expect(await tip()).toBe(ours);
    expect(await sql`select count(*)::int as n from pack`).toEqual(packs);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { planRepack } from "../../src/domain/server/maintenance/plan-repack.ts";
import {
  repackRepository,
  type Maintenance,
  type RepackKind,
} from "../../src/domain/server/maintenance/repack-repository.ts";
import { collectPacks } from "../../src/domain/git/packs/collect-packs.ts";
import { packPath } from "../../src/domain/git/packs/pack-path.ts";
import { linkedChecksums, listMaintainedPacks } from "../../src/domain/git/packs/queries.ts";
import { encodeDelta } from "../../src/git/pack/delta-encode.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { Scratch, closureOf, mustGit, runGit } from "../support/git.ts";
import { checkedRefs } from "../support/server-process.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";
import { blob, commit, oidOf, refDelta, tree } from "./raw-objects.ts";
import { rawPack } from "./raw-pack.ts";

/** Forks with the real git, and what lies in the packs of one that the other must not show. */

const app = await useTestApp({ git: { unreachable_days: 0 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

const { config, database } = app.forge;
const { sql } = database;
const { packDirectory, temporaryDirectory } = app.forge.files;
const maintenance: Maintenance = {
  db: database.db,
  change: app.forge.change,
  blobs: app.forge.files.blobs,
  config,
  git: app.forge.git.engine,
  packDirectory,
  temporaryDirectory,
};
const repack = (repositoryId: number, kind: RepackKind) => repackRepository(maintenance, { repositoryId, kind });
const linked = async (id: number) => [...(await linkedChecksums(database.db, id))].sort();
const urlOf = (who: TestUser, name: string) => `${app.url.replace("://", `://${who.name}:${who.token}@`)}/${name}.git`;

/** The collector spares what is younger than an hour. */
async function collect(): Promise<void> {
  const old = Date.now() / 1000 - 7200;
  for (const file of readdirSync(packDirectory, { recursive: true })
    .map(String)
    .filter((name) => name.includes("."))) {
    utimesSync(join(packDirectory, file), old, old);
  }
  await collectPacks(database.db, packDirectory, silentLogger, { graceMs: 0 });
}

async function commitText(work: string, file: string, text: string): Promise<string> {
  await Bun.write(join(work, file), text);
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", text.slice(0, 20)]);
  return mustGit(work, ["rev-parse", "HEAD"]);
}

/** A repository of alice that bob has forked. What `before` does is there when it is forked. */
async function forked(name: string, before: (work: string, url: string) => Promise<void> = async () => {}) {
  const { id: parentId } = await app.repository(alice, name, { default_branch: "main" });
  const work = scratch.join(name);
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  await commitText(work, "file.txt", "a line\n".repeat(300));
  const parent = urlOf(alice, `alice/${name}`);
  await mustGit(work, ["push", "-q", parent, "main"]);
  await before(work, parent);
  const { status, body } = await bob.api.post<{ id: number }>(`/repos/alice/${name}/forks`, {});
  expect(status).toBe(202);
  return { parentId, forkId: body.id, work, parent, fork: urlOf(bob, `bob/${name}`) };
}

/** Whether a repository gives an object to those who know its oid, by git or by the API. */
async function shows(name: string, oid: string): Promise<boolean[]> {
  const empty = scratch.join(crypto.randomUUID());
  await mustGit(scratch.path, ["init", "-q", "--bare", empty]);
  const fetched = await runGit(empty, ["fetch", "-q", urlOf(bob, name), oid]);
  const paths = ["git/commits", "git/trees", "git/blobs", "commits"].map((path) => `/repos/${name}/${path}/${oid}`);
  const found = await Promise.all(
    paths.map(async (path) => (await bob.api.get(path.replace(/commits\/(\w+)$/, "commits/$1/status"))).status),
  );
  const read = await Promise.all(paths.slice(0, 3).map(async (path) => (await bob.api.get(path)).status));
  return [fetched.code === 0, [...found.slice(3), ...read].includes(200)];
}

const packet = (text: string) => (Buffer.byteLength(text) + 4).toString(16).padStart(4, "0") + text;

/** Pushes objects byte by byte, as no git would; answers the report. */
async function pushRaw(name: string, tip: string, entries: Parameters<typeof rawPack>[0]): Promise<string> {
  const command = packet(`${"0".repeat(40)} ${tip} refs/heads/taken\0report-status\n`);
  const response = await fetch(`${app.url}/${name}.git/git-receive-pack`, {
    method: "POST",
    headers: { "content-type": "application/x-git-receive-pack-request", authorization: `token ${bob.token}` },
    body: Buffer.concat([Buffer.from(`${command}0000`), rawPack(entries)]),
  });
  return response.text();
}

test("is cloned, pushed to and synced; the parent does not notice", async () => {
  const { work, parent, fork } = await forked("tour");
  const clone = scratch.join("tour-clone");
  await mustGit(scratch.path, ["clone", "-q", fork, clone]);
  expect(await closureOf(clone)).toBe(await closureOf(work));
  const own = await commitText(clone, "own.txt", "by bob");
  await mustGit(clone, ["push", "-q", "origin", "main:topic"]);
  expect(await mustGit(work, ["ls-remote", "--heads", parent])).not.toContain(own);
  expect((await runGit(clone, ["push", "-q", urlOf(bob, "alice/tour"), "main"])).code).not.toBe(0);

  for (let round = 0; round < 3; round++) {
    await commitText(work, "file.txt", `changed ${round}\n${"a line\n".repeat(300)}`);
  }
  await mustGit(work, ["push", "-q", parent, "main"]);
  expect((await bob.api.post("/repos/bob/tour/sync_fork")).status).toBe(204);
  await mustGit(clone, ["pull", "-q", "--rebase", "origin", "main"]);
  await mustGit(clone, ["push", "-q", "origin", "main:after"]);
  expect(await checkedRefs(fork, scratch.join("tour-checked"))).toHaveLength(3);
  const { body } = await bob.api.post<{ merge_type: string }>("/repos/bob/tour/merge-upstream", { branch: "topic" });
  expect(body.merge_type).toBe("merge");
  await mustGit(clone, ["fetch", "-q", "origin"]);
  await mustGit(clone, ["fsck", "--full", "--strict"]);
  expect(await mustGit(clone, ["rev-list", "--count", "origin/topic"])).toBe("6");
});

test("a push does not open a fork of a private repository", async () => {
  const { work, fork } = await forked("closed", async () => {
    await alice.api.put("/repos/alice/closed/collaborators/bob", { permission: "read" });
    await alice.api.patch("/repos/alice/closed", { private: true });
  });
  await commitText(work, "a", "own");
  const { code, stderr } = await runGit(work, ["push", "-o", "repo.private=false", fork, "main"]);
  expect([code !== 0, stderr]).toEqual([true, expect.stringContaining("so it stays private")]);
  expect((await bob.api.get<{ private: boolean }>("/repos/bob/closed")).body.private).toBe(true);
  await mustGit(work, ["push", "-q", fork, "main"]);
});

test("an empty repository and one of SHA-256 are forked and then pushed to", async () => {
  for (const format of ["sha1", "sha256"]) {
    const name = `empty-${format}`;
    await app.repository(alice, name, { object_format_name: format });
    expect((await bob.api.post(`/repos/alice/${name}/forks`, {})).status).toBe(202);
    const work = scratch.join(name);
    await mustGit(scratch.path, ["init", "-q", "-b", "main", `--object-format=${format}`, work]);
    const tip = await commitText(work, "a", "first");
    await mustGit(work, ["push", "-q", urlOf(alice, `alice/${name}`), "main:theirs"]);
    expect((await bob.api.get(`/repos/bob/${name}/sync_fork`)).status).toBe(404);
    await mustGit(work, ["push", "-q", urlOf(bob, `bob/${name}`), "main"]);
    expect(await checkedRefs(urlOf(bob, `bob/${name}`), scratch.join(`${name}-clone`))).toEqual([
      `${tip} refs/heads/main`,
    ]);
  }
});

describe("neither shows what is in the packs of the other", () => {
  let own = "";
  let theirs = "";
  let hidden = { commit: "", blob: "" };
  let repositories: Awaited<ReturnType<typeof forked>>;

  beforeAll(async () => {
    repositories = await forked("apart", async (work, url) => {
      await mustGit(work, ["checkout", "-q", "-b", "secret"]);
      hidden.commit = await commitText(work, "secret.txt", "what was deleted\n".repeat(20));
      hidden.blob = await mustGit(work, ["rev-parse", "HEAD:secret.txt"]);
      await mustGit(work, ["push", "-q", url, "secret", "secret:pull"]);
      await mustGit(work, ["push", "-q", url, ":secret"]);
      // What a pull request has is reached by such a ref, which no fork gets.
      await sql`update ref set name = 'refs/pull/1/head' where name = 'refs/heads/pull'`;
      await mustGit(work, ["checkout", "-q", "main"]);
    });
    const { work, fork, parent } = repositories;
    await mustGit(work, ["checkout", "-q", "-b", "bobs"]);
    own = await commitText(work, "bob.txt", "by bob");
    await mustGit(work, ["push", "-q", fork, "bobs"]);
    await mustGit(work, ["checkout", "-q", "-b", "alices", "main"]);
    theirs = await commitText(work, "alice.txt", "by alice");
    await mustGit(work, ["push", "-q", parent, "alices"]);
  });

  const expectApart = async () => {
    const main = await mustGit(repositories.work, ["rev-parse", "main"]);
    for (const oid of [own, await mustGit(repositories.work, ["rev-parse", `${own}:bob.txt`])]) {
      expect([await shows("alice/apart", oid), await shows("bob/apart", oid)]).toEqual([
        [false, false],
        [true, true],
      ]);
    }
    for (const oid of [theirs, await mustGit(repositories.work, ["rev-parse", `${theirs}:alice.txt`])]) {
      expect([await shows("alice/apart", oid), await shows("bob/apart", oid)]).toEqual([
        [true, true],
        [false, false],
      ]);
    }
    for (const oid of Object.values(hidden)) {
      expect(await shows("bob/apart", oid)).toEqual([false, false]);
    }
    expect(await shows("bob/apart", main)).toEqual([true, true]);
  };

  test("by oid, also when both are repacked", async () => {
    await expectApart();
    const { parentId, forkId } = repositories;
    await repack(forkId, "due");
    await repack(parentId, "due");
    await expectApart();
    await repack(parentId, "whole");
    await repack(forkId, "whole");
    await collect();
    await expectApart();
    expect((await linked(forkId)).some((checksum) => existsSync(packPath(packDirectory, checksum)))).toBe(true);
  });

  test("by a push that names it: as a tip, a parent, in a tree, or as the base of a delta", async () => {
    const { work, forkId } = await forked("named", async (directory, url) => {
      await mustGit(directory, ["checkout", "-q", "-b", "secret"]);
      hidden = {
        commit: await commitText(directory, "secret.txt", "what was deleted\n".repeat(30)),
        blob: await mustGit(directory, ["rev-parse", "HEAD:secret.txt"]),
      };
      await mustGit(directory, ["tag", "-a", "-m", "hidden", "hidden"]);
      await mustGit(directory, ["push", "-q", url, "secret", "hidden"]);
      await mustGit(directory, ["push", "-q", url, ":secret", ":refs/tags/hidden"]);
    });
    const rootTree = await mustGit(work, ["rev-parse", `${hidden.commit}^{tree}`]);
    const tag = await mustGit(work, ["rev-parse", "refs/tags/hidden"]);
    const content = Buffer.from("what was deleted\n".repeat(30));
    const more = Buffer.concat([content, Buffer.from("and more\n")]);
    const longer = refDelta(hidden.blob, encodeDelta(content, more, 1e6)!);
    const withLonger = tree(["100644", "a", blob(more)]);
    const withBlob = tree(["100644", "a", hidden.blob]);
    const attempts: [string, Parameters<typeof rawPack>[0]][] = [
      [hidden.commit, []],
      [oidOf(commit(withBlob)), [withBlob, commit(withBlob)]],
      [oidOf(commit(rootTree)), [commit(rootTree)]],
      [oidOf(commit(tree(), hidden.commit)), [tree(), commit(tree(), hidden.commit)]],
      [oidOf(commit(withLonger)), [longer, withLonger, commit(withLonger)]],
    ];
    for (const [tip, entries] of attempts) {
      const report = await pushRaw("bob/named", tip, entries);
      expect(report).toMatch(/unpack Cannot find the object [0-9a-f]{40}/);
      expect(report).not.toContain("ok refs/heads/taken");
    }
    // A tag names no branch: pushed as one.
    const command = packet(`${"0".repeat(40)} ${tag} refs/tags/taken\0report-status\n`);
    const response = await fetch(`${app.url}/bob/named.git/git-receive-pack`, {
      method: "POST",
      headers: { "content-type": "application/x-git-receive-pack-request", authorization: `token ${bob.token}` },
      body: Buffer.concat([Buffer.from(`${command}0000`), rawPack([])]),
    });
    expect(await response.text()).toContain("Cannot find the object");
    expect((await sql`select 1 from ref where repository_id = ${forkId}`).length).toBe(1);

    // What the fork reaches may be named, wherever it lies: a file as it was some commits ago, the base of a delta.
    const old = await mustGit(work, ["rev-parse", "main:file.txt"]);
    await mustGit(work, ["checkout", "-q", "main"]);
    for (const text of ["changed", "changed again"]) {
      await commitText(work, "file.txt", text);
      await mustGit(work, ["push", "-q", urlOf(bob, "bob/named"), "main"]);
    }
    const parent = await mustGit(work, ["rev-parse", "main"]);
    const reverted = tree(["100644", "file.txt", old]);
    const tip = commit(reverted, parent);
    expect(await pushRaw("bob/named", oidOf(tip), [reverted, tip])).toContain("ok refs/heads/taken");
  });
});

describe("packs in common", () => {
  test("stay common when a fork is repacked for its own commits, and go with the last that has them", async () => {
    const random = () => Buffer.from(crypto.getRandomValues(new Uint8Array(20_000))).toString("hex");
    const { parentId, forkId, work, fork } = await forked("common", async (directory, url) => {
      await commitText(directory, "random", random());
      await mustGit(directory, ["push", "-q", url, "main"]);
    });
    await repack(parentId, "whole");
    await repack(forkId, "whole");
    const shared = await linked(parentId);
    expect(await linked(forkId)).toEqual(shared);
    const bytes = () =>
      readdirSync(packDirectory, { recursive: true })
        .map(String)
        .filter((name) => name.endsWith(".pack"))
        .reduce((sum, name) => sum + statSync(join(packDirectory, name)).size, 0);
    await mustGit(work, ["checkout", "-q", "-b", "own"]);
    await commitText(work, "w", "w");
    await mustGit(work, ["push", "-q", fork, "own"]);
    expect((await listMaintainedPacks(database.db, forkId)).map((one) => one.shared)).toEqual([false, true]);
    expect(await repack(forkId, "due")).toBeNull();
    const before = bytes();
    for (const name of ["x", "y", "z"]) {
      await commitText(work, name, name);
      await mustGit(work, ["push", "-q", fork, "own"]);
    }
    await repack(forkId, "due");
    expect(await linked(forkId)).toContain(shared[0]!);
    expect((await linked(forkId)).length).toBeLessThan(5);
    await collect();
    expect(bytes() - before).toBeLessThan(3000);

    expect((await alice.api.delete("/repos/alice/common")).status).toBe(204);
    await collect();
    expect(existsSync(packPath(packDirectory, shared[0]!))).toBe(true);
    expect(await checkedRefs(fork, scratch.join("common-clone"))).toHaveLength(2);
    expect((await bob.api.delete("/repos/bob/common")).status).toBe(204);
    await collect();
    expect(existsSync(packPath(packDirectory, shared[0]!))).toBe(false);
  });

  test("a small repository is put into one pack, a fork only as it grows", () => {
    const packs = (...sizes: [bytes: number, shared: boolean][]) =>
      sizes.map(([bytes, shared], number) => ({ checksum: String(number), objects: 1, bytes, shared }));
    expect(planRepack(packs([1000, false], [10, false]))).toMatchObject({ whole: true });
    expect(planRepack(packs([1000, true], [10, false]))).toBeNull();
    expect(planRepack(packs([1000, true], [10, false], [10, false]))).toMatchObject({
      whole: false,
      packs: [{ bytes: 10 }, { bytes: 10 }],
    });
    expect(planRepack(packs([1000, true], [600, false], [10, false]))).toMatchObject({ whole: true });
    expect(planRepack(packs([1000, true], [400, false], [10, false]))).toBeNull();
    expect(planRepack(packs([1000, true], [900, false], [800, false]))).toMatchObject({ whole: true });
  });
});

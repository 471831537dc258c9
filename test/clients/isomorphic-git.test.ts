import { afterAll, describe, expect, test } from "bun:test";
import fs from "node:fs";
import { join } from "node:path";
import {
  add,
  branch,
  clone,
  commit,
  fetch as fetchRefs,
  listServerRefs,
  log,
  push,
  resolveRef,
  statusMatrix,
} from "isomorphic-git";
import http from "isomorphic-git/http/node";
import { mustGit, Scratch } from "../support/git.ts";
import { useTestApp } from "../support/test-app.ts";

/** isomorphic-git as a client: its own protocol 1 for packs, and 2 for lists of refs. */

const app = await useTestApp();
const alice = await app.user("alice");
await app.repository(alice, "site", { private: true });
const url = `${app.url}/alice/site.git`;
const asGit = `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/site.git`;
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

const work = scratch.join("work");
await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
for (const number of [1, 2, 3, 4]) {
  await Bun.write(join(work, "dir", `file-${number}`), `${number}\n`.repeat(50));
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", String(number)]);
}
await mustGit(work, ["tag", "-a", "-m", "one", "v1", "HEAD~1"]);
await mustGit(work, ["push", "-q", asGit, "main", "v1"]);

const remote = { http, url, onAuth: () => ({ username: alice.name, password: alice.token }) };
const local = (name: string) => ({ fs, dir: scratch.join(name), cache: {} });
const author = { name: "Ada", email: "ada@example.org", timestamp: 1_700_000_000, timezoneOffset: 0 };
const oidOf = (name: string) => mustGit(work, ["rev-parse", name]);
const onServer = async (name: string) => (await mustGit(work, ["ls-remote", asGit, name])).split("\t")[0];

describe("isomorphic-git", () => {
  test("clones everything, and takes what is new", async () => {
    const repository = local("whole");
    await clone({ ...repository, ...remote });
    expect((await log({ ...repository })).map(({ oid }) => oid)).toEqual(
      (await mustGit(work, ["rev-list", "main"])).split("\n"),
    );
    expect(
      (await statusMatrix(repository)).every(([, head, workdir, stage]) => head === 1 && workdir === 1 && stage === 1),
    ).toBe(true);
    expect(await resolveRef({ ...repository, ref: "refs/tags/v1" })).toBe(await oidOf("v1"));
    await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "5"]);
    await mustGit(work, ["push", "-q", asGit, "main", "main:refs/heads/topic"]);
    await fetchRefs({ ...repository, ...remote, remote: "origin" });
    expect(await resolveRef({ ...repository, ref: "refs/remotes/origin/topic" })).toBe(await oidOf("main"));
    await mustGit(repository.dir, ["fsck", "--strict"]);
  });

  test("clones a part of a history and deepens it", async () => {
    const repository = local("shallow");
    await clone({ ...repository, ...remote, depth: 1, singleBranch: true, ref: "main", noTags: true });
    expect((await log(repository)).length).toBe(1);
    await fetchRefs({
      ...repository,
      ...remote,
      depth: 2,
      relative: true,
      singleBranch: true,
      ref: "main",
      tags: false,
    });
    expect((await log(repository)).length).toBe(3);
    await mustGit(repository.dir, ["fsck", "--connectivity-only"]);
  });

  test("pushes to branches that are there and to new ones, by force, and deletes", async () => {
    const repository = local("pushing");
    await clone({ ...repository, ...remote, singleBranch: true });
    await Bun.write(join(repository.dir, "new.txt"), "written by isomorphic-git\n");
    await add({ ...repository, filepath: "new.txt" });
    const made = await commit({ ...repository, message: "New", author });
    expect(await push({ ...repository, ...remote, ref: "main" })).toMatchObject({
      ok: true,
      refs: { "refs/heads/main": { ok: true } },
    });
    expect(await onServer("refs/heads/main")).toBe(made);
    await branch({ ...repository, ref: "other", object: await oidOf("main~2") });
    await push({ ...repository, ...remote, ref: "other", remoteRef: "refs/heads/topic", force: true });
    expect(await onServer("refs/heads/topic")).toBe(await oidOf("main~2"));
    await push({ ...repository, ...remote, ref: "refs/heads/other", remoteRef: "refs/heads/topic", delete: true });
    expect(await onServer("refs/heads/topic")).toBe("");
    const refused = await push({
      ...repository,
      ...remote,
      ref: "refs/heads/main",
      remoteRef: "refs/heads/main",
      delete: true,
    }).catch(String);
    expect(String(refused)).toContain("refusing to delete the default branch");
  });

  test("lists refs by protocol 1 and 2", async () => {
    for (const protocolVersion of [1, 2] as const) {
      const refs = await listServerRefs({ ...remote, protocolVersion, prefix: "refs/tags/", peelTags: true });
      expect(refs).toEqual([{ ref: "refs/tags/v1", oid: await oidOf("v1"), peeled: await oidOf("v1^{}") }]);
    }
  });
});

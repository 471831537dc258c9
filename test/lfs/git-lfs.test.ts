import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { letWrite, lfsBytesOf } from "./raw-lfs.ts";
import { useTestApp } from "../support/test-app.ts";
import { hasGitLfs, LfsWorkTree, remoteUrl } from "./lfs-client.ts";

/** The real git-lfs over HTTP. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");

/** Bytes that differ from one another and in every run of a test file alike. */
function noise(length: number, seed: number): Uint8Array {
  let state = seed;
  return new Uint8Array(length).map(() => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 16);
}

describe.skipIf(!hasGitLfs)("git-lfs", () => {
  test("tracks, pushes, clones and fetches", async () => {
    await app.repository(alice, "media", { private: true });
    const remote = remoteUrl(app, alice, "alice/media");
    using tree = await LfsWorkTree.create(remote);
    const [first, second] = [noise(300_000, 1), noise(5_000, 2)];
    tree.write("a.bin", first);
    tree.write("same.bin", first);
    tree.write("empty.bin", "");
    tree.write("note.txt", "no LFS\n");
    await tree.commit("first");
    await tree.git("push", "-q", "origin", "main");
    expect(await lfsBytesOf(app, "alice", "media")).toBe(first.length);

    using clone = await LfsWorkTree.clone(remote);
    expect(Buffer.compare(readFileSync(clone.join("a.bin")), first)).toBe(0);
    expect(Buffer.compare(readFileSync(clone.join("same.bin")), first)).toBe(0);
    expect(readFileSync(clone.join("empty.bin")).length).toBe(0);
    expect(readFileSync(clone.join("note.txt"), "utf8")).toBe("no LFS\n");
    expect(await clone.git("cat-file", "-p", "HEAD:a.bin")).toContain("oid sha256:");

    tree.write("b.bin", second);
    await tree.commit("second");
    await tree.git("push", "-q", "origin", "main");
    await clone.git("pull", "-q");
    await clone.git("lfs", "fetch", "--all");
    expect(Buffer.compare(readFileSync(clone.join("b.bin")), second)).toBe(0);
    await clone.git("lfs", "fsck");
    expect(await lfsBytesOf(app, "alice", "media")).toBe(first.length + second.length);
  });

  test("nobody signed in clones from a public repository, and cannot push to it", async () => {
    await app.repository(alice, "open");
    using tree = await LfsWorkTree.create(remoteUrl(app, alice, "alice/open"));
    tree.write("a.bin", noise(1000, 3));
    await tree.commit("first");
    await tree.git("push", "-q", "origin", "main");

    const anonymous = `${app.url}/alice/open.git`;
    using clone = await LfsWorkTree.clone(anonymous);
    expect(readFileSync(clone.join("a.bin")).length).toBe(1000);
    clone.write("b.bin", noise(1000, 4));
    await clone.commit("not mine");
    const push = await clone.run("lfs", "push", "origin", "main");
    expect(push.code).not.toBe(0);
    expect(await lfsBytesOf(app, "alice", "open")).toBe(1000);
  });

  test("a lock is seen, keeps others from pushing, and is removed by its owner or by force", async () => {
    await app.repository(alice, "locked");
    await letWrite(app, bob, "alice", "locked");
    const remotes = { alice: remoteUrl(app, alice, "alice/locked"), bob: remoteUrl(app, bob, "alice/locked") };
    using mine = await LfsWorkTree.create(remotes.alice);
    mine.write("a.bin", noise(500, 5));
    await mine.commit("first");
    await mine.git("push", "-q", "origin", "main");
    using theirs = await LfsWorkTree.clone(remotes.bob);

    expect(await mine.git("lfs", "lock", "a.bin")).toContain("Locked a.bin");
    expect(await theirs.git("lfs", "locks")).toMatch(/a\.bin\s+alice\s+ID:\d+/);
    const again = await theirs.run("lfs", "lock", "a.bin");
    expect(again.code).not.toBe(0);
    expect(again.stderr + again.stdout).toContain("locked by alice");

    await theirs.git("config", `lfs.${remotes.bob}/info/lfs.locksverify`, "true");
    await theirs.git("config", "lfs.locksverify", "true");
    theirs.write("a.bin", noise(500, 6));
    await theirs.commit("over a lock");
    const push = await theirs.run("push", "-q", "origin", "main");
    expect(push.code).not.toBe(0);
    expect(push.stderr).toContain("alice");

    const force = await theirs.run("lfs", "unlock", "--force", "a.bin");
    expect(force.code).not.toBe(0);
    expect(force.stderr + force.stdout).toContain("Only administrators");
    await mine.git("lfs", "unlock", "a.bin");
    expect(await mine.git("lfs", "locks")).toBe("");
    await theirs.git("push", "-q", "origin", "main");

    await theirs.git("lfs", "lock", "a.bin");
    await mine.git("lfs", "unlock", "--force", "a.bin");
    expect(await theirs.git("lfs", "locks")).toBe("");
  });
});

import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { retireUnreferredBlobs } from "../../src/domain/git/blobs/queries.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { TestApp, useTestApp, type TestUser } from "../support/test-app.ts";
import { hasGitLfs, LfsWorkTree, remoteUrl } from "./lfs-client.ts";
import { lfsBytesOf, LfsClient, sha256 } from "./raw-lfs.ts";

/** LFS objects of wikis: they are those of nothing else, and those reach them who reach the wiki. */

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const { sql } = app.forge.database;
const [alice, bob, carol] = [await app.user("alice"), await app.user("bob"), await app.user("carol")];
const keys = { alice: new SshKeyPair(), bob: new SshKeyPair(), carol: new SshKeyPair() };
for (const user of [alice, bob, carol]) {
  await keys[user.name as keyof typeof keys].addTo(user);
}
afterAll(() => Object.values(keys).forEach((key) => key[Symbol.dispose]()));

const content = "what only the wiki has\n".repeat(100);
const oid = sha256(content);
const objectsOf = (name: string, user?: TestUser) => LfsClient.of(app, `alice/${name}`, user?.token);
const usedBy = async ({ id }: { id: number }) => {
  const [row] = await sql`select coalesce(sum(git_lfs), 0)::int as bytes from owner_usage where owner_id = ${id}`;
  return row?.["bytes"] as number;
};
let made = 0;

/** A private repository of alice's whose wiki has an object. */
async function withObject(fields: Record<string, unknown> = {}): Promise<{ name: string; id: number }> {
  const name = `site-${++made}`;
  const { id } = await app.repository(alice, name, { private: true, ...fields });
  expect((await objectsOf(`${name}.wiki`, alice).put(oid, content)).status).toBe(200);
  return { name, id };
}

describe("who may not", () => {
  test("has nothing of it: strangers are told of no wiki, readers write none", async () => {
    const { name } = await withObject();
    await alice.api.put(`/repos/alice/${name}/collaborators/bob`, { permission: "read" });
    const wiki = `${name}.wiki`;
    expect((await objectsOf(wiki).get(oid)).status).toBe(401);
    expect((await objectsOf(wiki, carol).get(oid)).status).toBe(404);
    expect((await objectsOf(wiki, carol).batch("download", [{ oid, size: content.length }])).status).toBe(404);
    expect((await objectsOf(wiki, bob).get(oid)).status).toBe(200);
    expect((await objectsOf(wiki, bob).put(sha256("x"), "x")).status).toBe(403);
    expect((await objectsOf(wiki, bob).batch("upload", [{ oid: sha256("x"), size: 1 }])).status).toBe(403);
    const ssh = await keys.bob.run(app.ssh ?? "", ["git-lfs-authenticate", `alice/${wiki}.git`, "upload"]);
    expect([ssh.code === 0, ssh.stdout]).toEqual([false, ""]);
    const stranger = await keys.carol.run(app.ssh ?? "", ["git-lfs-authenticate", `alice/${wiki}.git`, "download"]);
    expect([stranger.code === 0, stranger.stdout]).toEqual([false, ""]);
  });

  test("gets them of a wiki that is switched off, or of an archived repository writes them", async () => {
    const { name } = await withObject();
    const wiki = objectsOf(`${name}.wiki`, alice);
    await alice.api.patch(`/repos/alice/${name}`, { has_wiki: false });
    expect([(await wiki.get(oid)).status, (await wiki.put(sha256("x"), "x")).status]).toEqual([404, 404]);
    await alice.api.patch(`/repos/alice/${name}`, { has_wiki: true, archived: true });
    expect([(await wiki.get(oid)).status, (await wiki.put(sha256("x"), "x")).status]).toEqual([200, 403]);
  });

  test("gets them through the code, a fork or another repository, nor the code's through the wiki", async () => {
    const { name } = await withObject({ auto_init: true });
    await app.repository(alice, `other-${name}`);
    const inCode = "what only the code has";
    expect((await objectsOf(name, alice).put(sha256(inCode), inCode)).status).toBe(200);
    for (const other of [name, `other-${name}`, `other-${name}.wiki`]) {
      expect([other, (await objectsOf(other, alice).get(oid)).status]).toEqual([other, 404]);
    }
    expect((await objectsOf(`${name}.wiki`, alice).get(sha256(inCode))).status).toBe(404);
    await alice.api.put(`/repos/alice/${name}/collaborators/bob`, { permission: "read" });
    expect((await bob.api.post(`/repos/alice/${name}/forks`, {})).status).toBe(202);
    const fork = (path: string) => LfsClient.of(app, `bob/${path}`, bob.token);
    expect((await fork(name).get(sha256(inCode))).status).toBe(200);
    expect((await fork(name).get(oid)).status).toBe(404);
    expect((await fork(`${name}.wiki`).get(oid)).status).toBe(404);
  });

  test("takes a token of the one to the other", async () => {
    const { name } = await withObject();
    const [code, wiki] = [objectsOf(name, alice), objectsOf(`${name}.wiki`, alice)];
    await code.put(oid, content);
    const open = (url: string, header: Record<string, string>) =>
      fetch(url, { headers: header }).then(({ status }) => status);
    const [ofCode, ofWiki] = [
      await code.action("download", oid, content.length),
      await wiki.action("download", oid, content.length),
    ];
    expect(ofWiki.href).toBe(`${app.url}/alice/${name}.wiki.git/info/lfs/objects/${oid}`);
    expect([await open(ofCode.href, ofCode.header), await open(ofWiki.href, ofWiki.header)]).toEqual([200, 200]);
    expect([await open(ofCode.href, ofWiki.header), await open(ofWiki.href, ofCode.header)]).toEqual([401, 401]);
    const upload = await wiki.action("upload", sha256("x"), 1);
    expect(await open(ofWiki.href, upload.header)).toBe(403);
  });

  test("locks a file of a wiki", async () => {
    const { name } = await withObject();
    const wiki = objectsOf(`${name}.wiki`, alice);
    const answer = await wiki.post<{ message: string }>("locks", { path: "a.bin" });
    expect([answer.status, answer.body.message]).toEqual([404, "A wiki has no locks"]);
    expect((await wiki.post("locks/verify", {})).status).toBe(404);
    expect(
      (await objectsOf(`${name}.wiki`, carol).post<{ message: string }>("locks", { path: "a" })).body.message,
    ).toBe(`There is no repository "alice/${name}.wiki"`);
  });
});

test("the bytes are the owner's, of whichever owner, and not part of the repository's size", async () => {
  const [before, ofBob] = [await usedBy(alice), await usedBy(bob)];
  const { name, id } = await withObject();
  expect(await usedBy(alice)).toBe(before + content.length);
  expect((await objectsOf(`${name}.wiki`, alice).put(oid, content)).status).toBe(200);
  expect(await usedBy(alice)).toBe(before + content.length);
  expect(await lfsBytesOf(app, "alice", name)).toBe(0);
  await sql`update repository set owner_id = ${bob.id} where id = ${id}`;
  expect([await usedBy(alice), await usedBy(bob)]).toEqual([before, ofBob + content.length]);
  await sql`update repository set owner_id = ${alice.id} where id = ${id}`;
});

test("they go with the repository, and no other object goes with them", async () => {
  const text = "of one wiki only";
  const [gone, kept] = [await withObject(), await withObject()];
  await objectsOf(`${gone.name}.wiki`, alice).put(sha256(text), text);
  const before = await usedBy(alice);
  expect((await alice.api.delete(`/repos/alice/${gone.name}`)).status).toBe(204);
  expect(await usedBy(alice)).toBe(before - text.length - content.length);
  const left = await sql`select sha256 from blob_reference where subject_id = ${-gone.id}`;
  expect(left.length).toBe(0);
  expect((await objectsOf(`${kept.name}.wiki`, alice).get(oid)).status).toBe(200);
  await app.forge.database.db.transaction((tx) => retireUnreferredBlobs(tx, 100));
  const retired = await sql`select encode(sha256, 'hex') as oid from blob where retired_at is not null`;
  expect(retired.map(({ oid: one }) => one as string)).toEqual([sha256(text)]);
});

test("a quota holds for them, at once and while they are announced", async () => {
  await using limited = await TestApp.start({ quota: { repository_limit_bytes: 1000 } });
  const dora = await limited.user("dora");
  await limited.repository(dora, "site");
  const wiki = LfsClient.of(limited, "dora/site.wiki", dora.token);
  expect((await wiki.put(sha256("a".repeat(600)), "a".repeat(600))).status).toBe(200);
  expect((await wiki.ask("upload", sha256("b".repeat(600)), 600)).error?.code).toBe(413);
  expect((await wiki.put(sha256("b".repeat(600)), "b".repeat(600))).status).toBe(413);
  // What the wiki has leaves the repository its own room.
  const code = LfsClient.of(limited, "dora/site", dora.token);
  expect((await code.put(sha256("b".repeat(600)), "b".repeat(600))).status).toBe(200);
});

describe.skipIf(!hasGitLfs)("git-lfs", () => {
  test.each(["http", "ssh"] as const)("pushes to a wiki and clones it over %s", async (way) => {
    const name = `media-${way}`;
    await app.repository(alice, name, { private: true });
    const remote = way === "http" ? remoteUrl(app, alice, `alice/${name}.wiki`) : `${app.ssh}/alice/${name}.wiki.git`;
    const env = way === "http" ? {} : keys.alice.env;
    using tree = await LfsWorkTree.create(remote, env);
    const picture = Buffer.from("bytes of a picture\n".repeat(20_000));
    tree.write("picture.bin", picture);
    tree.write("Home.md", "![a picture](picture.bin)\n");
    await tree.commit("Show a picture");
    await tree.git("push", "-q", "origin", "main");
    using clone = await LfsWorkTree.clone(remote, { env });
    expect(Buffer.compare(readFileSync(clone.join("picture.bin")), picture)).toBe(0);
    expect(await clone.git("cat-file", "-p", "HEAD:picture.bin")).toContain("oid sha256:");
    clone.write("second.bin", "another one");
    await clone.commit("Show another one");
    await clone.git("push", "-q", "origin", "main");
    await tree.git("pull", "-q", "origin", "main");
    await tree.git("lfs", "fsck");
    const pages = await alice.api.get<{ title: string }[]>(`/repos/alice/${name}/wiki/pages`);
    expect(pages.body.map(({ title }) => title)).toEqual(["Home"]);
  });
});

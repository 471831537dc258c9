import { afterAll, describe, expect, test } from "bun:test";
import { sha256 } from "../lfs/raw-lfs.ts";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";

/** What a deploy key may reach: the code of its repository with its LFS objects, whatever becomes of that, and nothing else. */

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());
const work = scratch.join("work");
await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "first"]);

let number = 0;
/** A private repository of Alice's, with a commit. */
async function makePlace(fields: Record<string, unknown> = {}): Promise<string> {
  const name = `place-${++number}`;
  await app.repository(alice, name, { private: true, ...fields });
  await mustGit(work, ["push", "-q", `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/${name}`, "main"]);
  return name;
}

const at = (path: string) => `${app.ssh}/${path}.git`;
const ls = (key: SshKeyPair, path: string) => runGit(work, ["ls-remote", at(path)], { env: key.env });
const push = (key: SshKeyPair, path: string, ...what: string[]) =>
  runGit(work, ["push", at(path), ...what], { env: key.env });

interface Lfs {
  href: string;
  header: { Authorization: string };
}
async function lfsOf(key: SshKeyPair, path: string, operation: "upload" | "download"): Promise<Lfs> {
  const { code, stdout } = await key.run(app.ssh ?? "", [`git-lfs-authenticate '${path}.git' ${operation}`]);
  expect(code).toBe(0);
  return JSON.parse(stdout) as Lfs;
}
const type = "application/vnd.git-lfs+json";
async function callLfs({ href, header }: Lfs, path: string, body: object): Promise<number> {
  const { status } = await fetch(`${href}${path}`, {
    method: "POST",
    headers: { accept: type, "content-type": type, ...header },
    body: JSON.stringify(body),
  });
  return status;
}
const batch = (lfs: Lfs, operation: "upload" | "download") =>
  callLfs(lfs, "/objects/batch", { operation, objects: [{ oid: "a".repeat(64), size: 3 }] });
async function put({ href, header }: Lfs, content: string): Promise<number> {
  const { status } = await fetch(`${href}/objects/${sha256(content)}`, {
    method: "PUT",
    headers: { "content-type": "application/octet-stream", ...header },
    body: content,
  });
  return status;
}

describe("a deploy key that may write", () => {
  test("proposes nothing, changes no settings, and opens no wiki", async () => {
    using key = new SshKeyPair();
    const name = await makePlace();
    await key.deploy(alice, name, false);
    const proposal = await push(key, `alice/${name}`, "-o", "topic=t", "main:refs/for/main");
    expect(proposal.stderr).toContain("a deploy key opens no pull requests");
    const open = await push(key, `alice/${name}`, "-o", "repo.private=false", "main:refs/heads/other");
    expect(open.stderr).toContain("repo.private is for administrators");
    const [row] = await sql<{ private: boolean }[]>`select private from repository where name = ${name}`;
    expect(row?.private).toBe(true);
    expect((await ls(key, `alice/${name}.wiki`)).stderr).toContain("no repository");
    expect((await push(key, `alice/${name}`, "main:refs/pull/1/head")).code).not.toBe(0);
    expect((await push(key, `alice/${name}`, "main:refs/heads/other")).code).toBe(0);
  });

  test("takes and releases nobody's locks", async () => {
    using key = new SshKeyPair();
    const name = await makePlace();
    await key.deploy(alice, name, false);
    const lfs = await lfsOf(key, `alice/${name}`, "upload");
    expect(await callLfs(lfs, "/locks", { path: "a.bin" })).toBe(403);
    const own = { ...lfs, header: { Authorization: `Basic ${btoa(`alice:${testPassword}`)}` } };
    expect(await callLfs(own, "/locks", { path: "a.bin" })).toBe(201);
    const [lock] = await sql<{ id: number }[]>`select id::int from lfs_lock order by id desc limit 1`;
    expect(await callLfs(lfs, `/locks/${lock!.id}/unlock`, { force: true })).toBe(403);
    expect(await callLfs(lfs, `/locks/${lock!.id}/unlock`, {})).toBe(403);
    expect(await callLfs(lfs, "/locks/verify", {})).toBe(200);
  });

  test("has a token of LFS that ends with it, opens one repository, and is good for nothing but LFS", async () => {
    using key = new SshKeyPair();
    const [one, other] = [await makePlace(), await makePlace()];
    const id = await key.deploy(alice, one, false);
    await key.deploy(alice, other, true);
    const lfs = await lfsOf(key, `alice/${one}`, "upload");
    expect([await batch(lfs, "upload"), await put(lfs, "an object")]).toEqual([200, 200]);
    // The key opens the other repository, too; the token does not.
    const aside = { ...lfs, href: lfs.href.replace(one, other) };
    expect([await batch(aside, "upload"), await batch(aside, "download"), await put(aside, "aside")]).toEqual([401, 401, 401]); // prettier-ignore
    for (const path of [
      "/api/v1/user",
      `/api/v1/repos/alice/${one}`,
      `/alice/${one}.git/info/refs?service=git-upload-pack`,
    ]) {
      const { status } = await fetch(app.url + path, { headers: lfs.header });
      expect({ path, status }).toEqual({ path, status: 401 });
    }
    expect((await alice.api.delete(`/repos/alice/${one}/keys/${id}`)).status).toBe(204);
    expect(
      [await batch(lfs, "upload"), await put(lfs, "late")].every((status) => status === 401 || status === 404),
    ).toBe(true);
    expect(await app.forge.files.blobs.find(sha256("late"))).toBe(null);
  });

  test("has a token of LFS that writes no more once the key may only read", async () => {
    using key = new SshKeyPair();
    const name = await makePlace();
    const id = await key.deploy(alice, name, false);
    const lfs = await lfsOf(key, `alice/${name}`, "upload");
    expect((await alice.api.delete(`/repos/alice/${name}/keys/${id}`)).status).toBe(204);
    await key.deploy(alice, name, true);
    expect(
      [await batch(lfs, "upload"), await put(lfs, "too late")].every((status) => status === 401 || status === 403),
    ).toBe(true);
    expect((await push(key, `alice/${name}`, "main:refs/heads/other")).code).not.toBe(0);
  });

  test("that becomes a user's key is theirs from then on, and its tokens open nothing more", async () => {
    using key = new SshKeyPair();
    const name = await makePlace();
    const id = await key.deploy(alice, name, false);
    const lfs = await lfsOf(key, `alice/${name}`, "upload");
    const option = { title: "mine", key: key.publicKey };
    expect((await bob.api.post("/user/keys", option)).status).toBe(422);
    expect((await alice.api.delete(`/repos/alice/${name}/keys/${id}`)).status).toBe(204);
    expect((await bob.api.post("/user/keys", option)).status).toBe(201);
    expect((await ls(key, `alice/${name}`)).stderr).toContain("no repository");
    expect([await batch(lfs, "upload"), await put(lfs, "mine now")]).toEqual([401, 401]);
    expect((await alice.api.post(`/repos/alice/${name}/keys`, { ...option, read_only: false })).status).toBe(422);
  });

  test("opens its repository under another name, of another owner, made private, and no fork of it", async () => {
    using key = new SshKeyPair();
    const name = await makePlace({ private: false });
    await key.deploy(alice, name, false);
    expect((await bob.api.post(`/repos/alice/${name}/forks`, {})).status).toBe(202);
    expect((await ls(key, `bob/${name}`)).stderr).toContain("no repository");
    expect((await alice.api.patch(`/repos/alice/${name}`, { private: true })).status).toBe(200);
    expect((await ls(key, `alice/${name}`)).code).toBe(0);
    expect((await alice.api.patch(`/repos/alice/${name}`, { name: `${name}-new` })).status).toBe(200);
    expect((await ls(key, `alice/${name}`)).code).toBe(0);
    // Another repository of the former name is not the key's.
    await app.repository(alice, name, { private: true });
    expect((await ls(key, `alice/${name}`)).stderr).toContain("no repository");
    const lfs = await lfsOf(key, `alice/${name}-new`, "upload");
    await app.organization(`works-${number}`, alice);
    const moved = await alice.api.post(`/repos/alice/${name}-new/transfer`, { new_owner: `works-${number}` });
    expect(moved.status).toBe(202);
    expect((await push(key, `works-${number}/${name}-new`, "main:refs/heads/after")).code).toBe(0);
    expect(await put(lfs, "after the move")).toBe(200);
    const archived = { archived: true };
    expect((await alice.api.patch(`/repos/works-${number}/${name}-new`, archived)).status).toBe(200);
    expect((await push(key, `works-${number}/${name}-new`, "main:refs/heads/late")).stderr).toContain("archived");
    expect(await put(lfs, "into the archive")).toBe(403);
    expect((await ls(key, `works-${number}/${name}-new`)).code).toBe(0);
    expect((await alice.api.delete(`/repos/works-${number}/${name}-new`)).status).toBe(204);
    expect([await put(lfs, "into nothing"), (await ls(key, `works-${number}/${name}-new`)).code]).toEqual([401, 128]);
  });
});

test("a deploy key that may only read gets no token to upload, and writes nothing with the other one", async () => {
  using key = new SshKeyPair();
  const name = await makePlace();
  await key.deploy(alice, name, true);
  const lfs = await lfsOf(key, `alice/${name}`, "download");
  expect([await batch(lfs, "download"), await batch(lfs, "upload"), await put(lfs, "x")]).toEqual([200, 403, 403]);
  expect(await callLfs(lfs, "/locks", { path: "a.bin" })).toBe(403);
  expect((await push(key, `alice/${name}`, "main:refs/for/main")).code).not.toBe(0);
  const upload = await key.run(app.ssh ?? "", [`git-lfs-authenticate 'alice/${name}.git' upload`]);
  expect(upload.code).not.toBe(0);
});

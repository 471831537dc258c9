import { afterAll, describe, expect, test } from "bun:test";
import { renameOwner } from "../../src/domain/identity/owners/rename-owner.ts";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { TestApp, useTestApp } from "../support/test-app.ts";
import { serverDoer } from "../../src/domain/spine/doer.ts";

/** Who may do what over SSH. */

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const [alice, bob] = [await app.user("alice"), await app.user("bob")];
const [aliceKey, bobKey] = [new SshKeyPair(), new SshKeyPair()];
await aliceKey.addTo(alice);
await bobKey.addTo(bob);
await app.repository(alice, "open", { auto_init: true });
await app.repository(alice, "secret", { auto_init: true, private: true });
const scratch = new Scratch();

afterAll(() => {
  for (const it of [aliceKey, bobKey, scratch]) {
    it[Symbol.dispose]();
  }
});

const address = (name: string) => `${app.ssh}/alice/${name}.git`;
const ls = (key: SshKeyPair, name: string) =>
  runGit(scratch.path, ["ls-remote", "-q", address(name)], { env: key.env });
let pushes = 0;
async function push(key: SshKeyPair, name: string, url = address(name)) {
  const clone = scratch.join(`clone-${++pushes}`);
  await mustGit(scratch.path, ["clone", "-q", address(name), clone], { env: aliceKey.env });
  await mustGit(clone, ["commit", "-q", "--allow-empty", "-m", `push ${pushes}`]);
  return runGit(clone, ["push", "-q", url, `HEAD:refs/heads/push-${pushes}`], { env: key.env });
}

test("a key that nobody has is refused, and only keys are asked for", async () => {
  using stranger = new SshKeyPair();
  const { code, stderr } = await ls(stranger, "open");
  expect(code).not.toBe(0);
  expect(stderr).toContain("Permission denied (publickey).");
});

test("what is private is as if it were not there, byte for byte", async () => {
  expect((await ls(aliceKey, "secret")).code).toBe(0);
  const hidden = await ls(bobKey, "secret");
  const absent = await ls(bobKey, "absent");
  expect(hidden.code).not.toBe(0);
  expect(hidden.stderr.replaceAll("secret", "absent")).toBe(absent.stderr);
  expect(absent.stderr).toContain('stithy: There is no repository "alice/absent"');
});

test("who may only read cannot push", async () => {
  expect((await ls(bobKey, "open")).code).toBe(0);
  expect((await push(bobKey, "open")).stderr).toContain('You may read "alice/open", but not push to it');
  expect((await push(aliceKey, "open")).code).toBe(0);
});

describe("a deploy key", () => {
  test("opens its repository and no other, public ones included", async () => {
    using key = new SshKeyPair();
    await key.deploy(alice, "secret", true);
    expect((await ls(key, "secret")).code).toBe(0);
    expect((await ls(key, "open")).stderr).toContain('There is no repository "alice/open"');
    expect((await push(key, "secret")).stderr).toContain('This deploy key may read "alice/secret", but not push to it');
    expect((await key.run(app.ssh ?? "", [])).stderr).toContain("signed in with a deploy key");
  });

  test("that may write pushes, until it is deleted", async () => {
    using key = new SshKeyPair();
    const id = await key.deploy(alice, "secret", false);
    expect(await push(key, "secret")).toMatchObject({ code: 0 });
    expect((await alice.api.delete(`/repos/alice/secret/keys/${id}`)).status).toBe(204);
    expect((await push(key, "secret")).stderr).toContain("Permission denied (publickey)");
  });

  test("is noted as used", async () => {
    using key = new SshKeyPair();
    const id = await key.deploy(alice, "secret", true);
    await ls(key, "secret");
    await app.forge.identity.lastUse.flush();
    const [row] = await app.forge.database
      .sql`select d.last_used_at as deploy, k.last_used_at as key from deploy_key d join ssh_key k on k.id = d.key_id where d.id = ${id}`;
    expect(row?.["deploy"]).not.toBeNull();
    expect(row?.["key"]).not.toBeNull();
  });
});

describe("who loses access", () => {
  test("loses it with the next command on a connection that stays open", async () => {
    using key = new SshKeyPair();
    const id = await key.addTo(bob);
    const options = [
      "-o",
      "ControlMaster=auto",
      "-o",
      `ControlPath=${scratch.join("control")}`,
      "-o",
      "ControlPersist=60",
    ];
    const list = () => key.run(app.ssh ?? "", ["git-upload-pack 'alice/open.git'"], options);
    try {
      expect((await list()).stdout).toContain("refs/heads/main");
      expect((await bob.api.delete(`/user/keys/${id}`)).status).toBe(204);
      expect(await list()).toMatchObject({
        code: 1,
        stdout: "",
        stderr: "stithy: Your key is not accepted any more\n",
      });
    } finally {
      await key.run(app.ssh ?? "", [], ["-O", "exit", ...options]);
    }
  });

  test("by suspension cannot even sign in", async () => {
    const carol = await app.user("carol");
    using key = new SshKeyPair();
    await key.addTo(carol);
    expect((await ls(key, "open")).code).toBe(0);
    await app.forge.database.sql`update account set suspended = true where owner_id = ${carol.id}`;
    expect((await ls(key, "open")).stderr).toContain("Permission denied (publickey)");
  });
});

test("a repository is found under its former name", async () => {
  await app.repository(alice, "before", { auto_init: true });
  expect((await alice.api.patch("/repos/alice/before", { name: "after" })).status).toBe(200);
  expect((await ls(aliceKey, "before")).stdout).toBe((await ls(aliceKey, "after")).stdout);
  expect((await push(aliceKey, "after", address("before"))).code).toBe(0);
});

test("a repository is found under the former name of its owner, over SSH and HTTP", async () => {
  const dora = await app.user("dora");
  await app.repository(dora, "tour", { auto_init: true });
  await app.forge.change(serverDoer("test"), (work) => renameOwner(work, dora.id, "theodora", "username"));
  using key = new SshKeyPair();
  await key.addTo(dora);
  const ls = (url: string) => runGit(scratch.path, ["ls-remote", "-q", url], { env: key.env });
  const now = await ls(`${app.ssh}/theodora/tour.git`);
  expect(now.code).toBe(0);
  for (const url of [`${app.ssh}/dora/tour.git`, `${app.url}/dora/tour.git`, `${app.url}/Dora/tour`]) {
    expect((await ls(url)).stdout).toBe(now.stdout);
  }
  const clone = scratch.join("clone-dora");
  await mustGit(scratch.path, ["clone", "-q", `${app.url}/dora/tour.git`, clone]);
  await mustGit(clone, ["commit", "-q", "--allow-empty", "-m", "more"]);
  expect((await runGit(clone, ["push", "-q", `${app.ssh}/dora/tour.git`, "HEAD:main"], { env: key.env })).code).toBe(0);
  expect((await ls(`${app.ssh}/dora/none.git`)).stderr).toContain('There is no repository "dora/none"');
});

test("an archived repository is read and not pushed to", async () => {
  await app.repository(alice, "attic", { auto_init: true });
  await alice.api.patch("/repos/alice/attic", { archived: true });
  expect((await ls(aliceKey, "attic")).code).toBe(0);
  expect((await push(aliceKey, "attic")).stderr).toContain(
    'The repository "alice/attic" is archived: unarchive it in its settings to change it',
  );
  expect((await aliceKey.run(app.ssh ?? "", ["git-lfs-authenticate alice/attic.git upload"])).stderr).toContain(
    'The repository "alice/attic" is archived',
  );
  expect((await aliceKey.run(app.ssh ?? "", ["git-lfs-authenticate alice/attic.git download"])).code).toBe(0);
});

describe("git-lfs-authenticate", () => {
  const authenticate = (key: SshKeyPair, operation: string) =>
    key.run(app.ssh ?? "", [`git-lfs-authenticate alice/secret.git ${operation}`]);

  test("answers with a token that opens LFS of the repository", async () => {
    const { code, stdout } = await authenticate(aliceKey, "upload");
    expect(code).toBe(0);
    const { href, header, expires_in } = JSON.parse(stdout) as {
      href: string;
      header: Record<string, string>;
      expires_in: number;
    };
    expect(href).toBe(`${app.url}/alice/secret.git/info/lfs`);
    expect(expires_in).toBeGreaterThan(60);
    const type = "application/vnd.git-lfs+json";
    const batch = await fetch(`${href}/objects/batch`, {
      method: "POST",
      headers: { accept: type, "content-type": type, ...header },
      body: JSON.stringify({ operation: "upload", transfers: ["basic"], objects: [{ oid: "a".repeat(64), size: 3 }] }),
    });
    expect(batch.status).toBe(200);
  });

  test("is refused to those who may not", async () => {
    expect(await authenticate(bobKey, "download")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: 'stithy: There is no repository "alice/secret"\n',
    });
    using key = new SshKeyPair();
    await key.deploy(alice, "secret", true);
    expect((await authenticate(key, "download")).code).toBe(0);
    expect((await authenticate(key, "upload")).stderr).toContain("but not push to it");
  });

  test("is refused where LFS is turned off", async () => {
    await using other = await TestApp.start({ ssh: { enabled: true }, lfs: { enabled: false } });
    const carol = await other.user("carol");
    await other.repository(carol, "plain");
    using key = new SshKeyPair();
    await key.addTo(carol);
    const answer = await key.run(other.ssh ?? "", ["git-lfs-authenticate carol/plain.git upload"]);
    expect(answer).toEqual({ code: 1, stdout: "", stderr: "stithy: Git LFS is turned off on this server\n" });
  });
});

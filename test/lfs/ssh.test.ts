import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { SshKeyPair } from "../support/ssh.ts";
import { TestApp, useTestApp } from "../support/test-app.ts";
import { hasGitLfs, LfsWorkTree } from "./lfs-client.ts";
import { letWrite, lfsBytesOf } from "./raw-lfs.ts";

/** The real git-lfs with a remote over SSH: it asks there for a token, and goes on over HTTP. */

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
const keys = { alice: new SshKeyPair(), bob: new SshKeyPair(), deploy: new SshKeyPair() };
await keys.alice.addTo(alice);
await keys.bob.addTo(bob);
afterAll(() => Object.values(keys).forEach((key) => key[Symbol.dispose]()));

const content = Buffer.from("content of a large file\n".repeat(5000));

test.skipIf(!hasGitLfs)("pushes, clones and locks with a key", async () => {
  await app.repository(alice, "media", { private: true });
  await letWrite(app, bob, "alice", "media");
  const remote = `${app.ssh}/alice/media.git`;
  using tree = await LfsWorkTree.create(remote, keys.alice.env);
  tree.write("a.bin", content);
  await tree.commit("first");
  await tree.git("push", "-q", "origin", "main");
  expect(await lfsBytesOf(app, "alice", "media")).toBe(content.length);

  using clone = await LfsWorkTree.clone(remote, { env: keys.bob.env });
  expect(Buffer.compare(readFileSync(clone.join("a.bin")), content)).toBe(0);
  await clone.git("lfs", "lock", "a.bin");
  expect(await tree.git("lfs", "locks")).toMatch(/a\.bin\s+bob\s/);
  await clone.git("lfs", "unlock", "a.bin");
});

test.skipIf(!hasGitLfs)("a deploy key reads, and writes where it may", async () => {
  await app.repository(alice, "deployed", { private: true });
  const remote = `${app.ssh}/alice/deployed.git`;
  using tree = await LfsWorkTree.create(remote, keys.alice.env);
  tree.write("a.bin", content);
  await tree.commit("first");
  await tree.git("push", "-q", "origin", "main");

  await keys.deploy.deploy(alice, "deployed", true);
  using clone = await LfsWorkTree.clone(remote, { env: keys.deploy.env });
  expect(Buffer.compare(readFileSync(clone.join("a.bin")), content)).toBe(0);
  clone.write("b.bin", "by a machine");
  await clone.commit("second");
  const refused = await clone.run("lfs", "push", "origin", "main");
  expect(refused.code).not.toBe(0);
  await app.forge.database.sql`update deploy_key set read_only = false`;
  await clone.git("push", "-q", "origin", "main");
  expect(await lfsBytesOf(app, "alice", "deployed")).toBe(content.length + "by a machine".length);
});

test("a server on every address names the one at which the client reached it", async () => {
  const { networkInterfaces } = await import("node:os");
  const other = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal)?.address;
  if (other === undefined) {
    console.log("Only the loopback address is here: nothing to tell apart");
    return;
  }
  await using open = await TestApp.start({ server: { host: "0.0.0.0" }, ssh: { enabled: true, port: 0 } });
  const carol = await open.user("carol");
  using key = new SshKeyPair();
  await key.addTo(carol);
  await open.repository(carol, "media");
  const { port } = new URL(open.ssh ?? "");
  const child = Bun.spawn(
    ["sh", "-c", `$GIT_SSH_COMMAND -p ${port} git@${other} git-lfs-authenticate carol/media.git download`],
    {
      env: { ...process.env, ...key.env },
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const [answer, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect({ code: await child.exited, errors }).toMatchObject({ code: 0 });
  const { href } = JSON.parse(answer) as { href: string };
  expect(href).toBe(`http://${other}:${new URL(open.url).port}/carol/media.git/info/lfs`);
});

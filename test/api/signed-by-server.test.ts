import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { TestApp, type TestUser } from "../support/test-app.ts";

/** Commits that the server makes, signed with its key: verified by it and by git with gpg and ssh-keygen. */

interface Verification {
  verified: boolean;
  reason: string;
  signer: { name: string; email: string; username: string } | null;
}

setDefaultTimeout(60_000);
const home = mkdtempSync(join(tmpdir(), "stithy-signing-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const environment = {
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  GNUPGHOME: join(home, "gnupg"),
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
};
await mkdir(environment.GNUPGHOME, { mode: 0o700 });
// Else the agent measures how many rounds take a tenth of a second, and each of its passphrases costs that.
await writeFile(join(environment.GNUPGHOME, "gpg-agent.conf"), "s2k-count 65536\n");

const hasGpg = Bun.which("gpg") !== null;
if (!hasGpg) {
  console.warn("LEFT OUT: commits signed with OpenPGP, because gpg is not installed");
}

async function run(command: readonly string[], cwd = home): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = Bun.spawn([...command], { cwd, env: environment, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

async function must(...command: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(command);
  if (code !== 0) {
    throw new Error(`${command.join(" ")}: ${stderr}`);
  }
  return stdout;
}

const passphrase = "open sesame";

async function sshKey(name: string, type: string[], locked = false): Promise<string> {
  const path = join(home, name);
  await must("ssh-keygen", "-q", "-t", ...type, "-N", locked ? passphrase : "", "-C", "the forge", "-f", path);
  return path;
}

async function gpgKey(name: string, algorithm: string, locked = false): Promise<string> {
  const secret = locked ? passphrase : "";
  const gpg = ["gpg", "--batch", "--pinentry-mode", "loopback", "--passphrase", secret];
  await must(...gpg, "--quick-gen-key", `Forge ${name} <${name}@example.org>`, algorithm, "sign", "0");
  const path = join(home, name);
  await writeFile(path, await must(...gpg, "--armor", "--export-secret-keys", `${name}@example.org`));
  return path;
}

interface Signing {
  signing_key: string;
  signing_passphrase?: string;
  signing_name?: string;
  signing_email?: string;
}

const start = (signing: Signing): Promise<TestApp> => TestApp.start({ git: signing });

/** Has the server make commits in every way that it knows, and answers the repositories that have them. */
async function makeCommits(app: TestApp, alice: TestUser, objectFormat: "sha1" | "sha256"): Promise<string[]> {
  const send = async (method: string, path: string, body: object) => {
    const answer = await alice.api.request<unknown>(method, path, { body });
    expect([path, answer.status < 300, answer.body]).toEqual([path, true, answer.body]);
  };
  const base = "/repos/alice/signed";
  await app.repository(alice, "signed", { auto_init: true, template: true, object_format_name: objectFormat });
  const content = Buffer.from("one\n").toString("base64");
  await send("POST", `${base}/contents/a`, {
    content,
    message: "Grüße\n\nwith a body",
    author: { name: "Ann", email: "ann@example.com" },
    dates: { author: "2020-01-02T03:04:05+02:00", committer: "2020-01-02T03:04:05+02:00" },
  });
  await send("POST", `${base}/contents`, {
    files: [{ operation: "create", path: "b/c", content }],
    new_branch: "more",
  });
  const patch = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n";
  await send("POST", `${base}/diffpatch`, { content: patch, sha: "0".repeat(40), message: "patched" });
  await send("POST", `${base}/pulls`, { title: "More", head: "more", base: "main" });
  await send("POST", `${base}/pulls/1/merge`, { Do: "rebase-merge" });
  const { body } = await alice.api.get<{ commit: { id: string } }>(`${base}/branches/main`);
  await send("POST", `${base}/git/notes/${body.commit.id}`, { message: "noted" });
  await send("POST", `${base}/tags`, { tag_name: "v1", message: "Größe\n\nwith a body" });
  await send("POST", `${base}/generate`, { owner: "alice", name: "generated", git_content: true });
  await send("POST", `${base}/wiki/new`, { title: "Home", content_base64: content, message: "a page" });
  return ["signed", "generated", "signed.wiki"];
}

async function clone(app: TestApp, alice: TestUser, name: string): Promise<string> {
  const directory = mkdtempSync(join(home, "clone-"));
  const url = `${app.url.replace("http://", `http://alice:${alice.token}@`)}/alice/${name}.git`;
  await must("git", "clone", "-q", "--mirror", url, directory);
  return directory;
}

/** Has git verify each commit and tag of a clone, and answers how many there are. */
async function verifyAll(directory: string, settings: readonly string[]): Promise<number> {
  const { stdout } = await run(["git", "rev-list", "--all"], directory);
  const tags = (await run(["git", "tag", "--list"], directory)).stdout.split("\n").filter((name) => name !== "");
  const commits = stdout.trim().split("\n");
  for (const [verify, names] of [
    ["verify-commit", commits],
    ["verify-tag", tags],
  ] as const) {
    if (names.length === 0) {
      continue;
    }
    const { code, stderr } = await run(["git", ...settings, verify, ...names], directory);
    const good = stderr.match(/^(gpg: )?Good /gm)?.length ?? 0;
    expect({ verify, code, good, stderr }).toEqual({ verify, code: 0, good: names.length, stderr });
  }
  return commits.length + tags.length;
}

const signer = { name: "The Forge", email: "forge@example.org", username: "" };
const identity = { signing_name: signer.name, signing_email: signer.email };

async function expectVerified(app: TestApp, alice: TestUser, key: string): Promise<void> {
  const { body } = await app.anonymous.get<{ commit: { verification: Verification } }[]>("/repos/alice/signed/commits");
  expect(body.length).toBeGreaterThanOrEqual(3);
  for (const { commit } of body) {
    const { verified, reason, signer: by } = commit.verification;
    expect({ verified, reason, by }).toEqual({ verified: true, reason: `The Forge / ${key}`, by: signer });
  }
  const { body: tag } = await app.anonymous.get<{ id: string }>("/repos/alice/signed/tags/v1");
  const object = await app.anonymous.get<{ message: string; verification: Verification }>(
    `/repos/alice/signed/git/tags/${tag.id}`,
  );
  const { verified, reason, signer: by } = object.body.verification;
  expect({ verified, reason, by }).toEqual({ verified: true, reason: `The Forge / ${key}`, by: signer });
  expect(object.body.message).toBe("Größe\n\nwith a body\n");
  const content = Buffer.from("more\n").toString("base64");
  const made = await alice.api.post<{ verification: Verification }>("/repos/alice/signed/contents/new", { content });
  expect([made.status, made.body.verification.verified]).toEqual([201, true]);
}

describe("with an SSH key", () => {
  test.each([
    ["ed25519", "ed25519", [], "sha1", false],
    ["ed25519 with a passphrase, in SHA-256", "locked", ["ed25519"], "sha256", true],
    ["ECDSA", "ecdsa", ["ecdsa", "-b", "256"], "sha1", false],
    ["ECDSA on the largest curve", "ecdsa-521", ["ecdsa", "-b", "521"], "sha1", false],
    ["RSA in PEM", "rsa", ["rsa", "-b", "2048", "-m", "PEM"], "sha1", false],
  ] as const)("of the kind %s", async (_, name, type, format, locked) => {
    const path = await sshKey(name, type.length === 0 ? ["ed25519"] : [...type], locked);
    await using app = await start({
      signing_key: path,
      ...identity,
      ...(locked ? { signing_passphrase: passphrase } : {}),
    });
    const alice = await app.user("alice");
    const repositories = await makeCommits(app, alice, format);
    const { headers, status } = await app.anonymous.fetch("GET", "/signing-key.ssh");
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain;charset=utf-8"]);
    const line = await (await app.anonymous.fetch("GET", "/signing-key.pub")).text();
    expect(line.trim().split(" ").slice(0, 2)).toEqual((await Bun.file(`${path}.pub`).text()).split(" ").slice(0, 2));
    expect(await (await app.anonymous.fetch("GET", "/repos/alice/signed/signing-key.pub")).text()).toBe(line);
    expect((await app.anonymous.get("/signing-key.gpg")).status).toBe(404);
    expect((await app.anonymous.get("/repos/alice/signed/signing-key.gpg")).status).toBe(404);
    expect((await app.anonymous.get("/repos/alice/none/signing-key.pub")).status).toBe(404);
    const allowed = join(home, `${name}.allowed`);
    await writeFile(allowed, `forge@example.org ${line}`);
    let signed = 0;
    for (const repository of repositories) {
      const settings = ["-c", `gpg.ssh.allowedSignersFile=${allowed}`];
      signed += await verifyAll(await clone(app, alice, repository), settings);
    }
    expect(signed).toBe(10);
    const fingerprint = (await must("ssh-keygen", "-lf", `${path}.pub`)).split(" ")[1] ?? "";
    await expectVerified(app, alice, fingerprint);
  });
});

describe.if(hasGpg)("with an OpenPGP key", () => {
  test.each([
    ["ed25519", "gpg-ed25519", "ed25519", "sha1", false],
    ["RSA with a passphrase, in SHA-256", "gpg-rsa", "rsa2048", "sha256", true],
  ] as const)("of the kind %s", async (_, name, algorithm, format, locked) => {
    const path = await gpgKey(name, algorithm, locked);
    await using app = await start({
      signing_key: path,
      ...identity,
      ...(locked ? { signing_passphrase: passphrase } : {}),
    });
    const alice = await app.user("alice");
    const repositories = await makeCommits(app, alice, format);
    const armored = await (await app.anonymous.fetch("GET", "/signing-key.gpg")).text();
    expect(await (await app.anonymous.fetch("GET", "/repos/alice/signed/signing-key.gpg")).text()).toBe(armored);
    expect((await app.anonymous.get("/signing-key.ssh")).status).toBe(404);
    // Somebody else's gpg, who knows the public key alone.
    const other = join(home, `${name}-other`);
    await mkdir(other, { mode: 0o700 });
    await writeFile(join(home, `${name}.asc`), armored);
    await must("gpg", "--homedir", other, "--batch", "--import", join(home, `${name}.asc`));
    const program = join(home, `${name}-gpg`);
    await writeFile(program, `#!/bin/sh\nexec gpg --homedir ${other} "$@"\n`);
    await chmod(program, 0o755);
    let signed = 0;
    for (const repository of repositories) {
      signed += await verifyAll(await clone(app, alice, repository), ["-c", `gpg.program=${program}`]);
    }
    expect(signed).toBe(10);
    const listed = await must("gpg", "--with-colons", "--list-keys", `${name}@example.org`);
    await expectVerified(app, alice, /^pub:(?:[^:]*:){3}([0-9A-F]{16})/m.exec(listed)?.[1] ?? "");
  });

  test("who signs is what the key says, where no setting does", async () => {
    await using app = await start({ signing_key: await gpgKey("own", "ed25519") });
    const alice = await app.user("alice");
    await app.repository(alice, "signed", { auto_init: true });
    const { body } =
      await app.anonymous.get<{ commit: { verification: Verification } }[]>("/repos/alice/signed/commits");
    expect(body[0]?.commit.verification.signer).toEqual({
      name: "Forge own",
      email: "own@example.org",
      username: "",
    });
  });
});

describe("a server with a key", () => {
  test("does not verify what it has not signed, and passes rules that demand signatures", async () => {
    await using app = await start({ signing_key: await sshKey("rules", ["ed25519"]) });
    const alice = await app.user("alice");
    await app.repository(alice, "ruled", { auto_init: true });
    using work = await GitWorkTree.create();
    const url = `${app.url.replace("http://", `http://alice:${alice.token}@`)}/alice/ruled.git`;
    await work.git("fetch", "-q", url, "main");
    await work.git("reset", "-q", "--hard", "FETCH_HEAD");
    const signed = (await work.run(["cat-file", "commit", "HEAD"])).toString();
    await work.write("forged", signed.replace("Initial commit", "Another message"));
    const forged = await work.git("hash-object", "-t", "commit", "-w", "forged");
    expect(forged).not.toBe(await work.git("rev-parse", "HEAD"));
    await work.git("push", "-q", url, `${forged}:refs/heads/forged`);
    const { body } = await app.anonymous.get<{ commit: { verification: Verification } }>(
      `/repos/alice/ruled/git/commits/${forged}`,
    );
    expect(body.commit.verification).toMatchObject({
      verified: false,
      reason: "gpg.error.probable_bad_signature",
      signer: null,
    });
    const rule = { rule_name: "main", enable_push: true, require_signed_commits: true };
    expect((await alice.api.post("/repos/alice/ruled/branch_protections", rule)).status).toBe(201);
    const content = Buffer.from("x\n").toString("base64");
    expect((await alice.api.post("/repos/alice/ruled/contents/x", { content })).status).toBe(201);
    await work.git("fetch", "-q", url, "main");
    await work.git("reset", "-q", "--hard", "FETCH_HEAD");
    await work.write("unsigned", "x\n");
    await work.commit("unsigned");
    await expect(work.git("push", "-q", url, "HEAD:main")).rejects.toThrow("main");
  });

  test("that is bad does not start, and says why", async () => {
    const locked = await sshKey("bad-locked", ["ed25519"], true);
    const small = await sshKey("bad-small", ["rsa", "-b", "1024"]);
    await writeFile(join(home, "bad-text"), "no key\n");
    await writeFile(
      join(home, "bad-cut"),
      "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
    );
    await writeFile(
      join(home, "bad-pgp"),
      "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nAAAA\n-----END PGP PRIVATE KEY BLOCK-----\n",
    );
    for (const [signing, message] of [
      [{ signing_key: join(home, "none") }, "it cannot be read (ENOENT"],
      [{ signing_key: home }, "it cannot be read (EISDIR"],
      [{ signing_key: join(home, "bad-text") }, "it is neither an SSH nor an armored OpenPGP private key"],
      [{ signing_key: join(home, "bad-cut") }, "it cannot be read"],
      [{ signing_key: join(home, "bad-pgp") }, "it cannot be read as an armored OpenPGP key"],
      [{ signing_key: `${locked}.pub` }, "it is a public key; the private one is needed"],
      [{ signing_key: locked }, "git.signing_passphrase does not open it"],
      [{ signing_key: locked, signing_passphrase: "wrong" }, "git.signing_passphrase does not open it"],
      [{ signing_key: small }, "it has 1024 bits; RSA needs 2048 at least"],
    ] as const) {
      const failure = await start(signing).then(
        async (app) => {
          await app[Symbol.asyncDispose]();
          return "it started";
        },
        (error: unknown) => (error as Error).message,
      );
      expect([signing, failure]).toEqual([signing, expect.stringContaining(message)]);
      expect(failure).toStartWith(`The key of git.signing_key, ${signing.signing_key}, cannot sign commits: `);
    }
  });
});

test("a server without a key signs nothing and has none to show", async () => {
  await using app = await TestApp.start();
  const alice = await app.user("alice");
  await app.repository(alice, "plain", { auto_init: true });
  const { body } = await app.anonymous.get<{ commit: { verification: Verification } }[]>("/repos/alice/plain/commits");
  expect(body[0]?.commit.verification).toMatchObject({ verified: false, reason: "gpg.error.not_signed_commit" });
  for (const path of [
    "/signing-key.gpg",
    "/signing-key.ssh",
    "/signing-key.pub",
    "/repos/alice/plain/signing-key.gpg",
  ]) {
    expect((await app.anonymous.get(path)).status).toBe(404);
  }
});

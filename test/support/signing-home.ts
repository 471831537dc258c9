import { expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestApp, type TestUser } from "./test-app.ts";

export interface Verification {
  verified: boolean;
  reason: string;
  signer: { name: string; email: string; username: string } | null;
}

/** The settings of a key that signs. */
interface Signing {
  signing_key: string;
  signing_passphrase?: string;
  signing_name?: string;
  signing_email?: string;
}

export const startSigning = (signing: Signing): Promise<TestApp> => TestApp.start({ git: signing });

const passphrase = "open sesame";

/** A kind of key, which has a passphrase where it is `locked`. */
interface Kind {
  /** Of its file. */
  name: string;
  /** Of the repositories whose commits it signs. */
  format: "sha1" | "sha256";
  locked: boolean;
}

export interface SshKind extends Kind {
  what: string;
  /** As `ssh-keygen -t` takes it, with what follows. */
  type: readonly string[];
}

interface GpgKind extends Kind {
  /** As `gpg --quick-gen-key` takes it. */
  algorithm: string;
}

export const hasGpg = Bun.which("gpg") !== null;

/** A home with gpg and ssh-keygen, which makes the keys of servers and verifies what these have signed. */
export class SigningHome implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "stithy-signing-"));
  readonly #environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: this.path,
    GNUPGHOME: join(this.path, "gnupg"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
  };

  static async make(): Promise<SigningHome> {
    const home = new SigningHome();
    await mkdir(home.#environment.GNUPGHOME, { mode: 0o700 });
    // Else the agent measures how many rounds take a tenth of a second, and each of its passphrases costs that.
    await writeFile(join(home.#environment.GNUPGHOME, "gpg-agent.conf"), "s2k-count 65536\n");
    return home;
  }

  private async run(
    command: readonly string[],
    cwd = this.path,
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const child = Bun.spawn([...command], {
      cwd,
      env: this.#environment,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return { code, stdout, stderr };
  }

  private async must(...command: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(command);
    if (code !== 0) {
      throw new Error(`${command.join(" ")}: ${stderr}`);
    }
    return stdout;
  }

  async sshKey(name: string, type: readonly string[], locked = false): Promise<string> {
    const path = join(this.path, name);
    await this.must("ssh-keygen", "-q", "-t", ...type, "-N", locked ? passphrase : "", "-C", "the forge", "-f", path);
    return path;
  }

  async gpgKey(name: string, algorithm: string, locked = false): Promise<string> {
    const secret = locked ? passphrase : "";
    const gpg = ["gpg", "--batch", "--pinentry-mode", "loopback", "--passphrase", secret];
    await this.must(...gpg, "--quick-gen-key", `Forge ${name} <${name}@example.org>`, algorithm, "sign", "0");
    const path = join(this.path, name);
    await writeFile(path, await this.must(...gpg, "--armor", "--export-secret-keys", `${name}@example.org`));
    return path;
  }

  private async clone(app: TestApp, alice: TestUser, name: string): Promise<string> {
    const directory = mkdtempSync(join(this.path, "clone-"));
    const url = `${app.url.replace("http://", `http://alice:${alice.token}@`)}/alice/${name}.git`;
    await this.must("git", "clone", "-q", "--mirror", url, directory);
    return directory;
  }

  /** Has git verify each commit and tag of a clone, and answers how many there are. */
  private async verifyAll(directory: string, settings: readonly string[]): Promise<number> {
    const { stdout } = await this.run(["git", "rev-list", "--all"], directory);
    const tags = (await this.run(["git", "tag", "--list"], directory)).stdout.split("\n").filter((name) => name !== "");
    const commits = stdout.trim().split("\n");
    for (const [verify, names] of [
      ["verify-commit", commits],
      ["verify-tag", tags],
    ] as const) {
      if (names.length === 0) {
        continue;
      }
      const { code, stderr } = await this.run(["git", ...settings, verify, ...names], directory);
      const good = stderr.match(/^(gpg: )?Good /gm)?.length ?? 0;
      expect({ verify, code, good, stderr }).toEqual({ verify, code: 0, good: names.length, stderr });
    }
    return commits.length + tags.length;
  }

  /** Has a server sign with such an SSH key in every way that it knows, and git verify it. */
  async expectSshSigns({ name, type, format, locked }: SshKind): Promise<void> {
    const path = await this.sshKey(name, type, locked);
    await using app = await startSigning({
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
    const allowed = join(this.path, `${name}.allowed`);
    await writeFile(allowed, `forge@example.org ${line}`);
    let signed = 0;
    for (const repository of repositories) {
      const settings = ["-c", `gpg.ssh.allowedSignersFile=${allowed}`];
      signed += await this.verifyAll(await this.clone(app, alice, repository), settings);
    }
    expect(signed).toBe(10);
    const fingerprint = (await this.must("ssh-keygen", "-lf", `${path}.pub`)).split(" ")[1] ?? "";
    await expectVerified(app, alice, fingerprint);
  }

  /** The same with an OpenPGP key. */
  async expectGpgSigns({ name, algorithm, format, locked }: GpgKind): Promise<void> {
    const path = await this.gpgKey(name, algorithm, locked);
    await using app = await startSigning({
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
    const other = join(this.path, `${name}-other`);
    await mkdir(other, { mode: 0o700 });
    await writeFile(join(this.path, `${name}.asc`), armored);
    await this.must("gpg", "--homedir", other, "--batch", "--import", join(this.path, `${name}.asc`));
    const program = join(this.path, `${name}-gpg`);
    await writeFile(program, `#!/bin/sh\nexec gpg --homedir ${other} "$@"\n`);
    await chmod(program, 0o755);
    let signed = 0;
    for (const repository of repositories) {
      signed += await this.verifyAll(await this.clone(app, alice, repository), ["-c", `gpg.program=${program}`]);
    }
    expect(signed).toBe(10);
    const listed = await this.must("gpg", "--with-colons", "--list-keys", `${name}@example.org`);
    await expectVerified(app, alice, /^pub:(?:[^:]*:){3}([0-9A-F]{16})/m.exec(listed)?.[1] ?? "");
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

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

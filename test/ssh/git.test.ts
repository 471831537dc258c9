import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mustGit, Scratch } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp } from "../support/test-app.ts";
import { repeated } from "../support/thorough.ts";

/** The real git over SSH, with the real OpenSSH client. */

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const alice = await app.user("alice");
const key = new SshKeyPair();
const scratch = new Scratch();
const work = scratch.join("work");
const { env } = key;
const address = (name: string) => `${app.ssh}/alice/${name}.git`;

beforeAll(async () => {
  await key.addTo(alice);
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  for (let number = 1; number <= 5; number++) {
    writeFileSync(`${work}/file.txt`, `line\n`.repeat(100 * number));
    await mustGit(work, ["add", "-A"]);
    await mustGit(work, ["commit", "-q", "-m", `change ${number}`]);
  }
  await mustGit(work, ["tag", "-a", "-m", "first", "v1", "HEAD~2"]);
});

afterAll(() => {
  key[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

const refsOf = (directory: string) => mustGit(directory, ["for-each-ref", "--format=%(objectname) %(refname)"]);

describe.each(repeated(["2", "0", "1"], 1))("protocol version %s", (version) => {
  const git = (cwd: string, ...args: string[]) => mustGit(cwd, ["-c", `protocol.version=${version}`, ...args], { env });

  test("an empty clone, a push, a clone, a fetch, a deletion", async () => {
    const name = `site-${version}`;
    const json = await app.repository(alice, name);
    expect((json as object as { ssh_url: string }).ssh_url).toBe(address(name));
    await git(scratch.path, "clone", "-q", address(name), scratch.join(`empty-${version}`));
    await git(work, "push", "-q", address(name), "main~2:refs/heads/main", "main~2:refs/heads/other");
    const clone = scratch.join(`clone-${version}`);
    await git(scratch.path, "clone", "-q", "--mirror", address(name), clone);
    await git(work, "push", "-q", address(name), "main", "v1", ":refs/heads/other");
    await git(clone, "fetch", "-q", "--prune");
    await mustGit(clone, ["fsck", "--strict"]);
    expect(await refsOf(clone)).toBe(await refsOf(work));
    const shallow = scratch.join(`shallow-${version}`);
    await git(scratch.path, "clone", "-q", "--depth", "1", address(name), shallow);
    expect(await mustGit(shallow, ["rev-list", "--count", "HEAD"])).toBe("1");
    await git(shallow, "fetch", "-q", "--unshallow");
    expect(await mustGit(shallow, ["rev-list", "--count", "HEAD"])).toBe("5");
    const partial = scratch.join(`partial-${version}`);
    await git(scratch.path, "clone", "-q", "--no-checkout", "--filter=blob:none", address(name), partial);
    expect(await mustGit(partial, ["rev-list", "--objects", "--missing=print", "HEAD"])).toContain("\n?");
    // Checking out fetches what is missing.
    await git(partial, "checkout", "-q");
    expect(await mustGit(partial, ["hash-object", "file.txt"])).toBe(
      await mustGit(work, ["rev-parse", "HEAD:file.txt"]),
    );
  });
});

test("twenty megabytes that cannot be compressed go up and come down", async () => {
  await app.repository(alice, "large");
  await app.repository(alice, "large-too");
  const large = scratch.join("large");
  await mustGit(scratch.path, ["init", "-q", "-b", "main", large]);
  writeFileSync(`${large}/noise`, randomBytes(20 * 1024 * 1024));
  await mustGit(large, ["add", "-A"]);
  await mustGit(large, ["commit", "-q", "-m", "noise"]);
  await mustGit(large, ["push", "-q", address("large"), "main"], { env });
  const clone = scratch.join("large-clone");
  await mustGit(scratch.path, ["clone", "-q", address("large"), clone], { env });
  expect(await mustGit(clone, ["rev-parse", "HEAD:noise"])).toBe(await mustGit(large, ["rev-parse", "HEAD:noise"]));
  await mustGit(clone, ["fsck", "--full"]);
  // Both sides agree on new keys after each megabyte, in the middle of what they send.
  const rekeying = { GIT_SSH_COMMAND: `${env.GIT_SSH_COMMAND} -o RekeyLimit=1M` };
  await mustGit(scratch.path, ["clone", "-q", "--bare", address("large"), scratch.join("rekeyed")], { env: rekeying });
  await mustGit(scratch.join("rekeyed"), ["push", "-q", address("large-too"), "main"], { env: rekeying });
  expect(await mustGit(scratch.path, ["ls-remote", address("large-too"), "main"], { env })).toBe(
    await mustGit(scratch.path, ["ls-remote", address("large"), "main"], { env }),
  );
});

test.each([
  ["ecdsa", 256, "ecdsa-sha2-nistp256"],
  ["ecdsa", 384, "ecdsa-sha2-nistp384"],
  ["ecdsa", 521, "ecdsa-sha2-nistp521"],
  ["rsa", 2048, "rsa-sha2-512"],
] as const)(
  "keys of every kind sign in: %s of %d bits with %s, which the server says it accepts",
  async (type, bits, algorithm) => {
    using other = new SshKeyPair(type, bits);
    await other.addTo(alice);
    const { code, stderr } = await other.run(app.ssh ?? "", [], ["-vvv"]);
    expect({ code, greeted: stderr.includes("Hello alice!") }).toEqual({ code: 1, greeted: true });
    const [, accepted = ""] = /server-sig-algs=<(.*)>/.exec(stderr) ?? [];
    expect(accepted.split(",")).toContain(algorithm);
    const [, signed = ""] = /sign_and_send_pubkey: signing using (\S+)/.exec(stderr) ?? [];
    expect(signed).toBe(algorithm);
  },
);

test("a push that is refused says why, and nothing of it stays", async () => {
  await app.repository(alice, "refusing");
  const refused = mustGit(work, ["push", "-q", address("refusing"), "main:refs/pull/1/head"], { env });
  await expect(refused).rejects.toThrow("deny updating a hidden ref");
  const noText = Bun.spawn(["sh", "-c", `git push "$0" "main:$(printf 'refs/heads/\\351')"`, address("refusing")], {
    cwd: work,
    env: { PATH: process.env["PATH"], ...env },
    stdout: "ignore",
    stderr: "pipe",
  });
  expect(await noText.stderr.text()).toContain("remote unpack failed: A protocol line is not UTF-8");
  expect(await mustGit(scratch.path, ["ls-remote", address("refusing")], { env })).toBe("");
});

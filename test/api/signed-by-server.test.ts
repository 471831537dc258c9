import { afterAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { hasGpg, SigningHome, startSigning, type SshKind, type Verification } from "../support/signing-home.ts";
import { TestApp } from "../support/test-app.ts";
import { repeated } from "../support/thorough.ts";

/** Commits that the server makes, signed with its key: verified by it and by git with gpg and ssh-keygen. */

const home = await SigningHome.make();
afterAll(() => home[Symbol.dispose]());

if (!hasGpg) {
  console.warn("LEFT OUT: commits signed with OpenPGP, because gpg is not installed");
}

describe("with an SSH key", () => {
  const kinds: SshKind[] = [
    { what: "ed25519", name: "ed25519", type: ["ed25519"], format: "sha1", locked: false },
    {
      what: "ed25519 with a passphrase, in SHA-256",
      name: "locked",
      type: ["ed25519"],
      format: "sha256",
      locked: true,
    },
  ];

  test.each(repeated(kinds, 1))("of the kind $what", async (kind) => {
    await home.expectSshSigns(kind);
  });
});

describe.if(hasGpg)("with an OpenPGP key", () => {
  test("of the kind ed25519", async () => {
    await home.expectGpgSigns({ name: "gpg-ed25519", algorithm: "ed25519", format: "sha1", locked: false });
  });

  test("who signs is what the key says, where no setting does", async () => {
    await using app = await startSigning({ signing_key: await home.gpgKey("own", "ed25519") });
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
    await using app = await startSigning({ signing_key: await home.sshKey("rules", ["ed25519"]) });
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
    const locked = await home.sshKey("bad-locked", ["ed25519"], true);
    const small = await home.sshKey("bad-small", ["rsa", "-b", "1024"]);
    await writeFile(join(home.path, "bad-text"), "no key\n");
    await writeFile(
      join(home.path, "bad-cut"),
      "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
    );
    await writeFile(
      join(home.path, "bad-pgp"),
      "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nAAAA\n-----END PGP PRIVATE KEY BLOCK-----\n",
    );
    for (const [signing, message] of [
      [{ signing_key: join(home.path, "none") }, "it cannot be read (ENOENT"],
      [{ signing_key: home.path }, "it cannot be read (EISDIR"],
      [{ signing_key: join(home.path, "bad-text") }, "it is neither an SSH nor an armored OpenPGP private key"],
      [{ signing_key: join(home.path, "bad-cut") }, "it cannot be read"],
      [{ signing_key: join(home.path, "bad-pgp") }, "it cannot be read as an armored OpenPGP key"],
      [{ signing_key: `${locked}.pub` }, "it is a public key; the private one is needed"],
      [{ signing_key: locked }, "git.signing_passphrase does not open it"],
      [{ signing_key: locked, signing_passphrase: "wrong" }, "git.signing_passphrase does not open it"],
      [{ signing_key: small }, "it has 1024 bits; RSA needs 2048 at least"],
    ] as const) {
      const failure = await startSigning(signing).then(
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

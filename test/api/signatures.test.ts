import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";

interface Verification {
  verified: boolean;
  reason: string;
  signature: string;
  payload: string;
  signer: { name: string; email: string; username: string } | null;
}

const app = await useTestApp();
// Who commits in the work tree is carl@example.com.
const carl = await app.user("carl");
const dora = await app.user("dora");
const { sql } = app.forge.database;
const work = await GitWorkTree.create();
const keys = mkdtempSync(join(tmpdir(), "stithy-keys-"));
afterAll(() => {
  work[Symbol.dispose]();
  rmSync(keys, { recursive: true, force: true });
});

const hasGpg = Bun.which("gpg") !== null;
if (!hasGpg) {
  console.warn("LEFT OUT: OpenPGP signatures, because gpg is not installed");
}

async function run(command: readonly string[], input?: string): Promise<string> {
  const child = Bun.spawn([...command], {
    env: { PATH: process.env["PATH"] ?? "", GNUPGHOME: keys, HOME: keys },
    stdin: input === undefined ? "ignore" : new TextEncoder().encode(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) {
    throw new Error(`${command.join(" ")}: ${complaint}`);
  }
  return output;
}

async function sshKey(name: string): Promise<string> {
  await run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", join(keys, name)]);
  return (await Bun.file(join(keys, `${name}.pub`)).text()).trim();
}

async function verificationOf(oid: string): Promise<Verification> {
  return (await app.anonymous.get<{ commit: { verification: Verification } }>(`/repos/carl/signed/git/commits/${oid}`))
    .body.commit.verification;
}

const push = (...refs: string[]) => work.push(`${app.url}/carl/signed.git`, carl.token, ...refs);
const sshSigning = (name: string) => ["-c", "gpg.format=ssh", "-c", `user.signingkey=${join(keys, `${name}.pub`)}`];
const addKey = (key: string) =>
  carl.api.post<{ id: number; fingerprint: string }>("/user/keys", { title: "signs", key });
let carlsKey = "";
let signed = "";

beforeAll(async () => {
  await app.repository(carl, "signed");
  carlsKey = await sshKey("carl");
  await work.write("a", "1\n");
  await work.git("add", ".");
  await work.git(...sshSigning("carl"), "commit", "-q", "-S", "-m", "Signed with an SSH key");
  signed = await work.git("rev-parse", "HEAD");
  await work.git(...sshSigning("carl"), "tag", "-s", "-m", "Signed, too", "v1");
  await push("main", "v1");
});

describe("a commit signed with an SSH key", () => {
  test("is verified as long as the committer has the key, and no longer", async () => {
    expect(await verificationOf(signed)).toMatchObject({
      verified: false,
      reason: "gpg.error.no_gpg_keys_found",
      signer: null,
    });
    const { body: key } = await addKey(carlsKey);
    const { signature, payload, ...rest } = await verificationOf(signed);
    expect(rest).toEqual({
      verified: true,
      reason: `carl / ${key.fingerprint}`,
      signer: { name: "carl", email: "carl@example.com", username: "carl" },
    });
    expect(signature).toStartWith("-----BEGIN SSH SIGNATURE-----");
    expect(payload).toStartWith("tree ");
    for (const path of ["/repos/carl/signed/commits", "/repos/carl/signed/branches"]) {
      const { body } = await app.anonymous.get<{ commit: { verification: Verification } }[]>(path);
      expect(body[0]?.commit.verification.verified).toBe(true);
    }
    const { body: tag } = await app.anonymous.get<{ verification: Verification; message: string }>(
      `/repos/carl/signed/git/tags/${await work.git("rev-parse", "v1")}`,
    );
    expect(tag).toMatchObject({
      message: "Signed, too\n",
      verification: { verified: true, signer: { username: "carl" } },
    });
    await carl.api.delete(`/user/keys/${key.id}`);
    expect(await verificationOf(signed)).toMatchObject({ verified: false, reason: "gpg.error.no_gpg_keys_found" });
  });

  test("is not verified by the key of another user, or when the address is not verified", async () => {
    const { body: key } = await dora.api.post<{ id: number }>("/user/keys", { title: "carl's", key: carlsKey });
    expect(await verificationOf(signed)).toMatchObject({
      verified: false,
      reason: "gpg.error.no_committer_account",
      signer: null,
    });
    await dora.api.delete(`/user/keys/${key.id}`);
    const { body: own } = await addKey(carlsKey);
    await sql`update email_address set verified = false where user_id = ${carl.id}`;
    expect(await verificationOf(signed)).toMatchObject({ verified: false, reason: "gpg.error.no_committer_account" });
    await sql`update email_address set verified = true where user_id = ${carl.id}`;
    expect(await verificationOf(signed)).toMatchObject({ verified: true });
    await carl.api.delete(`/user/keys/${own.id}`);
  });

  test("is told apart from one whose text was changed, and from one that nobody signed", async () => {
    const { body: own } = await addKey(carlsKey);
    const forged = (await work.git("cat-file", "commit", signed)).replace("Signed with", "Forged with");
    await work.write("forged", `${forged}\n`);
    const oid = await work.git("hash-object", "-t", "commit", "-w", "forged");
    const plain = await work.git("commit-tree", "-m", "plain", `${signed}^{tree}`);
    await push(`${oid}:refs/heads/forged`, `${plain}:refs/heads/plain`);
    expect(await verificationOf(oid)).toMatchObject({
      verified: false,
      reason: "gpg.error.probable_bad_signature",
      signer: null,
    });
    expect(await verificationOf(plain)).toEqual({
      verified: false,
      reason: "gpg.error.not_signed_commit",
      signature: "",
      payload: "",
      signer: null,
    });
    await carl.api.delete(`/user/keys/${own.id}`);
  });
});

describe.skipIf(!hasGpg)("OpenPGP keys", () => {
  const armored = (user: string) => run(["gpg", "--armor", "--export", user]);
  const sign = (user: string, text: string) =>
    run(["gpg", "--batch", "--armor", "--detach-sign", "--local-user", user], text);
  let carls = "";
  let stranger = "";

  beforeAll(async () => {
    for (const user of ["Carl <carl@example.com>", "Carl <elsewhere@example.org>"]) {
      await run([
        "gpg",
        "--batch",
        "--pinentry-mode",
        "loopback",
        "--passphrase",
        "",
        "--quick-gen-key",
        user,
        "future-default",
        "default",
        "never",
      ]);
    }
    carls = await armored("carl@example.com");
    stranger = await armored("elsewhere@example.org");
  });
  afterAll(() => run(["gpgconf", "--kill", "all"]));

  test("need somebody who is signed in, and are refused when they are none", async () => {
    expect((await app.anonymous.post("/user/gpg_keys", { armored_public_key: carls })).status).toBe(401);
    expect(
      (await (await app.scoped(carl, "read:user")).post("/user/gpg_keys", { armored_public_key: carls })).status,
    ).toBe(403);
    const secret = await run([
      "gpg",
      "--batch",
      "--pinentry-mode",
      "loopback",
      "--passphrase",
      "",
      "--armor",
      "--export-secret-keys",
      "carl@example.com",
    ]);
    for (const [key, word] of [
      ["", "read"],
      ["nothing", "read"],
      [secret, "secret"],
      [carls.slice(0, 200), "read"],
      ["x".repeat(70_000), "characters"],
    ] as const) {
      const { status, body } = await carl.api.post<{ message: string }>("/user/gpg_keys", { armored_public_key: key });
      expect({ status, says: body.message.includes(word) }).toEqual({ status: 422, says: true });
    }
    expect((await carl.api.get("/user/gpg_keys")).body).toEqual([]);
  });

  test("with a verified address of the user are taken, belong to one user, and verify what they signed", async () => {
    expect((await dora.api.post("/user/gpg_keys", { armored_public_key: carls })).status).toBe(422);
    const made = await carl.api.post<{ id: number; key_id: string }>("/user/gpg_keys", { armored_public_key: carls });
    expect(made.status).toBe(201);
    expect(redact(made.body)).toMatchObject({
      id: "<id>",
      primary_key_id: "",
      emails: [{ email: "carl@example.com", verified: true }],
      can_sign: true,
      can_certify: true,
      verified: false,
      subkeys: [{ can_encrypt_comms: true, can_sign: false, emails: [], subkeys: null }],
    });
    expect((await carl.api.post("/user/gpg_keys", { armored_public_key: carls })).status).toBe(422);
    expect((await dora.api.get<{ key_id: string }[]>("/users/carl/gpg_keys")).body.map((one) => one.key_id)).toEqual([
      made.body.key_id,
    ]);
    expect((await dora.api.get(`/user/gpg_keys/${made.body.id}`)).status).toBe(404);
    expect((await dora.api.delete(`/user/gpg_keys/${made.body.id}`)).status).toBe(404);

    await work.write("gpg", `#!/bin/sh\nGNUPGHOME=${keys} exec gpg --batch "$@"\n`);
    await run(["chmod", "+x", join(work.directory, "gpg")]);
    await work.git(
      "-c",
      `gpg.program=${join(work.directory, "gpg")}`,
      "-c",
      "user.signingkey=carl@example.com",
      "commit",
      "-q",
      "-S",
      "--allow-empty",
      "-m",
      "Signed with OpenPGP",
    );
    const oid = await work.git("rev-parse", "HEAD");
    await push("main");
    expect(await verificationOf(oid)).toMatchObject({
      verified: true,
      reason: `carl / ${made.body.key_id}`,
      signer: { username: "carl" },
    });
    expect((await carl.api.delete(`/user/gpg_keys/${made.body.id}`)).status).toBe(204);
    expect(await verificationOf(oid)).toMatchObject({ verified: false, reason: "gpg.error.no_gpg_keys_found" });
  });

  test("with another address need a signature over one's own token", async () => {
    const refused = await carl.api.post<{ message: string }>("/user/gpg_keys", { armored_public_key: stranger });
    expect({ status: refused.status, names: refused.body.message.includes("armored_signature") }).toEqual({
      status: 422,
      names: true,
    });
    const token = (await carl.api.get<string>("/user/gpg_key_token")).body;
    const dorasToken = (await dora.api.get<string>("/user/gpg_key_token")).body;
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(dorasToken).not.toBe(token);
    for (const signature of [
      await sign("elsewhere@example.org", dorasToken),
      await sign("carl@example.com", token),
      "nothing",
    ]) {
      expect(
        (await carl.api.post("/user/gpg_keys", { armored_public_key: stranger, armored_signature: signature })).status,
      ).toBe(422);
    }
    const made = await carl.api.post<{ id: number; verified: boolean }>("/user/gpg_keys", {
      armored_public_key: stranger,
      armored_signature: await sign("elsewhere@example.org", `${token}\n`),
    });
    expect({ status: made.status, verified: made.body.verified }).toEqual({ status: 201, verified: true });
    await carl.api.delete(`/user/gpg_keys/${made.body.id}`);
  });

  test("are proved later, too", async () => {
    const { body: key } = await carl.api.post<{ id: number; key_id: string }>("/user/gpg_keys", {
      armored_public_key: carls,
    });
    const token = (await carl.api.get<string>("/user/gpg_key_token")).body;
    const proof = { key_id: key.key_id, armored_signature: await sign("carl@example.com", token) };
    expect((await dora.api.post("/user/gpg_key_verify", proof)).status).toBe(404);
    expect(
      (
        await carl.api.post("/user/gpg_key_verify", {
          ...proof,
          armored_signature: await sign("elsewhere@example.org", token),
        })
      ).status,
    ).toBe(422);
    const proved = await carl.api.post<{ verified: boolean }>("/user/gpg_key_verify", proof);
    expect({ status: proved.status, verified: proved.body.verified }).toEqual({ status: 201, verified: true });
    expect((await carl.api.get<{ verified: boolean }>(`/user/gpg_keys/${key.id}`)).body.verified).toBe(true);
  });
});

import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parseKey } from "ssh2/lib/protocol/keyParser.js";
import { keyFingerprint } from "../../../auth/identify/identify-key.ts";
import type { Config } from "../../../config/config.ts";
import { signText, type CommitSigner } from "../../../git/objects/commit-signer.ts";
import { StithyError, messageOf } from "../../../lib/errors.ts";
import { verifyGpgSignature } from "./gpg-signature.ts";
import { parseSshSignature, verifySshSignature } from "./ssh-signature.ts";

/** The key by which this server signs commits, and as whom. */
export interface InstanceKey {
  readonly kind: "gpg" | "ssh";
  /** By which signatures name it: key ids of it and its subkeys, or the fingerprint. */
  readonly ids: readonly string[];
  /** The armored public key, or a line of a public key file. */
  readonly publicKey: string;
  readonly name: string;
  readonly email: string;
  readonly signer: CommitSigner;
}

/** `git.signing_key` cannot be used. */
class BadSigningKey extends StithyError {
  constructor(path: string, reason: string) {
    super("invalid", "signing-key", `The key of git.signing_key, ${path}, cannot sign commits: ${reason}`, { path });
  }
}

const algorithms = ["ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa"];
const fewestRsaBits = 2048;
const largestFile = 128 * 1024;

interface ReadKey {
  kind: InstanceKey["kind"];
  ids: readonly string[];
  publicKey: string;
  signer: CommitSigner;
  /** The identity that the key itself names. */
  identity: { name: string; email: string } | null;
}

/**
 * Reads the key that the settings name, in OpenSSH's format, PEM or OpenPGP's, and has it sign something. null without a
 * setting. `hostname` is the domain of the signer's address where nothing says it. Throws BadSigningKey.
 */
export async function readInstanceKey({ git }: Pick<Config, "git">, hostname: string): Promise<InstanceKey | null> {
  const { signing_key: path, signing_passphrase: passphrase, signing_name: name, signing_email: email } = git;
  if (path === "") {
    return null;
  }
  const refuse = (reason: string) => new BadSigningKey(path, reason);
  const content = await readFile(path).catch((error: unknown) => {
    throw refuse(`it cannot be read (${messageOf(error)})`);
  });
  if (content.length > largestFile) {
    throw refuse(`the file has ${content.length} bytes, and no key has more than ${largestFile}`);
  }
  const text = content.toString("latin1").trim();
  const isGpg = text.startsWith("-----BEGIN PGP");
  const { identity, ...key } = isGpg ? await readGpg(text, passphrase, refuse) : readSsh(text, passphrase, refuse);
  await tryKey(key, refuse);
  return {
    ...key,
    name: name || identity?.name || "Stithy",
    email: email || identity?.email || `noreply@${hostname}`,
  };
}

type Refuse = (reason: string) => BadSigningKey;

function readSsh(text: string, passphrase: string, refuse: Refuse): ReadKey {
  if (!/^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    throw refuse(
      /^(ssh|ecdsa)-/.test(text)
        ? "it is a public key; the private one is needed"
        : "it is neither an SSH nor an armored OpenPGP private key",
    );
  }
  const parsed = parseKey(text, passphrase === "" ? undefined : passphrase);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  if (key === undefined || key instanceof Error) {
    const reason = key === undefined ? "there is none in it" : key.message;
    throw refuse(
      /passphrase|decrypt|integrity|bad decrypt/i.test(reason)
        ? `git.signing_passphrase does not open it (${reason})`
        : `it cannot be read (${reason})`,
    );
  }
  const { type: algorithm } = key;
  if (!algorithms.includes(algorithm)) {
    throw refuse(`git does not verify keys of the kind ${algorithm}; take an Ed25519 key`);
  }
  const pem = key.getPrivatePEM();
  const bits = algorithm === "ssh-rsa" ? (createPrivateKey(pem).asymmetricKeyDetails?.modulusLength ?? 0) : null;
  if (bits !== null && bits < fewestRsaBits) {
    throw refuse(`it has ${bits} bits; RSA needs ${fewestRsaBits} at least`);
  }
  const publicKey = key.getPublicSSH();
  return {
    kind: "ssh",
    ids: [keyFingerprint(publicKey)],
    publicKey: `${algorithm} ${publicKey.toString("base64")}${key.comment ? ` ${key.comment}` : ""}`,
    signer: { kind: "ssh", algorithm, pem, publicKey: new Uint8Array(publicKey) },
    identity: null,
  };
}

async function readGpg(text: string, passphrase: string, refuse: Refuse): Promise<ReadKey> {
  if (text.startsWith("-----BEGIN PGP PUBLIC")) {
    throw refuse("it is a public key; the private one is needed (gpg --armor --export-secret-keys)");
  }
  const { decryptKey, readPrivateKey } = await import("openpgp");
  const locked = await readPrivateKey({ armoredKey: text }).catch((error: unknown) => {
    throw refuse(`it cannot be read as an armored OpenPGP key (${messageOf(error)})`);
  });
  const key = locked.isDecrypted()
    ? locked
    : await decryptKey({ privateKey: locked, passphrase }).catch((error: unknown) => {
        throw refuse(`git.signing_passphrase does not open it (${messageOf(error)})`);
      });
  await key.getSigningKey().catch((error: unknown) => {
    throw refuse(`no part of it can sign now (${messageOf(error)})`);
  });
  const { user } = await key.getPrimaryUser();
  const { name = "", email = "" } = user.userID ?? {};
  return {
    kind: "gpg",
    ids: key.getKeyIDs().map((id) => id.toHex().toUpperCase()),
    publicKey: key.toPublic().armor().replaceAll("\r\n", "\n"),
    signer: { kind: "gpg", armoredKey: key.armor() },
    identity: { name, email },
  };
}

/** A key that cannot do it is found out now, and not with the first commit. */
async function tryKey({ kind, signer, publicKey }: Omit<ReadKey, "identity">, refuse: Refuse): Promise<void> {
  const text = "a commit\n";
  const isGood = async () => {
    const signature = await signText(signer, Buffer.from(text));
    const parsed = kind === "ssh" ? parseSshSignature(signature) : null;
    return parsed === null
      ? kind === "gpg" && (await verifyGpgSignature(publicKey, signature, text))
      : verifySshSignature(parsed, text);
  };
  const works = await isGood().catch((error: unknown) => {
    throw refuse(`it does not sign (${messageOf(error)})`);
  });
  if (!works) {
    throw refuse("what it signs does not verify with its public key");
  }
}

import { createHash, createPrivateKey, sign as signBytes } from "node:crypto";
import type { PrivateKey } from "openpgp";

/** A private key that signs commits, as plain data: it crosses to the threads that make them. */
export type CommitSigner =
  /** `pem` without a passphrase; `publicKey` as it stands base64-encoded in a public key file. */
  | { readonly kind: "ssh"; readonly algorithm: string; readonly pem: string; readonly publicKey: Uint8Array }
  /** An armored OpenPGP key without a passphrase. */
  | { readonly kind: "gpg"; readonly armoredKey: string };

/** Returns the armored signature over a text, as git writes it into a commit (gitformat-signature(5)). */
export function signText(signer: CommitSigner, text: Uint8Array): Promise<string> | string {
  return signer.kind === "ssh" ? signWithSsh(signer, text) : signWithGpg(signer.armoredKey, text);
}

/** Reading a key takes the library some milliseconds; a thread has one. */
let lastKey: { armored: string; key: PrivateKey } | null = null;

async function signWithGpg(armoredKey: string, text: Uint8Array): Promise<string> {
  const { createMessage, readPrivateKey, sign } = await import("openpgp");
  if (lastKey?.armored !== armoredKey) {
    lastKey = { armored: armoredKey, key: await readPrivateKey({ armoredKey }) };
  }
  const message = await createMessage({ binary: text });
  const armored = await sign({ message, signingKeys: lastKey.key, detached: true, format: "armored" });
  return armored.replaceAll("\r\n", "\n").trimEnd();
}

const magic = Buffer.from("SSHSIG");
const hash = "sha512";

/** OpenSSH's PROTOCOL.sshsig, in the namespace that git verifies. */
function signWithSsh({ algorithm, pem, publicKey }: CommitSigner & { kind: "ssh" }, text: Uint8Array): string {
  const place = [string("git"), string(""), string(hash)];
  const message = Buffer.concat([magic, ...place, string(createHash(hash).update(text).digest())]);
  const signature = signBlob(algorithm, pem, message);
  const whole = Buffer.concat([magic, uint32(1), string(publicKey), ...place, string(signature)]);
  const lines = whole.toString("base64").match(/.{1,70}/g) ?? [];
  return ["-----BEGIN SSH SIGNATURE-----", ...lines, "-----END SSH SIGNATURE-----"].join("\n");
}

function signBlob(algorithm: string, pem: string, message: Buffer): Buffer {
  const key = createPrivateKey(pem);
  if (algorithm === "ssh-rsa") {
    return Buffer.concat([string("rsa-sha2-512"), string(signBytes("sha512", message, key))]);
  }
  if (algorithm === "ssh-ed25519") {
    return Buffer.concat([string(algorithm), string(signBytes(null, message, key))]);
  }
  // RFC 5656, section 3.1.2: the digest follows the size of the curve, and the signature is two numbers.
  const digest = { nistp256: "sha256", nistp384: "sha384", nistp521: "sha512" }[algorithm.slice("ecdsa-sha2-".length)];
  const pair = signBytes(digest, message, { key, dsaEncoding: "ieee-p1363" });
  const half = pair.length / 2;
  const numbers = Buffer.concat([mpint(pair.subarray(0, half)), mpint(pair.subarray(half))]);
  return Buffer.concat([string(algorithm), string(numbers)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function string(value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

/** A number that is not negative: without needless zeros, and with one before a first bit that is set. */
function mpint(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const trimmed = start < 0 ? new Uint8Array(0) : bytes.subarray(start);
  return string((trimmed[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), trimmed]) : trimmed);
}

import { createHash } from "node:crypto";
import { keyFingerprint } from "../../../auth/identify/identify-key.ts";
import { isSignedBy, readStrings } from "./verify-ssh-signature.ts";

/** A signature that `ssh-keygen -Y sign` made: OpenSSH's PROTOCOL.sshsig. */
export interface SshSignature {
  /** The fingerprint of the signing key, as ssh-keygen prints it. */
  fingerprint: string;
  publicKey: Buffer;
  namespace: string;
  reserved: Buffer;
  hash: "sha256" | "sha512";
  signature: Buffer;
}

const armour = /^-----BEGIN SSH SIGNATURE-----\r?\n([A-Za-z0-9+/=\s]+)-----END SSH SIGNATURE-----\s*$/;
/** The namespace of git's signatures. */
const gitNamespace = "git";
const magic = Buffer.from("SSHSIG");
function string(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** null for what is no such signature. */
export function parseSshSignature(text: string): SshSignature | null {
  const [, encoded] = armour.exec(text.trim()) ?? [];
  const bytes = Buffer.from(encoded ?? "", "base64");
  if (bytes.length < 10 || !bytes.subarray(0, 6).equals(magic) || bytes.readUInt32BE(6) !== 1) {
    return null;
  }
  try {
    const [publicKey, namespace, reserved, hash, signature, ...rest] = readStrings(bytes.subarray(10));
    if (
      publicKey === undefined ||
      namespace === undefined ||
      reserved === undefined ||
      hash === undefined ||
      signature === undefined ||
      rest.length > 0
    ) {
      return null;
    }
    const digest = hash.toString("latin1");
    const known = digest === "sha256" || digest === "sha512";
    return known
      ? {
          fingerprint: keyFingerprint(publicKey),
          publicKey,
          namespace: namespace.toString("latin1"),
          reserved,
          hash: digest,
          signature,
        }
      : null;
  } catch (error) {
    if (error instanceof RangeError) {
      return null;
    }
    throw error;
  }
}

/** A number as ASN.1 writes it: without needless zeros, and one before a first bit that is set. */
function derInteger(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) {
    start++;
  }
  const trimmed = bytes.subarray(start);
  const padded = (trimmed[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), trimmed]) : trimmed;
  return Buffer.concat([Buffer.of(2, padded.length), padded]);
}

/** ECDSA's pair of numbers, from SSH's strings to ASN.1. */
function derPair(blob: Buffer): Buffer {
  const numbers = readStrings(blob);
  if (numbers.length !== 2) {
    throw new RangeError("A signature of ECDSA has two numbers");
  }
  const content = Buffer.concat(numbers.map(derInteger));
  return Buffer.concat([
    content.length < 0x80 ? Buffer.of(0x30, content.length) : Buffer.of(0x30, 0x81, content.length),
    content,
  ]);
}

/** Flags and a counter, which follow the signature of a key in hardware. */
const hardwareTrailer = 5;

/** Whether the key in the signature made it over this text for git. */
export function verifySshSignature(parsed: SshSignature, text: string): boolean {
  const digest = createHash(parsed.hash).update(text).digest();
  const message = Buffer.concat([
    magic,
    string(Buffer.from(parsed.namespace)),
    string(parsed.reserved),
    string(Buffer.from(parsed.hash)),
    string(digest),
  ]);
  try {
    return parsed.namespace === gitNamespace && verifyBlob(parsed, message);
  } catch {
    // An unreadable signature is not verified.
    return false;
  }
}

function verifyBlob({ publicKey: key, signature: whole }: SshSignature, message: Buffer): boolean {
  const algorithm = readStrings(key)[0]?.toString("latin1") ?? "";
  const inHardware = algorithm.startsWith("sk-");
  const end = whole.length - (inHardware ? hardwareTrailer : 0);
  const [named, blob, ...rest] = readStrings(whole.subarray(0, end));
  const signedAs = named?.toString("latin1") ?? "";
  // RSA's signatures are named by their digest, all others as their keys.
  const hash = algorithm === "ssh-rsa" ? /^rsa-sha2-(256|512)$/.exec(signedAs)?.[1] : undefined;
  if (blob === undefined || rest.length > 0 || (hash === undefined && signedAs !== algorithm)) {
    return false;
  }
  const signature = inHardware
    ? Buffer.concat([blob, whole.subarray(end)])
    : algorithm.startsWith("ecdsa-")
      ? derPair(blob)
      : blob;
  return isSignedBy({ algorithm, hash: hash === undefined ? undefined : `sha${hash}`, key, message, signature });
}

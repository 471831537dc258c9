import { createHash, createPublicKey, verify, type KeyObject } from "node:crypto";
import { keyFingerprint } from "../../auth/identify/identify-key.ts";

/** A signature that `ssh-keygen -Y sign` made: OpenSSH's PROTOCOL.sshsig. */
export interface SshSignature {
  /** Of the key that signed, as ssh-keygen prints it. */
  fingerprint: string;
  publicKey: Buffer;
  namespace: string;
  reserved: Buffer;
  hash: "sha256" | "sha512";
  signature: Buffer;
}

const armour = /^-----BEGIN SSH SIGNATURE-----\r?\n([A-Za-z0-9+/=\s]+)-----END SSH SIGNATURE-----\s*$/;
/** What git signs in. */
const gitNamespace = "git";
const magic = Buffer.from("SSHSIG");
/** Of the flags of a key in hardware: somebody touched it. */
const userPresent = 1;

/** Strings with their length before them in four bytes, as everything in SSH. */
class Strings {
  private offset: number;

  constructor(
    private readonly bytes: Buffer,
    start = 0,
  ) {
    this.offset = start;
  }

  /** Throws RangeError past the end. */
  next(): Buffer {
    const start = this.offset + 4;
    const end = start + this.bytes.readUInt32BE(this.offset);
    if (end > this.bytes.length) {
      throw new RangeError("A string goes past the end");
    }
    this.offset = end;
    return this.bytes.subarray(start, end);
  }

  rest(): Buffer {
    return this.bytes.subarray(this.offset);
  }
}

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
    const strings = new Strings(bytes, 10);
    const publicKey = strings.next();
    const namespace = strings.next().toString("latin1");
    const reserved = strings.next();
    const hash = strings.next().toString("latin1");
    const signature = strings.next();
    const whole = strings.rest().length === 0 && (hash === "sha256" || hash === "sha512");
    return whole ? { fingerprint: keyFingerprint(publicKey), publicKey, namespace, reserved, hash, signature } : null;
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

/** ECDSA's pair of numbers, from SSH's strings to what the library takes. */
function derPair(blob: Buffer): Buffer {
  const strings = new Strings(blob);
  const content = Buffer.concat([derInteger(strings.next()), derInteger(strings.next())]);
  if (strings.rest().length > 0) {
    throw new RangeError("Something follows the pair");
  }
  return Buffer.concat([content.length < 0x80 ? Buffer.of(0x30, content.length) : Buffer.of(0x30, 0x81, content.length), content]);
}

interface Readable {
  key: KeyObject;
  /** Of a key in hardware: what it is for, which is signed too. */
  application: Buffer | null;
}

const curves: Readonly<Record<string, { name: string; size: number }>> = {
  nistp256: { name: "P-256", size: 32 },
  nistp384: { name: "P-384", size: 48 },
  nistp521: { name: "P-521", size: 66 },
};

function readKey(blob: Buffer): Readable | null {
  const strings = new Strings(blob);
  const algorithm = strings.next().toString("latin1");
  const inHardware = algorithm.startsWith("sk-");
  switch (algorithm) {
    case "ssh-rsa": {
      const e = strings.next().toString("base64url");
      return { key: createPublicKey({ format: "jwk", key: { kty: "RSA", e, n: strings.next().toString("base64url") } }), application: null };
    }
    case "ssh-ed25519":
    case "sk-ssh-ed25519@openssh.com": {
      const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x: strings.next().toString("base64url") } });
      return { key, application: inHardware ? strings.next() : null };
    }
    case "ecdsa-sha2-nistp256":
    case "ecdsa-sha2-nistp384":
    case "ecdsa-sha2-nistp521":
    case "sk-ecdsa-sha2-nistp256@openssh.com": {
      const curve = curves[strings.next().toString("latin1")];
      const point = strings.next();
      if (curve === undefined) {
        return null;
      }
      const [x, y] = [point.subarray(1, 1 + curve.size), point.subarray(1 + curve.size)];
      const key = createPublicKey({ format: "jwk", key: { kty: "EC", crv: curve.name, x: x.toString("base64url"), y: y.toString("base64url") } });
      return { key, application: inHardware ? strings.next() : null };
    }
    default:
      return null;
  }
}

/** Hashes by the algorithm that a signature names. RSA with SHA-1 is not among them. */
const hashes: Readonly<Record<string, string | null>> = {
  "rsa-sha2-256": "sha256",
  "rsa-sha2-512": "sha512",
  "ssh-ed25519": null,
  "sk-ssh-ed25519@openssh.com": null,
  "ecdsa-sha2-nistp256": "sha256",
  "ecdsa-sha2-nistp384": "sha384",
  "ecdsa-sha2-nistp521": "sha512",
  "sk-ecdsa-sha2-nistp256@openssh.com": "sha256",
};

function familyOf(algorithm: string): string {
  return algorithm.startsWith("rsa-sha2-") ? "ssh-rsa" : algorithm;
}

function sha256(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** Whether the key in the signature made it over this text for git. */
export function verifySshSignature(parsed: SshSignature, text: string): boolean {
  const digest = createHash(parsed.hash).update(text).digest();
  const signed = Buffer.concat([magic, string(Buffer.from(parsed.namespace)), string(parsed.reserved), string(Buffer.from(parsed.hash)), string(digest)]);
  try {
    return parsed.namespace === gitNamespace && verifyBlob(parsed, signed);
  } catch {
    // A key or signature that the library cannot read is one that does not verify.
    return false;
  }
}

function verifyBlob(parsed: SshSignature, signed: Buffer): boolean {
  const strings = new Strings(parsed.signature);
  const algorithm = strings.next().toString("latin1");
  const hash = hashes[algorithm];
  if (hash === undefined || familyOf(algorithm) !== new Strings(parsed.publicKey).next().toString("latin1")) {
    return false;
  }
  const readable = readKey(parsed.publicKey);
  const blob = strings.next();
  const signature = algorithm.includes("ecdsa") ? derPair(blob) : blob;
  const suffix = strings.rest();
  if (readable === null || readable.application === null) {
    return readable !== null && suffix.length === 0 && verify(hash, signed, readable.key, signature);
  }
  // Flags and a counter follow the signature of a key in hardware; it signs them with the hashes of the rest.
  const byHardware = Buffer.concat([sha256(readable.application), suffix, sha256(signed)]);
  return suffix.length === 5 && (suffix.readUInt8(0) & userPresent) !== 0 && verify(hash, byHardware, readable.key, signature);
}

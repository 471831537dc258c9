import { createHash, createPublicKey, verify, type KeyObject } from "node:crypto";
import { parseKey } from "ssh2/lib/protocol/keyParser.js";

/**
 * A public key and what it signed, as the library hands them over on a connection: the signature without the name of its
 * algorithm, and that of ECDSA in ASN.1 unless the key is in hardware.
 */
interface SignedBy {
  /** The key's algorithm, such as ssh-rsa. */
  algorithm: string;
  /** With RSA, the digest that is signed: sha256, sha512, or undefined for SHA-1. */
  hash: string | undefined;
  /** The key as it stands base64-encoded in a public key file. */
  key: Buffer;
  message: Buffer;
  signature: Buffer;
}

const plain: ReadonlySet<string> = new Set([
  "ssh-ed25519",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
]);
const inHardware: ReadonlySet<string> = new Set(["sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"]);

/** Whether such signatures are accepted at all: those of RSA with SHA-1 can be forged. */
export function isAcceptedAlgorithm(algorithm: string, hash: string | undefined): boolean {
  return algorithm === "ssh-rsa"
    ? hash === "sha256" || hash === "sha512"
    : plain.has(algorithm) || inHardware.has(algorithm);
}

/** Whether the holder of the key signed the message. Anything that cannot be read is no. */
export function isSignedBy({ algorithm, hash, key, message, signature }: SignedBy): boolean {
  if (!isAcceptedAlgorithm(algorithm, hash)) {
    return false;
  }
  try {
    if (inHardware.has(algorithm)) {
      return isSignedInHardware(algorithm, key, message, signature);
    }
    const parsed = parseKey(key);
    if (parsed instanceof Error) {
      return false;
    }
    return parsed.type === algorithm && parsed.verify(message, signature, hash) === true;
  } catch {
    return false;
  }
}

/** The user touched the device. */
const userPresent = 1;

/**
 * Keys in hardware sign a digest of the application, flags, a counter and a digest of the message; flags and counter
 * follow the signature. Source: OpenSSH's PROTOCOL.u2f.
 */
function isSignedInHardware(algorithm: string, key: Buffer, message: Buffer, signature: Buffer): boolean {
  const fields = readStrings(key);
  const isEd25519 = algorithm === "sk-ssh-ed25519@openssh.com";
  const [named, ...rest] = fields;
  const [point, application] = isEd25519 ? rest : rest.slice(1);
  const trailer = signature.subarray(-5);
  const inner = signature.subarray(0, -5);
  if (
    named?.toString("latin1") !== algorithm ||
    point === undefined ||
    application === undefined ||
    trailer.length < 5 ||
    ((trailer[0] ?? 0) & userPresent) === 0
  ) {
    return false;
  }
  const signed = Buffer.concat([sha256(application), trailer, sha256(message)]);
  return isEd25519
    ? verify(null, signed, ed25519Key(point), inner)
    : verify(
        "sha256",
        signed,
        { key: nistp256Key(point), dsaEncoding: "ieee-p1363" },
        Buffer.concat(readStrings(inner).map(asCoordinate)),
      );
}

function sha256(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

function ed25519Key(point: Buffer): KeyObject {
  return createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x: point.toString("base64url") } });
}

function nistp256Key(point: Buffer): KeyObject {
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((bytes) => bytes.toString("base64url"));
  return createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" } });
}

/** A number of at most 32 bytes, which SSH writes without zeros before it but for one that keeps it positive. */
function asCoordinate(number: Buffer): Buffer {
  const digits = number[0] === 0 ? number.subarray(1) : number;
  return Buffer.concat([Buffer.alloc(Math.max(0, 32 - digits.length)), digits]);
}

/** The strings of SSH that some bytes are: each has its length before it in four bytes. Throws RangeError when the bytes end within one. */
export function readStrings(bytes: Buffer): Buffer[] {
  const strings: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    if (at + 4 + length > bytes.length) {
      throw new RangeError("A string goes on beyond the end");
    }
    strings.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return strings;
}

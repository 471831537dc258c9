import { createPublicKey } from "node:crypto";
import { InvalidInput } from "../../../lib/errors.ts";
import { isEd25519PublicKey } from "./ed25519-point.ts";

/**
 * A public key as SSH sends it: the name of its algorithm and then its parts, each a string with its length before it in
 * four bytes, big-endian (RFC 4253 section 6.6, RFC 5656 section 3.1, RFC 8709 section 4, OpenSSH's PROTOCOL.u2f).
 */
class BlobReader {
  private offset = 0;

  constructor(private readonly bytes: Buffer) {}

  string(): Buffer {
    const start = this.offset + 4;
    const length = start <= this.bytes.length ? this.bytes.readUInt32BE(this.offset) : 0;
    if (start + length > this.bytes.length) {
      throw damaged("it ends too early");
    }
    this.offset = start + length;
    return this.bytes.subarray(start, this.offset);
  }

  /** The size in bits of a number that has to be positive, odd and without needless zeros before it. */
  oddNumberBits(): number {
    const bytes = this.string();
    const [first, second] = bytes;
    const isNegative = first !== undefined && first >= 0x80;
    const isPadded = first === 0 && (second === undefined || second < 0x80);
    if (first === undefined || isNegative || isPadded || ((bytes.at(-1) ?? 0) & 1) === 0) {
      throw damaged("one of its numbers cannot be that of an RSA key");
    }
    const leading = first === 0 ? (second ?? 0) : first;
    return (first === 0 ? bytes.length - 2 : bytes.length - 1) * 8 + (32 - Math.clz32(leading));
  }

  end(): void {
    if (this.offset !== this.bytes.length) {
      throw damaged(`it goes on for ${this.bytes.length - this.offset} bytes after its end`);
    }
  }
}

function damaged(reason: string): InvalidInput {
  return new InvalidInput(`The key cannot be read: ${reason}`, "key");
}

const smallestRsaBits = 2048;
const largestRsaBits = 16_384;

function readRsa(reader: BlobReader): void {
  const exponentBits = reader.oddNumberBits();
  const bits = reader.oddNumberBits();
  if (bits < smallestRsaBits || bits > largestRsaBits) {
    throw new InvalidInput(
      `The key is an RSA key of ${bits} bits; it must have at least ${smallestRsaBits} and at most ${largestRsaBits}`,
      "key",
    );
  }
  if (exponentBits < 2 || exponentBits > 64) {
    throw damaged("its exponent cannot be that of an RSA key");
  }
}

function readEd25519(reader: BlobReader): void {
  const point = reader.string();
  if (point.length !== 32) {
    throw damaged(`an Ed25519 key has 32 bytes, not ${point.length}`);
  }
  if (!isEd25519PublicKey(point)) {
    throw damaged("its point is not one that a key can have");
  }
}

/** An uncompressed point of the curve (SEC 1 section 2.3.3); the import as a JWK checks that it lies on it. */
function readEcdsa(reader: BlobReader, curve: string, jwkCurve: string, size: number): void {
  const named = reader.string().toString("latin1");
  if (named !== curve) {
    throw damaged(`it names another curve, "${named.slice(0, 40)}"`);
  }
  const point = reader.string();
  if (point.length !== 1 + 2 * size || point[0] !== 4) {
    throw damaged(`a key on ${curve} has an uncompressed point of ${1 + 2 * size} bytes`);
  }
  const x = point.subarray(1, 1 + size).toString("base64url");
  const y = point.subarray(1 + size).toString("base64url");
  try {
    createPublicKey({ format: "jwk", key: { kty: "EC", crv: jwkCurve, x, y } });
  } catch {
    throw damaged(`its point does not lie on ${curve}`);
  }
}

/** Keys in hardware name the application that they are for; OpenSSH's begins with "ssh:". */
function readApplication(reader: BlobReader): void {
  if (reader.string().length === 0) {
    throw damaged("it names no application");
  }
}

const readers = new Map<string, (reader: BlobReader) => void>([
  ["ssh-ed25519", readEd25519],
  ["ecdsa-sha2-nistp256", (reader) => readEcdsa(reader, "nistp256", "P-256", 32)],
  ["ecdsa-sha2-nistp384", (reader) => readEcdsa(reader, "nistp384", "P-384", 48)],
  ["ecdsa-sha2-nistp521", (reader) => readEcdsa(reader, "nistp521", "P-521", 66)],
  ["ssh-rsa", readRsa],
  [
    "sk-ssh-ed25519@openssh.com",
    (reader) => {
      readEd25519(reader);
      readApplication(reader);
    },
  ],
  [
    "sk-ecdsa-sha2-nistp256@openssh.com",
    (reader) => {
      readEcdsa(reader, "nistp256", "P-256", 32);
      readApplication(reader);
    },
  ],
]);

/** Algorithms whose keys are taken. */
export const keyAlgorithms: ReadonlySet<string> = new Set(readers.keys());

/** Throws InvalidInput unless the bytes are one whole key of this algorithm that can be used. */
export function checkKeyBlob(algorithm: string, blob: Buffer): void {
  const reader = new BlobReader(blob);
  const named = reader.string().toString("latin1");
  if (named !== algorithm) {
    throw damaged(
      `it says that it is "${algorithm}", and its bytes say "${named.slice(0, 60).replaceAll(/[^ -~]/g, "?")}"`,
    );
  }
  readers.get(algorithm)?.(reader);
  reader.end();
}

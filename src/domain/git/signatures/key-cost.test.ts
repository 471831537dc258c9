import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { armor, createMessage, enums, generateKey, sign } from "openpgp";
import { issuersOf, readGpgKey, verifyGpgSignature } from "./gpg-signature.ts";

const { rsaEncryptSign: rsa, dsa } = enums.publicKey;
const exponent = Uint8Array.of(1, 0, 1);

/** A number as OpenPGP writes it (RFC 9580, section 3.2). */
function mpi(bytes: Uint8Array): Buffer {
  const bits = bytes.length * 8 - (Math.clz32(bytes[0] ?? 0) - 24);
  return Buffer.concat([Buffer.of(bits >> 8, bits & 255), bytes]);
}

/** An odd number of so many bits, a multiple of eight. */
function number(bits: number): Uint8Array {
  const bytes = new Uint8Array(randomBytes(bits / 8));
  bytes[0] = 0xff;
  bytes[bytes.length - 1] = 0x81;
  return bytes;
}

function packet(tag: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(6);
  head.set([0xc0 | tag, 255]);
  head.writeUInt32BE(body.length, 2);
  return Buffer.concat([head, body]);
}

/** A public key of these numbers, with signatures over its user id that are none. */
function keyOf(algorithm: number, parameters: readonly Uint8Array[], signatures: number): string {
  const body = Buffer.concat([Buffer.of(4, 0x60, 0, 0, 0, algorithm), ...parameters.map(mpi)]);
  const fingerprint = new Bun.CryptoHasher("sha1")
    .update(Buffer.concat([Buffer.of(0x99, body.length >> 8, body.length & 255), body]))
    .digest();
  const hashed = Buffer.concat([Buffer.of(5, 2, 0x60, 0, 0, 0, 2, 27, 3, 9, 16), fingerprint.subarray(12)]);
  const head = Buffer.concat([
    Buffer.of(4, 0x13, algorithm, enums.hash.sha256, hashed.length >> 8, hashed.length & 255),
    hashed,
    Buffer.of(0, 0, 0, 0),
  ]);
  const [first = new Uint8Array(1)] = parameters;
  const signature = packet(2, Buffer.concat([head, ...Array<Buffer>(algorithm === dsa ? 2 : 1).fill(mpi(first))]));
  const whole = Buffer.concat([
    packet(6, body),
    packet(13, Buffer.from("x <x@example.com>")),
    ...Array<Buffer>(signatures).fill(signature),
  ]);
  return armor(enums.armor.publicKey, whole);
}

describe("a key that would take minutes to verify is refused before anything of it is", () => {
  test.each([
    ["an RSA modulus", keyOf(rsa, [number(8200), exponent], 1), "an RSA key of 8200 bits with an exponent of 17"],
    [
      "an RSA exponent",
      keyOf(rsa, [number(2048), number(2048)], 1),
      "an RSA key of 2048 bits with an exponent of 2048",
    ],
    [
      "a DSA prime",
      keyOf(dsa, [number(4096), number(256), number(256), number(256)], 1),
      "a DSA key of 4096 and 256 bits",
    ],
    [
      "a DSA group",
      keyOf(dsa, [number(2048), number(2048), number(2048), number(2048)], 1),
      "a DSA key of 2048 and 2048 bits",
    ],
    ["many signatures", keyOf(rsa, [number(1024), exponent], 151), "151 signatures over itself"],
    [
      "some signatures of a large key",
      keyOf(rsa, [number(8192), exponent], 16),
      "16 signatures over itself; of a key of this kind 15 are the most",
    ],
  ])("for %s", async (_, key, reason) => {
    await expect(readGpgKey(key)).rejects.toThrow(reason);
  });

  test("and one within the bounds is looked at", async () => {
    await expect(readGpgKey(keyOf(rsa, [number(4096), exponent], 1))).rejects.toThrow("it is not valid now");
  });
});

describe("an armored signature", () => {
  test("counts when it is one, and not when there are more in it", async () => {
    const { publicKey, privateKey } = await generateKey({
      type: "ecc",
      curve: "ed25519Legacy",
      userIDs: [{ email: "x@example.com" }],
      format: "object",
    });
    const message = await createMessage({ binary: Buffer.from("text") });
    const single = await sign({ message, signingKeys: privateKey, detached: true, format: "object" });
    const double = armor(enums.armor.signature, Buffer.concat([single.write(), single.write()]));
    expect(await issuersOf(single.armor())).toHaveLength(1);
    expect(await verifyGpgSignature(publicKey.armor(), single.armor(), "text")).toBe(true);
    expect(await issuersOf(double)).toEqual([]);
    expect(await verifyGpgSignature(publicKey.armor(), double, "text")).toBe(false);
  });
});

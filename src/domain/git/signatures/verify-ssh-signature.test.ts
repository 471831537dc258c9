import { describe, expect, test } from "bun:test";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import ssh2 from "ssh2";
import { isSignedBy } from "./verify-ssh-signature.ts";

const message = Buffer.from("what the client signs");

function strings(...parts: (string | Buffer)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

describe("keys in files", () => {
  const pair = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const rsa = ssh2.utils.parseKey(pair.privateKey);
  if (rsa instanceof Error) {
    throw rsa;
  }
  const signed = (hash: string | undefined, over = message) => ({
    algorithm: "ssh-rsa",
    hash,
    key: rsa.getPublicSSH(),
    message,
    signature: rsa.sign(over, hash),
  });

  test("of RSA sign with SHA-2, and not with SHA-1", () => {
    expect(isSignedBy(signed("sha256"))).toBe(true);
    expect(isSignedBy(signed("sha512"))).toBe(true);
    expect(isSignedBy(signed(undefined))).toBe(false);
    expect(isSignedBy(signed("sha256", Buffer.from("something else")))).toBe(false);
  });

  test("sign as what they are", () => {
    expect(isSignedBy({ ...signed("sha256"), algorithm: "ssh-ed25519" })).toBe(false);
    expect(isSignedBy({ ...signed("sha256"), key: Buffer.from("nonsense") })).toBe(false);
  });
});

describe("keys in hardware", () => {
  const application = "ssh:";
  const counter = Buffer.from([0, 0, 0, 7]);
  const digest = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest();
  const payload = (flags: number) =>
    Buffer.concat([digest(application), Buffer.from([flags]), counter, digest(message)]);
  const trailer = (flags: number) => Buffer.concat([Buffer.from([flags]), counter]);

  const ed25519 = generateKeyPairSync("ed25519");
  const point = Buffer.from(ed25519.publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  const ed25519Blob = strings("sk-ssh-ed25519@openssh.com", point, application);
  const byEd25519 = (flags: number) => ({
    algorithm: "sk-ssh-ed25519@openssh.com",
    hash: undefined,
    key: ed25519Blob,
    message,
    signature: Buffer.concat([sign(null, payload(flags), ed25519.privateKey), trailer(flags)]),
  });

  test("sign when they were touched", () => {
    expect(isSignedBy(byEd25519(1))).toBe(true);
    expect(isSignedBy(byEd25519(0))).toBe(false);
  });

  test("sign one message for one application", () => {
    expect(isSignedBy({ ...byEd25519(1), message: Buffer.from("another") })).toBe(false);
    expect(isSignedBy({ ...byEd25519(1), key: strings("sk-ssh-ed25519@openssh.com", point, "ssh:other") })).toBe(false);
    expect(isSignedBy({ ...byEd25519(1), signature: Buffer.alloc(4) })).toBe(false);
  });

  test("of ECDSA sign, too, whatever the length of their numbers", () => {
    const ecdsa = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x = "", y = "" } = ecdsa.publicKey.export({ format: "jwk" });
    const key = strings(
      "sk-ecdsa-sha2-nistp256@openssh.com",
      "nistp256",
      Buffer.concat([Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]),
      application,
    );
    const asNumber = (bytes: Buffer): Buffer => {
      const digits = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
      return (digits[0] ?? 0) >= 128 ? Buffer.concat([Buffer.from([0]), digits]) : digits;
    };
    for (let round = 0; round < 300; round++) {
      const raw = sign("sha256", payload(1), { key: ecdsa.privateKey, dsaEncoding: "ieee-p1363" });
      const signature = Buffer.concat([strings(asNumber(raw.subarray(0, 32)), asNumber(raw.subarray(32))), trailer(1)]);
      expect(
        isSignedBy({ algorithm: "sk-ecdsa-sha2-nistp256@openssh.com", hash: undefined, key, message, signature }),
      ).toBe(true);
    }
  });
});

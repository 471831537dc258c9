import { describe, expect, test } from "bun:test";
import { createHash, generateKeyPairSync } from "node:crypto";
import { InvalidInput } from "../../../lib/errors.ts";
import { parsePublicKey } from "./parse-public-key.ts";

/** A string with its length before it. */
const ssh = (content: Uint8Array | string) => {
  const bytes = Buffer.from(content as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};
const fromBase64 = (text = "") => Buffer.from(text, "base64url");
const line = (algorithm: string, ...parts: Uint8Array[]) =>
  `${algorithm} ${Buffer.concat([ssh(algorithm), ...parts]).toString("base64")}`;

const ed25519Point = fromBase64(generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }).x);
const ed25519 = line("ssh-ed25519", ssh(ed25519Point));
const ecPoint = (namedCurve: string) => {
  const { x, y } = generateKeyPairSync("ec", { namedCurve }).publicKey.export({ format: "jwk" });
  return Buffer.concat([Buffer.of(4), fromBase64(x), fromBase64(y)]);
};
const p256 = ecPoint("P-256");
/** A number as SSH writes it: a zero before it where the first bit would be its sign. */
const mpint = (bytes: Buffer) => ssh((bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
const modulus = (bits: number, lastByte = 1) => {
  const bytes = Buffer.alloc(Math.ceil(bits / 8), 0x55);
  bytes[0] = 1 << ((bits - 1) % 8);
  bytes[bytes.length - 1] = lastByte;
  return bytes;
};
const exponent = ssh(Buffer.of(1, 0, 1));
const rsa = (bits: number) => line("ssh-rsa", exponent, mpint(modulus(bits)));

describe("taken", () => {
  test.each([
    ["Ed25519", ed25519],
    ["ECDSA on P-256", line("ecdsa-sha2-nistp256", ssh("nistp256"), ssh(p256))],
    ["ECDSA on P-384", line("ecdsa-sha2-nistp384", ssh("nistp384"), ssh(ecPoint("P-384")))],
    ["ECDSA on P-521", line("ecdsa-sha2-nistp521", ssh("nistp521"), ssh(ecPoint("P-521")))],
    ["RSA of 2048 bits", rsa(2048)],
    ["RSA of 3071 bits", rsa(3071)],
    ["RSA of 16384 bits", rsa(16_384)],
    ["Ed25519 in hardware", line("sk-ssh-ed25519@openssh.com", ssh(ed25519Point), ssh("ssh:"))],
    ["ECDSA in hardware", line("sk-ecdsa-sha2-nistp256@openssh.com", ssh("nistp256"), ssh(p256), ssh("ssh:"))],
  ])("%s", (_, key) => {
    const digest = createHash("sha256")
      .update(Buffer.from(key.split(" ")[1] ?? "", "base64"))
      .digest("base64")
      .replace(/=+$/, "");
    expect(parsePublicKey(key)).toEqual({ fingerprint: `SHA256:${digest}`, content: key, comment: "" });
  });

  test("with a comment, and spaces and a line end around it", () => {
    expect(parsePublicKey(` ${ed25519.replace(" ", "\t ")}  smith@forge  of iron \r\n`)).toMatchObject({
      content: ed25519,
      comment: "smith@forge  of iron",
    });
    expect(parsePublicKey(`${ed25519} a\u0000b\u001b[31m`).comment).toBe("ab[31m");
  });

  test("without the padding of base64", () => {
    expect(parsePublicKey(rsa(2048).replace(/=+$/, "")).content).toBe(rsa(2048));
  });
});

const body = ed25519.split(" ")[1] ?? "";
const offCurve = Buffer.from(p256);
offCurve[40] = (offCurve[40] ?? 0) ^ 1;

describe("refused, naming the field", () => {
  test.each([
    ["nothing", "", "must begin with one of ssh-ed25519"],
    ["no key", "ssh-ed25519", "not base64"],
    ["a word", "hello", "must begin with one of"],
    ["DSA", line("ssh-dss", exponent), "DSA"],
    ["RSA of 2047 bits", rsa(2047), "2047 bits"],
    ["RSA of 1024 bits", rsa(1024), "1024 bits"],
    ["RSA of 16392 bits", rsa(16_392), "16392 bits"],
    ["RSA with an even modulus", line("ssh-rsa", exponent, mpint(modulus(2048, 2))), "RSA"],
    ["RSA with a negative modulus", line("ssh-rsa", exponent, ssh(modulus(2048))), "RSA"],
    [
      "RSA with zeros before its modulus",
      line("ssh-rsa", exponent, ssh(Buffer.concat([Buffer.of(0, 0), modulus(2048)]))),
      "RSA",
    ],
    ["RSA with an exponent of 1", line("ssh-rsa", ssh(Buffer.of(1)), mpint(modulus(2048))), "exponent"],
    ["RSA with an exponent of nothing", line("ssh-rsa", ssh(""), mpint(modulus(2048))), "RSA"],
    ["a certificate", line("ssh-ed25519-cert-v01@openssh.com", ssh("nonce"), ssh(ed25519Point)), "certificate"],
    [
      "a private key",
      "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END OPENSSH PRIVATE KEY-----",
      "private key",
    ],
    ["options", `command="sh",no-pty ${ed25519}`, "options"],
    ["two keys", `${ed25519}\n${ed25519}`, "single line"],
    ["an RFC 4716 file", `---- BEGIN SSH2 PUBLIC KEY ----\n${body}\n---- END SSH2 PUBLIC KEY ----`, "single line"],
    ["a very long comment", `${ed25519} ${"x".repeat(9000)}`, "characters"],
    ["no base64", `ssh-ed25519 ${body.slice(0, 20)}*${body.slice(21)}`, "base64"],
    ["bits after the end of base64", `ssh-ed25519 ${body.slice(0, -2)}B`, "base64"],
    ["another algorithm in the bytes", `ssh-rsa ${body}`, "ssh-ed25519"],
    ["too few bytes", `ssh-ed25519 ${Buffer.from(body, "base64").subarray(0, -3).toString("base64")}`, "too early"],
    ["too many bytes", line("ssh-ed25519", ssh(ed25519Point), Buffer.of(0)), "1 bytes after"],
    ["a length beyond the end", line("ssh-ed25519", Buffer.of(255, 255, 255, 255), ed25519Point), "too early"],
    ["an Ed25519 key of 31 bytes", line("ssh-ed25519", ssh(ed25519Point.subarray(1))), "32 bytes"],
    ["an Ed25519 point of small order", line("ssh-ed25519", ssh(Buffer.alloc(32))), "point"],
    ["another curve in the bytes", line("ecdsa-sha2-nistp384", ssh("nistp256"), ssh(p256)), "another curve"],
    ["a point off its curve", line("ecdsa-sha2-nistp256", ssh("nistp256"), ssh(offCurve)), "nistp256"],
    [
      "a compressed point",
      line("ecdsa-sha2-nistp256", ssh("nistp256"), ssh(Buffer.concat([Buffer.of(2), p256.subarray(1, 33)]))),
      "uncompressed",
    ],
    ["a hardware key without application", line("sk-ssh-ed25519@openssh.com", ssh(ed25519Point)), "too early"],
  ])("%s", (_, key, reason) => {
    let thrown: unknown = null;
    try {
      parsePublicKey(key);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(InvalidInput);
    expect((thrown as InvalidInput).field).toBe("key");
    expect((thrown as InvalidInput).message).toContain(reason);
  });
});

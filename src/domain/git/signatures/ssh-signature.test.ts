import { describe, expect, test } from "bun:test";
import { parseSshSignature, verifySshSignature, type SshSignature } from "./ssh-signature.ts";

const text = "some text\n";

/** Made by `ssh-keygen -Y sign -n git` with keys that exist no more: the base64 inside the armour. */
const made = {
  Ed25519:
    "U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAg2xd3gTmoB4ALvgW2rVfdT+NxgtMSJUnNuCX0pWvksIIAAAADZ2l0AAAAAAAAAAZzaGE1MTIAAABTAAAAC3NzaC1lZDI1NTE5AAAAQKb6EA" +
    "eRJWPttGCg6G5oZ+Bmn5e19obDo1/BvvyFyi7TlehOQR8e1JczEZtmlnZRmXNpPq0o5mUNRBFwAbQgvwE=",
  "ECDSA on nistp256":
    "U1NIU0lHAAAAAQAAAGgAAAATZWNkc2Etc2hhMi1uaXN0cDI1NgAAAAhuaXN0cDI1NgAAAEEE1O2nqi8ThxbyYWYVx/oGBruhpFwNqz4+klwJGKOCWVFYroTjp8Ue5aApYYozpq8EA+ogjhhR2DIfSJ" +
    "hYAEuVAAAAAANnaXQAAAAAAAAABnNoYTUxMgAAAGQAAAATZWNkc2Etc2hhMi1uaXN0cDI1NgAAAEkAAAAhAMYTpzIiC8SRxqFCrXzYzzXRTcnNqgFvhj4UxYOv1EC2AAAAIGcaR1/PrgOxE5X5GnJh" +
    "vljspeIkAFq30P1nEVAgmHHu",
  "ECDSA on nistp384":
    "U1NIU0lHAAAAAQAAAIgAAAATZWNkc2Etc2hhMi1uaXN0cDM4NAAAAAhuaXN0cDM4NAAAAGEE37UzNPdUxggNdY8whdWVAD7bFO+L4OomX3sNs1FUwX55TtDvTR9A6hQZ71XVXEniAQXOKJeAaL+g2r" +
    "7UoDxwmjN+FvSHFXYgd7rS/AU9wqh+k5B1BqevCLSLnEpwVX1IAAAAA2dpdAAAAAAAAAAGc2hhNTEyAAAAgwAAABNlY2RzYS1zaGEyLW5pc3RwMzg0AAAAaAAAADBPU3gxt9a4eZTa8pehdVJRNGxI" +
    "Cg3or6ZEfUbAD+jR+OdUX3LUW5M43u35W+TUwdgAAAAwfFBixQJPwfWxdc79k+JzOcegWvJdRDJFWkeixzy5jYvVGxvddWtwJGtYkqQxIaEg",
  "ECDSA on nistp521":
    "U1NIU0lHAAAAAQAAAKwAAAATZWNkc2Etc2hhMi1uaXN0cDUyMQAAAAhuaXN0cDUyMQAAAIUEANvebECVl1UDViqzU388neddc2gtT3YPVrj/ClFD8AGS5yH9i00e+wm79NgvLvbZpzidHgkbol3itn" +
    "pN36TuIf4pAXp634a/tOWVsTIO8a1N3Xey7YkvTSRCJCSM4Wse46rHFTI/QVQI9KynhJpPJflKz8L0bOApirk1EDvUi1rIddx5AAAAA2dpdAAAAAAAAAAGc2hhNTEyAAAApwAAABNlY2RzYS1zaGEy" +
    "LW5pc3RwNTIxAAAAjAAAAEIBj58bv1xKe/TYaR8C4JfK420D/JBcjoptHh1HTQfSBAFiYrsPRP6Tkc9tchSlqsLsZ+vCUZYASuEk0iFJbVLbBfIAAABCAWM/pbhlCinr3zAcpVR1itWbYc/JEg4dVi" +
    "2a/VzjR9rtrQePw5k8/Up7/2iPX+kUtLf98UMefgWm673Du5gy9h11",
  RSA:
    "U1NIU0lHAAAAAQAAARcAAAAHc3NoLXJzYQAAAAMBAAEAAAEBALBtaS9EzaIMOfzlv5bkq+UGlS0tG26KklPlzWhQnuQjuO3TCRbcAeuYYAcOwyxV6t7pZPCWGAR/FY9J634CVbrnBk8mEU9aQGwR1y" +
    "mi8aIOZSjMy+qEUvwsdV/xPWGN2MHwJys6jtfHglnIf2UR6QkYpnXJSeDl5G+3myqDq+F8/agS2+bequ4yhqDBJgcmED88pYUYFGY2V6uNwCB032+T9DPePavQZ+zPgeptMiVp3TlCniClscey6TDl" +
    "0wH/0/Iwylx3j6McKZCBYg11DYDydJE9z1OZTQFUaKS99kOt/nguOS+rYVKqWvj2W4ojyYkhkNYggl+rM9dNf2hXLDcAAAADZ2l0AAAAAAAAAAZzaGE1MTIAAAEUAAAADHJzYS1zaGEyLTUxMgAAAQ" +
    "BLGEsxNgcnZjoxdvKXy1HFUMKOnk72+lKaeRlnhQoXprT8GzlP+wgl/LAiUDx/QclIjBS4D+L2fod+ZWO4w3r0fCIXwklGCSzHgOujJg4g7tgDMwj7e081JUxEJ4GCcJh84GJYcomvBE3VGH5Jc0N6" +
    "QuYxjhbYpBiixNsB8A2bGqXwA1cM7GKW0DcOKz7DOMUAsGWsP5sgFMEyWYIsSH7IcLvoQcTE9DUQ1PwYjoi6bexEAY75eQr+avVwKtPZLYHKj26OllHnMoywN7fSqlOGnHrDGyr4TfDH+NSYKmOiWc" +
    "1eIbjgzbXAv4rNQ/cQDqevM2ESe1ztyqaL3tNqszeF",
};

const armoured = (base64: string) =>
  `-----BEGIN SSH SIGNATURE-----\n${base64.match(/.{1,70}/g)?.join("\n")}\n-----END SSH SIGNATURE-----\n`;

function parse(base64: string): SshSignature {
  const parsed = parseSshSignature(armoured(base64));
  if (parsed === null) {
    throw new Error("This is a signature");
  }
  return parsed;
}

describe.each(Object.entries(made))("a signature by %s", (_, base64) => {
  test("holds for what was signed and nothing else", () => {
    const parsed = parse(base64);
    expect(parsed).toMatchObject({ namespace: "git", hash: "sha512" });
    expect(parsed.fingerprint).toStartWith("SHA256:");
    expect(verifySshSignature(parsed, text)).toBe(true);
    expect(verifySshSignature(parsed, "some text")).toBe(false);
    expect(verifySshSignature(parsed, "other text\n")).toBe(false);
  });

  test("does not hold with any bit of it changed, in another namespace, or as another algorithm's", () => {
    const parsed = parse(base64);
    for (let at = 0; at < parsed.signature.length; at += 7) {
      const signature = Buffer.from(parsed.signature);
      signature.writeUInt8(signature.readUInt8(at) ^ 1, at);
      expect(verifySshSignature({ ...parsed, signature }, text)).toBe(false);
    }
    expect(verifySshSignature({ ...parsed, namespace: "file" }, text)).toBe(false);
    for (const other of Object.values(made).filter((one) => one !== base64)) {
      expect(verifySshSignature({ ...parsed, publicKey: parse(other).publicKey }, text)).toBe(false);
    }
  });
});

test("what is no signature is read as none, wherever it is cut off or changed", () => {
  const bytes = Buffer.from(made.Ed25519, "base64");
  expect(parseSshSignature("-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----")).toBe(null);
  expect(parseSshSignature(made.Ed25519)).toBe(null);
  for (let length = 0; length < bytes.length; length++) {
    const cut = parseSshSignature(armoured(bytes.subarray(0, length).toString("base64")));
    expect(cut !== null && verifySshSignature(cut, text)).toBe(false);
  }
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x80, at);
    const parsed = parseSshSignature(armoured(changed.toString("base64")));
    expect(parsed !== null && verifySshSignature(parsed, text)).toBe(false);
  }
});

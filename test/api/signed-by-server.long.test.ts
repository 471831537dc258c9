import { afterAll, describe, test } from "bun:test";
import { hasGpg, SigningHome, type SshKind } from "../support/signing-home.ts";
import { runThoroughly } from "../support/thorough.ts";

/** Commits that the server makes, signed with the kinds of keys that signed-by-server.test.ts leaves out. */

await runThoroughly(import.meta.resolve("./signed-by-server.test.ts"));

const home = await SigningHome.make();
afterAll(() => home[Symbol.dispose]());

if (!hasGpg) {
  console.warn("LEFT OUT: commits signed with OpenPGP, because gpg is not installed");
}

describe("with an SSH key", () => {
  test.each<SshKind>([
    { what: "ECDSA", name: "ecdsa", type: ["ecdsa", "-b", "256"], format: "sha1", locked: false },
    {
      what: "ECDSA on the largest curve",
      name: "ecdsa-521",
      type: ["ecdsa", "-b", "521"],
      format: "sha1",
      locked: false,
    },
    { what: "RSA in PEM", name: "rsa", type: ["rsa", "-b", "2048", "-m", "PEM"], format: "sha1", locked: false },
  ])("of the kind $what", async (kind) => {
    await home.expectSshSigns(kind);
  });
});

describe.if(hasGpg)("with an OpenPGP key", () => {
  test("of the kind RSA with a passphrase, in SHA-256", async () => {
    await home.expectGpgSigns({ name: "gpg-rsa", algorithm: "rsa2048", format: "sha256", locked: true });
  });
});

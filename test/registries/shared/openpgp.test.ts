import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { makeOpenPgpPair, openPgpSigner } from "../../../src/registries/shared/openpgp.ts";
import { missingPrograms, runProgram, ScratchDirectory, tryProgram } from "./run-program.ts";

const isMissing = missingPrograms("signatures of registries", ["gpg", "gpgv", "sqv"]);
const scratch = new ScratchDirectory();
afterAll(() => scratch[Symbol.dispose]());
const at = (name: string) => join(scratch.path, name);
const pair = await makeOpenPgpPair("Debian Registry");
const text = "Origin: Stithy\nSHA256:\n 00 12 main/binary-amd64/Packages\n- a dash\n";
const other = text.replace("12", "13");

await Bun.write(at("key.asc"), pair.publicKey);
await Bun.write(at("text"), text);
await Bun.write(at("other"), other);

describe.skipIf(isMissing)("a pair of a registry", () => {
  const gpgv = (...files: string[]) =>
    tryProgram(["gpgv", "--keyring", at("key.gpg"), ...files.map(at)], { env: { HOME: scratch.path } });

  test("is RSA of 3072 bits that certifies and signs, without an end and without other keys", async () => {
    const command = ["gpg", "--homedir", scratch.path, "--with-colons", "--show-keys", at("key.asc")];
    const shown = (await runProgram(command)).split("\n").map((line) => line.split(":"));
    expect(shown.map(([kind]) => kind)).toEqual(["pub", "fpr", "uid", ""]);
    const [key, , user] = shown;
    // The kind of key, its bits, its algorithm, its end and what it is for.
    expect([key?.[2], key?.[3], key?.[6], key?.[11]]).toEqual(["3072", "1", "", "scSC"]);
    expect(user?.[9]).toBe("Debian Registry");
  });

  test("signs so that gpgv and sqv accept it, and nothing else with the same signature", async () => {
    await runProgram(["gpg", "--homedir", scratch.path, "--dearmor", "--output", at("key.gpg"), at("key.asc")]);
    const signer = await openPgpSigner(pair.secretKey);
    const bytes = Buffer.from(text);
    const armored = await signer.signArmored(bytes);
    expect(armored).toStartWith("-----BEGIN PGP SIGNATURE-----\n");
    expect(armored).not.toContain("\r");
    await Bun.write(at("armored"), armored);
    await Bun.write(at("binary"), await signer.signBinary(bytes));
    for (const signature of ["armored", "binary"]) {
      expect((await gpgv(signature, "text")).status).toBe(0);
      expect((await gpgv(signature, "other")).status).not.toBe(0);
      const sqv = ["sqv", "--keyring", at("key.asc"), at(signature)];
      expect((await tryProgram([...sqv, at("text")])).status).toBe(0);
      expect((await tryProgram([...sqv, at("other")])).status).not.toBe(0);
    }
  });

  test("clear-signs so that the text is read back as it was", async () => {
    const signer = await openPgpSigner(pair.secretKey);
    const signed = await signer.clearSign(text);
    expect(signed).toStartWith("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nOrigin: Stithy\n");
    await Bun.write(at("signed"), signed);
    await runProgram(["gpgv", "--keyring", at("key.gpg"), "--output", at("read"), at("signed")], {
      env: { HOME: scratch.path },
    });
    expect(await Bun.file(at("read")).text()).toBe(text);
    await Bun.write(at("forged"), signed.replace("00 12", "00 13"));
    expect((await gpgv("forged")).status).not.toBe(0);
  });
});

test("no two pairs are the same, and no secret half is in a public one", async () => {
  const second = await makeOpenPgpPair("Debian Registry");
  expect(second.publicKey).not.toBe(pair.publicKey);
  expect(pair.publicKey).not.toContain("PRIVATE");
});

import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { readRpm } from "../../../src/registries/rpm/read-rpm.ts";
import { signRpm } from "../../../src/registries/rpm/sign-rpm.ts";
import { makeOpenPgpPair, openPgpSigner } from "../../../src/registries/shared/openpgp.ts";
import { Scratch } from "../../support/git.ts";
import { makeRpm } from "./make-rpm.ts";
import { buildRpms, hasRpmTools, richSpec, runTool, tryTool } from "./rpm-tools.ts";

const there = hasRpmTools("signatures of rpm packages");
const limit = 1024 * 1024;
const noSignature = async () => new Uint8Array([1, 2, 3]);

async function signed(file: Blob, sign: (bytes: Uint8Array) => Promise<Uint8Array>): Promise<Blob> {
  const rpm = await readRpm(file, limit);
  const { head, package: told } = await signRpm(rpm, sign);
  const made = new Blob([Uint8Array.from(head), await file.slice(rpm.payloadStart).arrayBuffer()]);
  expect((await readRpm(made, limit)).package).toEqual(told);
  return made;
}

test("a signature takes the place of others, and the rest of the package stays", async () => {
  const tags = { 268: Buffer.from("old"), 1002: Buffer.from("old"), 1008: Buffer.alloc(4128), 1234: ["kept", "too"] };
  const before = await readRpm(new Blob([makeRpm({ signatureTags: tags })]), limit);
  const file = await signed(new Blob([makeRpm({ signatureTags: tags })]), noSignature);
  const after = await readRpm(file, limit);
  expect(after.package).toEqual({
    ...before.package,
    headerStart: after.package.headerStart,
    headerEnd: after.package.headerEnd,
  });
  expect(after.package.headerStart % 8).toBe(0);
  expect(after.signatures.entries().map(({ tag }) => tag)).toEqual([62, 268, 269, 273, 1000, 1004, 1007, 1234]);
  expect([...after.signatures.binary(268)!]).toEqual([1, 2, 3]);
  expect(after.signatures.texts(1234)).toEqual(["kept", "too"]);
  expect(after.main.bytes.equals(before.main.bytes)).toBe(true);
});

test("packages of rpm 6's own format are not signed, since their signatures stand elsewhere", async () => {
  const file = new Blob([makeRpm({ tags: { 5114: { numbers: [6] } } })]);
  await expect(signed(file, noSignature)).rejects.toThrow("only packages of the format 4 are signed here");
});

test.skipIf(!there)("rpmkeys finds the signatures good, and none but them", async () => {
  using scratch = new Scratch();
  const pair = await makeOpenPgpPair("RPM Registry");
  const { signBinary } = await openPgpSigner(pair.secretKey);
  const database = scratch.join("keys");
  mkdirSync(database);
  await Bun.write(scratch.join("key.asc"), pair.publicKey);
  await runTool(["rpmkeys", "--dbpath", database, "--import", scratch.join("key.asc")]);
  const path = scratch.join("signed.rpm");
  const check = () => tryTool(["rpmkeys", "--dbpath", database, "-Kv", path]);
  for (const built of [...(await buildRpms(scratch, "rich", richSpec)), null]) {
    const unsigned = built === null ? new Blob([makeRpm()]) : Bun.file(built);
    await Bun.write(path, unsigned);
    expect((await check()).text).not.toContain("Signature");
    const bytes = Buffer.from(await (await signed(unsigned, signBinary)).arrayBuffer());
    await Bun.write(path, bytes);
    const { status, text } = await check();
    expect(text).toMatch(/Header V4 RSA\/SHA512 Signature, key ID [0-9a-f]{8}: OK/);
    expect([status, /NOT|BAD/.test(text)]).toEqual([0, false]);
    bytes[bytes.length - 130]! ^= 1;
    await Bun.write(path, bytes);
    expect((await check()).status).not.toBe(0);
  }
});

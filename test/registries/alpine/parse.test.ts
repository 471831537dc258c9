import { expect, test } from "bun:test";
import { tarEnd, tarHeader, tarPadding } from "../../../src/registries/alpine/index.ts";
import { parseApk } from "../../../src/registries/alpine/parse.ts";
import { readTar } from "../../../src/registries/shared/tar.ts";
import { StithyError } from "../../../src/lib/errors.ts";
import { mutate } from "../../git/fuzz/mutate.ts";
import { randomFrom } from "../../support/random.ts";
import { makeApk } from "./make-apk.ts";

const limits = { entries: 100, bytes: 1_000_000, ratio: 100 };
const parse = (apk: Uint8Array) => parseApk(new Blob([new Uint8Array(apk)]), limits);

test.each(["1", "1.2.3", "1.2a", "1.0_rc1-r3", "1.0_alpha_p20200101", "2.12.1-r0", "0~20240101-r1", "1.2_git20240101"])(
  "the version %s is one",
  async (version) => {
    expect((await parse(makeApk({ version }))).version).toBe(version);
  },
);

test.each(["", "v1", "1.", "1-1", "1.0-r", "1_final", "1 2", "1.0-r1-r2", `1.${"0".repeat(200)}`])(
  "the version %s is none",
  async (version) => {
    await expect(parse(makeApk({ version }))).rejects.toThrow(StithyError);
  },
);

test("fields that come again have several values, and comments none", async () => {
  const { fields } = await parse(makeApk({ more: ["depend = a", "depend=b>1", "#depend = c", "provides =  x  "] }));
  expect(fields.get("depend")).toEqual(["a", "b>1"]);
  expect(fields.get("provides")).toEqual(["x"]);
});

test("what is written as tar is read as tar", async () => {
  async function* archive() {
    yield Buffer.concat([tarHeader("APKINDEX", 3), Buffer.from("abc"), tarPadding(3), tarEnd]);
  }
  for await (const entry of readTar(archive(), limits)) {
    expect(entry).toMatchObject({ path: "APKINDEX", kind: "file", size: 3, mode: 0o644 });
  }
});

test("two thousand damaged packages are refused with a reason, or are whole", async () => {
  const random = randomFrom(20_261_123);
  const seeds = [makeApk(), makeApk({ datahash: null, signature: null })];
  const told = { taken: 0, refused: 0 };
  for (let round = 0; round < 2000; round++) {
    try {
      await parse(mutate(random, seeds[round % 2] ?? new Uint8Array()));
      told.taken++;
    } catch (error) {
      if (!(error instanceof StithyError)) {
        throw error;
      }
      expect(["invalid", "malformed"]).toContain(error.kind);
      told.refused++;
    }
  }
  expect(told.taken).toBeGreaterThan(0);
  expect(told.refused).toBeGreaterThan(1000);
});

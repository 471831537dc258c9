import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomFrom } from "../../../test/support/random.ts";
import { releaseBytes } from "../../lib/release-bytes.ts";
import { spoolPack } from "./spool-pack.ts";

test("chunks may be released as soon as they are written, those apart that are a part of something", async () => {
  const content = randomFrom(1).bytes(3_000_000);
  const shared = content.slice(0, 200_000);
  const chunks = [
    shared.subarray(0, 100_000),
    content.slice(100_000, 900_000),
    content.slice(900_000, 900_001),
    content.slice(900_001, 1_500_000),
    content.slice(1_500_000),
  ];
  async function* given(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  const directory = await mkdtemp(join(tmpdir(), "stithy-spool-"));
  try {
    const path = join(directory, "received.pack");
    expect(await spoolPack(given(), path, { packBytes: content.length }, releaseBytes)).toBe(content.length);
    expect(Bun.hash(await Bun.file(path).bytes())).toBe(Bun.hash(content));
    expect(chunks.map(({ length }) => length)).toEqual([100_000, 0, 0, 0, 0]);
    expect(shared.length).toBe(200_000);
  } finally {
    await rm(directory, { recursive: true });
  }
});

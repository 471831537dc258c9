import { expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScratchDirectory } from "./scratch-directory.ts";

test("a directory goes with what is in it, and one that is gone already is no failure of the work", async () => {
  const parent = await mkdtemp(join(tmpdir(), "scratch-"));
  try {
    {
      await using scratch = await ScratchDirectory.make(parent);
      await Bun.write(join(scratch.path, "file"), "content");
    }
    expect(await readdir(parent)).toEqual([]);
    const gone = await ScratchDirectory.make(parent);
    await rm(gone.path, { recursive: true });
    await gone[Symbol.asyncDispose]();
    expect(await readdir(parent)).toEqual([]);
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
});

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyWorkingDirectories, WorkingDirectory } from "./working-directory.ts";

const parent = mkdtempSync(join(tmpdir(), "stithy-working-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test("what is in use stays when the others are removed, and goes when its user is done", async () => {
  {
    await using mine = await WorkingDirectory.open(parent, "command");
    writeFileSync(join(mine.path, "half.pack"), "half");
    // What a process that was killed left behind.
    mkdirSync(join(parent, "command-killed"));
    writeFileSync(join(parent, "command-killed", "half.pack"), "half");
    writeFileSync(join(parent, "command-killed.lock"), "");
    writeFileSync(join(parent, "push-1.pack"), "half");
    await emptyWorkingDirectories(parent);
    expect(
      readdirSync(parent)
        .map((name) => join(parent, name))
        .sort(),
    ).toEqual([mine.path, `${mine.path}.lock`]);
    expect(existsSync(join(mine.path, "half.pack"))).toBe(true);
  }
  expect(readdirSync(parent)).toEqual([]);
});

test("a directory that is not there is as good as empty", async () => {
  await emptyWorkingDirectories(join(parent, "missing"));
  await using made = await WorkingDirectory.open(join(parent, "missing"), "command");
  expect(existsSync(made.path)).toBe(true);
});

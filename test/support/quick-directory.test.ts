import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { mayRunPrograms, quickDirectory } from "./quick-directory.ts";

test("what a process left that is gone is removed, and what a living one uses is kept", async () => {
  const prefix = `stithy-quick-${crypto.randomUUID()}-`;
  // A run of all tests names another temporary folder.
  const own = quickDirectory(prefix, "/tmp");
  if (!own.startsWith("/dev/shm/")) {
    console.log("LEFT OUT: leftovers in memory: there is no room in /dev/shm");
    return;
  }
  const gone = Bun.spawn(["true"]);
  await gone.exited;
  const left = join(dirname(own), `${prefix}${gone.pid}-left`);
  mkdirSync(left);
  mkdirSync(`${own}used`);
  try {
    expect(quickDirectory(prefix, "/tmp")).toBe(own);
    expect([existsSync(left), existsSync(`${own}used`)]).toEqual([false, true]);
  } finally {
    rmSync(left, { recursive: true, force: true });
    rmSync(`${own}used`, { recursive: true, force: true });
  }
});

test("programs run in the temporary folder, and nothing is left of the trial", () => {
  const directory = mkdtempSync(join(tmpdir(), "stithy-quick-"));
  try {
    expect(mayRunPrograms(directory)).toBe(true);
    expect(readdirSync(directory)).toEqual([]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

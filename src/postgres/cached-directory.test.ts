import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileLock } from "../lib/file-lock.ts";
import { cachedDirectory, removeUnusedDirectories } from "./cached-directory.ts";

const root = mkdtempSync(join(tmpdir(), "stithy-test-"));
afterAll(() => rmSync(root, { recursive: true }));

let cache = "";
let path = "";
let filled = 0;

beforeEach(() => {
  cache = mkdtempSync(join(root, "cache-"));
  path = join(cache, "postgres-1");
  filled = 0;
});

async function fill(content: string): Promise<void> {
  filled += 1;
  mkdirSync(content);
  writeFileSync(join(content, "program"), `made ${filled}`);
}

/** A complete entry as a process left it that ended long ago. */
function leave(name: string, days: number): string {
  const entry = join(cache, name);
  mkdirSync(join(entry, "content"), { recursive: true });
  writeFileSync(join(entry, "size"), "0 entries, 0 bytes\n");
  age(entry, days);
  return entry;
}

function age(entry: string, days: number): void {
  const seconds = Date.now() / 1000 - days * 86_400;
  utimesSync(entry, seconds, seconds);
}

describe("a cached directory", () => {
  test("is filled once, also by those who ask at the same time", async () => {
    const both = await Promise.all([cachedDirectory(path, fill), cachedDirectory(path, fill)]);
    expect(both).toEqual([join(path, "content"), join(path, "content")]);
    const before = filled;
    await cachedDirectory(path, fill);
    expect(filled).toBe(before);
    expect(readdirSync(cache)).toEqual(["postgres-1"]);
  });

  for (const [what, damage] of [
    ["a file that is cut short", () => truncateSync(join(path, "content", "program"), 2)],
    ["a file that is missing", () => rmSync(join(path, "content", "program"))],
    ["no size", () => rmSync(join(path, "size"))],
    ["nothing in it", () => (rmSync(path, { recursive: true }), mkdirSync(path))],
  ] as const) {
    test(`with ${what} is made anew`, async () => {
      await cachedDirectory(path, fill);
      damage();
      const content = await cachedDirectory(path, fill);
      expect(readFileSync(join(content, "program"), "utf8")).toBe("made 2");
      expect(readdirSync(cache)).toEqual(["postgres-1"]);
    });
  }

  test("that cannot be filled leaves nothing", async () => {
    await expect(cachedDirectory(path, () => Promise.reject(new Error("no room")))).rejects.toThrow("no room");
    expect(readdirSync(cache)).toEqual([]);
  });
});

describe("what nobody has used for thirty days", () => {
  test("goes, and what is none of ours stays", async () => {
    const old = leave("cluster-old", 31);
    const young = leave("postgres-young", 29);
    const other = leave("something-else", 100);
    const unfinished = leave("cluster-x.unfinished-1", 2);
    const beingFilled = leave("cluster-y.unfinished-2", 0.5);
    expect(await removeUnusedDirectories(cache)).toBe(2);
    expect([old, young, other, unfinished, beingFilled].map((entry) => existsSync(entry))).toEqual([
      false,
      true,
      true,
      false,
      true,
    ]);
  });

  test("stays when it is asked for again", async () => {
    await cachedDirectory(path, fill);
    age(path, 31);
    await cachedDirectory(path, fill);
    expect(await removeUnusedDirectories(cache)).toBe(0);
    expect(filled).toBe(1);
  });

  test("stays while a process that runs for so long uses it", async () => {
    await cachedDirectory(path, fill);
    age(path, 31);
    expect(await removeUnusedDirectories(cache)).toBe(0);
    expect(existsSync(join(path, "content", "program"))).toBe(true);
  });

  test("is made anew by whoever asks while it is being removed", async () => {
    leave("postgres-1", 31);
    using _removing = FileLock.tryAcquire(join(path, "size"));
    await cachedDirectory(path, fill);
    expect(filled).toBe(1);
  });
});

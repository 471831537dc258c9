import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresUnavailable } from "./errors.ts";
import { isOurs, openCache, trustedCache } from "./trusted-directory.ts";

const root = mkdtempSync(join(tmpdir(), "stithy-trusted-"));
const isRoot = process.geteuid?.() === 0;
const nobody = 65_534;

afterAll(() => rmSync(root, { recursive: true, force: true }));

function directory(name: string, mode = 0o755): string {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
  return path;
}

test("a directory of one's own is used, and made if it is not there", () => {
  expect(trustedCache(join(root, "a", "cache"))).toBe(join(root, "a", "cache"));
  expect(isOurs(join(root, "a", "cache"))).toBe(true);
});

test("one that all may write to is not, nor is what lies below it", () => {
  const open = directory("open", 0o777);
  expect(isOurs(open)).toBe(false);
  expect(isOurs(directory("open/below"))).toBe(false);
  chmodSync(open, 0o1777);
  expect(isOurs(open)).toBe(false);
  // Where a name stays whose it is, what lies below is safe.
  expect(isOurs(directory("open/below"))).toBe(true);
});

test("a link to one counts as that", () => {
  const open = directory("target", 0o777);
  symlinkSync(open, join(root, "link"));
  expect(isOurs(join(root, "link"))).toBe(false);
});

test.if(isRoot)("one of another user is not, nor what lies below it", () => {
  const theirs = directory("theirs");
  chownSync(theirs, nobody, nobody);
  expect(isOurs(theirs)).toBe(false);
  const below = directory("theirs/cache");
  expect(isOurs(below)).toBe(false);
  expect(trustedCache(below)).not.toStartWith(theirs);
});

describe("the cache in the temporary folder", () => {
  const before = tmpdir();
  const folder = directory("temporary", 0o1777);
  const path = join(folder, `stithy-programs-${process.geteuid?.() ?? 0}`);
  const modeOf = (at: string): number => statSync(at).mode & 0o777;

  beforeAll(() => void (process.env["TMPDIR"] = folder));
  afterAll(() => void (process.env["TMPDIR"] = before));
  afterEach(() => rmSync(path, { recursive: true, force: true }));

  test("is opened to readers though the one who made it was killed before it came to that", () => {
    mkdirSync(path);
    chmodSync(path, 0o700);
    expect(openCache()).toBe(path);
    expect(modeOf(path)).toBe(0o755);
  });

  test("is refused where others could write to it, or where it is a link, whose target stays as it is", () => {
    mkdirSync(path);
    chmodSync(path, 0o777);
    expect(openCache).toThrow(PostgresUnavailable);
    rmSync(path, { recursive: true });
    const closed = directory("closed", 0o700);
    symlinkSync(closed, path);
    expect(openCache).toThrow(PostgresUnavailable);
    expect(modeOf(closed)).toBe(0o700);
  });
});

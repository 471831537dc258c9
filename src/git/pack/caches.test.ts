import { afterAll, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, readSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CorruptPack } from "./errors.ts";
import { ObjectCache } from "./object-cache.ts";
import { OidMap } from "./oid-map.ts";
import { WindowCache } from "./window-cache.ts";

const directory = mkdtempSync(join(tmpdir(), "stithy-caches-"));
afterAll(() => rmSync(directory, { recursive: true }));

test("windows hold the file's bytes, whatever was evicted", () => {
  const path = join(directory, "windows");
  const bytes = Buffer.alloc(3 * 1024 * 1024 + 17);
  for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(at >>> 0, Math.min(at, bytes.length - 4));
  writeFileSync(path, bytes);
  const descriptor = openSync(path, "r");
  const windows = new WindowCache(512 * 1024);
  const source = { id: 5, path, descriptor, packBytes: bytes.length };
  for (const offset of [0, 1_000_000, 3_000_000, 4, 1_000_000, bytes.length - 1, 262_143, 262_144]) {
    const window = windows.windowAt(source, offset);
    expect(window[offset - windows.windowStart(offset)]).toBe(bytes[offset]!);
  }
  truncateSync(path, 1000);
  windows.drop(source);
  expect(() => windows.windowAt(source, 500_000)).toThrow(CorruptPack);
  expect(readSync(descriptor, new Uint8Array(1), 0, 1, 0)).toBe(1);
  closeSync(descriptor);
  expect(() => windows.windowAt(source, 0)).toThrow(CorruptPack);
});

test("objects go oldest first, those that were used later, and large ones are never kept", () => {
  const cache = new ObjectCache(10_000);
  const object = { type: 3, bytes: new Uint8Array(850) } as const;
  for (let key = 0; key < 9; key++) cache.keep(key, object);
  expect(cache.find(0)).toBe(object);
  cache.keep(20, object);
  cache.keep(21, object);
  expect(cache.find(0)).toBe(object);
  expect(cache.find(1)).toBeNull();
  expect(cache.find(21)).toBe(object);
  cache.keep(30, { type: 3, bytes: new Uint8Array(2000) });
  expect(cache.find(30)).toBeNull();
  cache.drop(20, 22);
  expect(cache.find(21)).toBeNull();
  expect(cache.find(0)).toBe(object);
});

test("a map by oid grows, replaces, and tells strangers", () => {
  const map = new OidMap(20);
  const oid = new Uint8Array(24);
  for (let number = 0; number < 5000; number++) {
    new DataView(oid.buffer).setUint32(4 + 16, number);
    map.set(oid, 4, number);
  }
  // Those, too, with which it grew.
  for (let number = 0; number < 5000; number++) {
    new DataView(oid.buffer).setUint32(4 + 16, number);
    expect(map.get(oid, 4)).toBe(number);
  }
  map.set(oid, 4, 7);
  expect(map.get(oid, 4)).toBe(7);
  new DataView(oid.buffer).setUint32(4 + 16, 1234);
  expect(map.get(oid, 4)).toBe(1234);
  oid[4] = 1;
  expect(map.get(oid, 4)).toBe(-1);
  let visited = 0;
  map.forEach(() => visited++);
  expect(visited).toBe(5000);
});

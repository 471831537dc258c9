import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DiskRoom, StorageReadOnly } from "./disk-room.ts";
import { noteFull } from "../../../lib/files.ts";
import { silentLogger } from "../../../lib/log.ts";

const directory = mkdtempSync(join(tmpdir(), "stithy-test-"));
afterAll(() => rmSync(directory, { recursive: true }));

const MiB = 1024 * 1024;
const reserve = 4 * MiB;
const reserveFile = join(directory, "reserve");
const disk = { free: 100 * MiB, inodes: 1_000_000 };
const open = (bytes = reserve) => new DiskRoom(directory, bytes, silentLogger, () => ({ ...disk }));

test("a short disk gives the reserve up and takes no changes until there is room for it twice, after a restart, too", async () => {
  {
    using room = open();
    expect(room.hasRoom(true)).toBe(true);
    await room.keepReserve();
    expect(statSync(reserveFile).size).toBe(reserve);
    disk.free = 3 * MiB;
    expect(room.hasRoom(true)).toBe(true);
    disk.free = 2 * MiB - 1;
    expect(room.hasRoom(true)).toBe(false);
    expect(statSync(reserveFile).size).toBe(0);
    expect(() => room.demand()).toThrow(StorageReadOnly);
    await expect(room.check()).rejects.toBeInstanceOf(StorageReadOnly);
    disk.free = 7 * MiB;
    expect(room.hasRoom(true)).toBe(false);
    await room.keepReserve();
    expect(statSync(reserveFile).size).toBe(0);
  }
  using room = open();
  expect(room.hasRoom(true)).toBe(false);
  disk.free = 8 * MiB;
  expect(room.hasRoom(true)).toBe(true);
  room.demand();
  await room.check();
  // It has begun to make the reserve again by itself.
  await room.keepReserve();
  expect(statSync(reserveFile).size).toBe(reserve);
});

test("a start of the database gets a reserve of its own, and a megabyte is kept for the next one", async () => {
  const startFile = join(directory, "reserve-start");
  rmSync(startFile);
  disk.free = 100 * MiB;
  using room = open();
  await room.keepReserve();
  expect(statSync(startFile).size).toBe(36 * MiB);
  room.giveToDatabase();
  expect(statSync(startFile).size).toBe(36 * MiB);
  disk.free = 0;
  // Nothing else gets it.
  expect(room.hasRoom(true)).toBe(false);
  expect([statSync(reserveFile).size, statSync(startFile).size]).toEqual([0, 36 * MiB]);
  room.giveToDatabase();
  expect(statSync(startFile).size).toBe(0);
  await room.keepReserve();
  expect(statSync(startFile).size).toBe(MiB);
  disk.free = 100 * MiB;
  expect(room.hasRoom(true)).toBe(true);
  await room.keepReserve();
  expect([statSync(reserveFile).size, statSync(startFile).size]).toEqual([reserve, 36 * MiB]);
});

test("a disk without inodes is full; one that was too small for a reserve from the beginning is not", () => {
  rmSync(reserveFile);
  disk.free = 3 * MiB;
  using room = open();
  expect(room.hasRoom(true)).toBe(true);
  disk.inodes = 10;
  expect(room.hasRoom(true)).toBe(false);
  disk.inodes = 1_000_000;
  disk.free = 100 * MiB;
  expect(room.hasRoom(true)).toBe(true);
});

test("without a reserve nothing is refused, and after a write that found no room the check tries one", async () => {
  disk.free = 0;
  using room = open(0);
  expect(room.hasRoom(true)).toBe(true);
  await room.check();
  noteFull();
  await room.check();
  expect(statSync(join(directory, "probe"), { throwIfNoEntry: false })).toBeUndefined();
  using gone = new DiskRoom(join(directory, "gone"), 0, silentLogger);
  await expect(gone.check()).rejects.toMatchObject({ code: "ENOENT" });
  expect(room.explainShortage()).toContain(directory);
});

import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { collectPacks } from "../../src/domain/git/packs/collect-packs.ts";
import { packPath } from "../../src/domain/git/packs/pack-path.ts";
import { knownPacks, removeRetiredPacks } from "../../src/domain/git/packs/queries.ts";
import { discardPack } from "../../src/git/pack/staged-pack.ts";
import { silentLogger, type Logger } from "../../src/lib/log.ts";
import { Scratch, mustGit } from "../support/git.ts";
import { useTestApp } from "../support/test-app.ts";

/** What a crash or a refused push leaves among the packs goes after a while, and only that. */

const app = await useTestApp();
const alice = await app.user("alice");
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

const { packDirectory } = app.forge.files;
const filesIn = (shard: string) => readdirSync(join(packDirectory, shard)).sort();
const twoHoursAgo = Date.now() / 1000 - 7200;

/** Copies a pack and its index to another name, as if a crash had kept the row that refers to them from being written. */
function orphan(of: string, checksum: string, seconds: number): void {
  mkdirSync(join(packDirectory, checksum.slice(0, 2)), { recursive: true });
  for (const ending of ["pack", "idx"]) {
    const path = join(packDirectory, checksum.slice(0, 2), `${checksum}.${ending}`);
    copyFileSync(`${of}.${ending}`, path);
    utimesSync(path, seconds, seconds);
  }
}

test("old packs that nothing refers to are removed; young ones, and those that something refers to, stay", async () => {
  const url = `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/site.git`;
  await app.repository(alice, "site");
  await mustGit(scratch.path, ["init", "-q", "-b", "main", "work"]);
  await mustGit(scratch.join("work"), ["commit", "-q", "--allow-empty", "-m", "first"]);
  await mustGit(scratch.join("work"), ["push", "-q", url, "main"]);
  const [shard = ""] = readdirSync(packDirectory);
  const known = filesIn(shard);
  const pushed = join(packDirectory, shard, known[0]?.replace(/\.\w+$/, "") ?? "");
  for (const ending of ["pack", "idx"]) {
    utimesSync(`${pushed}.${ending}`, twoHoursAgo, twoHoursAgo);
  }
  orphan(pushed, "0a".repeat(20), twoHoursAgo);
  orphan(pushed, "0b".repeat(20), Date.now() / 1000);
  for (const checksum of ["0a", "0b"]) {
    writeFileSync(join(packDirectory, checksum, `${checksum.repeat(20)}.reach`), "derived");
  }
  // A crash between the two renames of a push leaves an index alone.
  for (const [checksum, seconds] of [
    ["0c", twoHoursAgo],
    ["0d", Date.now() / 1000],
  ] as const) {
    orphan(pushed, checksum.repeat(20), seconds);
    rmSync(join(packDirectory, checksum, `${checksum.repeat(20)}.pack`));
  }

  for (const [name, seconds] of [
    ["old", twoHoursAgo],
    ["young", Date.now() / 1000],
  ] as const) {
    writeFileSync(join(packDirectory, "0a", `${name}.spilled`), "part of a file");
    utimesSync(join(packDirectory, "0a", `${name}.spilled`), seconds, seconds);
  }

  expect(await collectPacks(app.forge.database.db, packDirectory, silentLogger, { uptimeMs: Infinity })).toBe(2);

  expect(filesIn(shard)).toEqual(known);
  expect(filesIn("0a")).toEqual(["young.spilled"]);
  expect(filesIn("0b")).toEqual(["idx", "pack", "reach"].map((ending) => `${"0b".repeat(20)}.${ending}`));
  expect(filesIn("0c")).toEqual([]);
  expect(filesIn("0d")).toEqual([`${"0d".repeat(20)}.idx`]);
  await mustGit(scratch.path, ["clone", "-q", url, "clone"]);
});

/** What the log got at level error. */
function errorLog() {
  const messages: string[] = [];
  return {
    messages,
    log: { ...silentLogger, error: (_: unknown, text: string) => void messages.push(text) } as Logger,
  };
}

const checksums = () => {
  const names = readdirSync(packDirectory, { recursive: true }).map((name) => basename(String(name)));
  return names.filter((name) => name.endsWith(".pack")).map((name) => name.slice(0, -".pack".length));
};
const countPacks = () => checksums().length;

describe("packs that the database does not know", () => {
  const count = 150;
  const checksumAt = (index: number) => index.toString(16).padStart(40, "e");
  const { db } = app.forge.database;

  test("all stay, with an error that names the command, when they are more than a hundred and a tenth", async () => {
    const [pushed = ""] = [...(await knownPacks(db, checksums()))].map((one) => packPath(packDirectory, one));
    for (let index = 0; index < count; index++) {
      orphan(pushed.replace(/\.pack$/, ""), checksumAt(index), twoHoursAgo);
    }
    const before = countPacks();
    const { log, messages } = errorLog();
    expect(await collectPacks(db, packDirectory, log, { uptimeMs: Infinity })).toBe(0);
    expect(countPacks()).toBe(before);
    expect(messages).toEqual([
      expect.stringMatching(/^150 of \d+ packs are not in the database, and none of them was removed/),
    ]);
    expect(messages[0]).toContain('"stithy admin remove-unknown-files"');
  });

  test("all stay in the first hour of a process, however few they are", async () => {
    for (let index = 20; index < count; index++) {
      await discardPack(join(packDirectory, "ee", `${checksumAt(index)}.pack`));
    }
    const before = countPacks();
    const { log, messages } = errorLog();
    expect(await collectPacks(db, packDirectory, log, { uptimeMs: 3_599_000 })).toBe(0);
    expect([countPacks(), messages]).toEqual([before, []]);
    expect(await collectPacks(db, packDirectory, log, { uptimeMs: 3_600_000 })).toBe(20);
    expect([countPacks(), messages]).toEqual([before - 20, []]);
  });

  test("a pack that was retired goes in the first hour, too; a crash in between leaves its row to the next pass", async () => {
    await app.repository(alice, "going");
    const work = scratch.join("work");
    await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "only there"]);
    const url = `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/going.git`;
    await mustGit(work, ["push", "-q", url, "main"]);
    const before = countPacks();
    const retired = async () => [
      ...(await app.forge.database.sql`select checksum from pack where retired_at is not null`),
    ];
    expect((await alice.api.delete("/repos/alice/going")).status).toBe(204);
    expect(await retired()).toHaveLength(1);
    const { log, messages } = errorLog();
    expect(await collectPacks(db, packDirectory, log)).toBe(0);
    expect(countPacks()).toBe(before);
    await app.forge.database
      .sql`update pack set retired_at = retired_at - interval '1 hour' where retired_at is not null`;
    const killed = removeRetiredPacks(db, 0, async (checksum) => {
      await discardPack(packPath(packDirectory, checksum));
      throw new Error("killed");
    });
    await expect(killed).rejects.toThrow("killed");
    expect([countPacks(), await retired()]).toEqual([before - 1, [expect.anything()]]);
    expect(await collectPacks(db, packDirectory, log)).toBe(1);
    expect([countPacks(), await retired(), messages]).toEqual([before - 1, [], []]);
  });

  test("a retired pack that is pushed once more is nobody's to remove", async () => {
    const collect = () => collectPacks(db, packDirectory, silentLogger, { graceMs: -1, uptimeMs: Infinity });
    await collect();
    await app.repository(alice, "again");
    const url = `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/again.git`;
    await mustGit(scratch.join("work"), ["push", "-q", url, "main"]);
    expect((await alice.api.delete("/repos/alice/again")).status).toBe(204);
    await app.repository(alice, "again");
    await mustGit(scratch.join("work"), ["push", "-q", url, "main"]);
    expect(await collect()).toBe(0);
    await mustGit(scratch.path, ["clone", "-q", url, "again"]);
  });
});

import { afterAll, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collectPacks } from "../../src/domain/packs/collect-packs.ts";
import { Scratch, mustGit } from "../support/git.ts";
import { useTestApp } from "../support/test-app.ts";

/** What a crash or a refused push leaves among the packs goes after a while, and only that. */

const app = await useTestApp();
const alice = await app.user("alice");
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

const { packDirectory } = app.forge;
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
  for (const [checksum, seconds] of [["0c", twoHoursAgo], ["0d", Date.now() / 1000]] as const) {
    orphan(pushed, checksum.repeat(20), seconds);
    rmSync(join(packDirectory, checksum, `${checksum.repeat(20)}.pack`));
  }

  for (const [name, seconds] of [["old", twoHoursAgo], ["young", Date.now() / 1000]] as const) {
    writeFileSync(join(packDirectory, "0a", `${name}.spilled`), "part of a file");
    utimesSync(join(packDirectory, "0a", `${name}.spilled`), seconds, seconds);
  }

  expect(await collectPacks(app.forge.database.db, packDirectory)).toBe(2);

  expect(filesIn(shard)).toEqual(known);
  expect(filesIn("0a")).toEqual(["young.spilled"]);
  expect(filesIn("0b")).toEqual(["idx", "pack", "reach"].map((ending) => `${"0b".repeat(20)}.${ending}`));
  expect(filesIn("0c")).toEqual([]);
  expect(filesIn("0d")).toEqual([`${"0d".repeat(20)}.idx`]);
  await mustGit(scratch.path, ["clone", "-q", url, "clone"]);
});

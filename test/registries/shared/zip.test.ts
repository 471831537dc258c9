import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readSmall } from "../../../src/registries/shared/inflate.ts";
import { readZip } from "../../../src/registries/shared/zip.ts";
import { randomFrom } from "../../support/random.ts";
import { readDamaged, said } from "./damage.ts";
import { makeZip } from "./make-archive.ts";
import { runProgram, ScratchDirectory } from "./run-program.ts";

const limits = { entries: 1000, bytes: 512 * 1024 * 1024, ratio: 200 };

async function list(file: Blob, most = limits): Promise<[string, string, string][]> {
  const found: [string, string, string][] = [];
  for await (const { path, kind, content } of readZip(file, most)) {
    found.push([path, kind, (await readSmall(content(), { path, limit: 64 * 1024 })).toString()]);
  }
  return found;
}

async function listNames(file: Blob): Promise<string[]> {
  return (await Array.fromAsync(readZip(file, limits))).map(({ path }) => path);
}

const blob = (bytes: Uint8Array): Blob => new Blob([new Uint8Array(bytes)]);

describe("readZip", () => {
  test("reads what zip writes", async () => {
    using scratch = new ScratchDirectory();
    mkdirSync(join(scratch.path, "in/dir"), { recursive: true });
    writeFileSync(join(scratch.path, "in/dir/ä.txt"), "umlaut");
    writeFileSync(join(scratch.path, "in/many.txt"), "x".repeat(30_000));
    symlinkSync("many.txt", join(scratch.path, "in/link"));
    await runProgram(["zip", "-q", "-r", "-y", "../out.zip", "."], {
      cwd: join(scratch.path, "in"),
      env: { LC_ALL: "C.UTF-8" },
    });
    const found = await list(Bun.file(join(scratch.path, "out.zip")));
    expect(found.toSorted()).toEqual([
      ["dir/", "directory", ""],
      ["dir/ä.txt", "file", "umlaut"],
      ["link", "link", "many.txt"],
      ["many.txt", "file", "x".repeat(30_000)],
    ]);
  });

  test("reads a directory of many entries", async () => {
    const entries = Array.from({ length: 900 }, (_, at) => ({
      path: `${"folder/".repeat(20)}${at}`,
      content: `${at}`,
    }));
    const found = await list(blob(makeZip(entries)));
    expect(found).toHaveLength(900);
    expect(found[899]?.[2]).toBe("899");
  });

  test("reads a part of a file", async () => {
    using scratch = new ScratchDirectory();
    const path = join(scratch.path, "file");
    const zip = makeZip([{ path: "a", content: "1", method: "stored" }]);
    writeFileSync(path, Buffer.concat([zip, Buffer.from("behind")]));
    expect(await list(Bun.file(path).slice(0, zip.length))).toEqual([["a", "file", "1"]]);
  });

  test("refuses what is no archive or is cut off", async () => {
    const whole = makeZip([{ path: "a", content: "1" }]);
    for (const bytes of [Buffer.alloc(0), Buffer.from("no zip"), whole.subarray(0, -1), whole.subarray(10)]) {
      expect(await said(list(blob(bytes)))).toContain("no zip archive");
    }
  });

  test("refuses paths that lead out of it", async () => {
    for (const path of ["../a", "a/../../b", "/etc/passwd", "..", "C:/a", "a\\..\\b"]) {
      await said(list(blob(makeZip([{ path }]))));
    }
  });

  test("refuses contents that are not what the directory says", async () => {
    const content = "y".repeat(5000);
    for (const wrong of [{ size: 4999 }, { size: 5001 }, { crc: 1 }, { crc: 1, method: "stored" as const }]) {
      await said(list(blob(makeZip([{ path: "a", content, ...wrong }]))));
    }
  });

  test("refuses encryption", async () => {
    expect(await said(list(blob(makeZip([{ path: "a", content: "1", flags: 1 }]))))).toContain("is encrypted");
  });

  test("refuses more entries or bytes than allowed", async () => {
    const entries = Array.from({ length: 5 }, (_, at) => ({ path: `${at}`, content: "z".repeat(1000) }));
    expect(await list(blob(makeZip(entries)), { ...limits, entries: 5, bytes: 5000 })).toHaveLength(5);
    expect(await said(list(blob(makeZip(entries)), { ...limits, entries: 4 }))).toContain("more than 4 entries");
    expect(await said(list(blob(makeZip(entries)), { ...limits, bytes: 4999 }))).toContain("more than 4999 bytes");
  });

  test("refuses a bomb, and one whose entries share their bytes, before it unpacks them", async () => {
    const content = Buffer.alloc(65 * 1024 * 1024);
    const bomb = makeZip([{ path: "a", content }]);
    expect(await said(list(blob(bomb)))).toContain("more than 200 times");
    const piece = content.subarray(0, 1024 * 1024);
    const sharing = Array.from({ length: 70 }, (_, at) => ({
      path: `${at}`,
      content: piece,
      ...(at > 0 ? { at: 0 } : {}),
    }));
    expect(await said(listNames(blob(makeZip(sharing))))).toContain("more than 200 times");
  });

  test("throws what reading the file throws", async () => {
    const missing = Bun.file("/nowhere/at/all.zip").slice(0, 1000);
    await expect(list(missing)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("reads or refuses whatever is damaged", async () => {
    const zip = makeZip([
      { path: "a", content: "1".repeat(600) },
      { path: "b/" },
      { path: "c", content: randomFrom(1).bytes(100), method: "stored" },
    ]);
    const refused = await readDamaged(zip, (bytes) => list(blob(bytes)), 1000);
    expect(refused).toBeGreaterThan(500);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashObject } from "../objects/hash-object.ts";
import { sha1 } from "../objects/object-format.ts";
import { ObjectType } from "../objects/object-type.ts";
import { EngineCaches } from "../odb/engine-caches.ts";
import { ObjectDatabase } from "../odb/object-database.ts";
import { writePack } from "../pack/write-pack.ts";
import { detectRenames, type RenameOptions } from "./detect-renames.ts";
import type { TreeChange } from "./tree-diff.ts";

const text = Buffer.from(Array.from({ length: 50 }, (_, line) => `line ${line}\n`).join(""));
const longer = Buffer.concat([text, Buffer.from("one more\n")]);
const oidOf = (bytes: Uint8Array): Uint8Array => hashObject(sha1, ObjectType.blob, bytes).slice();
const [textOid, longerOid] = [oidOf(text), oidOf(longer)];

let directory = "";
let odb: ObjectDatabase;
const caches = new EngineCaches(1 << 20);

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "stithy-renames-"));
  const blobs = [text, longer].map((bytes) => ({ type: ObjectType.blob, bytes }));
  odb = ObjectDatabase.open(sha1, [writePack(sha1, join(directory, "blobs.pack"), blobs).packPath], caches);
});

afterAll(() => {
  odb[Symbol.dispose]();
  caches[Symbol.dispose]();
  rmSync(directory, { recursive: true });
});

const removed = (path: string, oid = textOid, mode = 0o100644): TreeChange => ({
  path,
  before: { mode, oid },
  after: null,
});
const added = (path: string, oid = textOid, mode = 0o100644): TreeChange => ({
  path,
  before: null,
  after: { mode, oid },
});

function renames(changes: readonly TreeChange[], options: Partial<RenameOptions> = {}): string[] {
  const steps = detectRenames(odb, changes, { copies: "none", ...options });
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next();
  }
  return step.value
    .filter(({ status }) => status === "renamed")
    .map(({ before, after, similarity }) => `${before!.path} ${after!.path} ${similarity}`);
}

describe("detectRenames", () => {
  test("pairs a hundred thousand equal files without looking at all of them for each", () => {
    const numbers = Array.from({ length: 100_000 }, (_, number) => number);
    const found = renames([
      ...numbers.map((number) => removed(`a/x${number}`)),
      ...numbers.map((number) => added(`b/y${number}`)),
    ]);
    expect(found).toEqual(numbers.map((number) => `a/x${number} b/y${number} 100`));
  });

  test("takes the equal file with the same name, and none of another kind", () => {
    const changes = [
      removed("a/link", textOid, 0o120000),
      removed("a/one"),
      removed("a/two"),
      added("b/run", textOid, 0o100755),
      added("b/two"),
    ];
    expect(renames(changes)).toEqual(["a/one b/run 100", "a/two b/two 100"]);
    expect(renames([removed("a/link", textOid, 0o120000), added("b/link", textOid, 0o120000)])).toEqual([
      "a/link b/link 100",
    ]);
  });

  test("compares no files after the time that it has, but finds equal ones", () => {
    const changes = [removed("a/same"), removed("a/similar"), added("b/equal"), added("b/other", longerOid)];
    expect(renames(changes)).toEqual(["a/same b/equal 100", "a/similar b/other 97"]);
    expect(renames(changes, { until: performance.now() - 1 })).toEqual(["a/same b/equal 100"]);
  });
});

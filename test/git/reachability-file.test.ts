import { afterAll, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adoptLinks } from "../../src/git/graph/linked-closures.ts";
import { readReachability } from "../../src/git/graph/reachability-file.ts";
import { reachabilityPathOf } from "../../src/git/pack/pack-paths.ts";
import { RepositoryReader } from "../../src/git/graph/repository-reader.ts";
import { sha1 } from "../../src/git/objects/object-format.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { indexPack } from "../../src/git/index-pack/index-pack.ts";
import { Job } from "../../src/git/job/job.ts";
import { discardPack, publishPack } from "../../src/git/pack/staged-pack.ts";
import { indexReceivedPack } from "../../src/git/operations/index-received-pack.ts";
import { generateHistory } from "./generated-history.ts";

/** What a push learnt of its pack is kept beside it, used by readers, and nothing depends on it. */

const history = generateHistory(900);
const root = mkdtempSync(join(tmpdir(), "stithy-reach-"));
const caches = new EngineCaches(16 * 1024 * 1024);
afterAll(() => {
  caches[Symbol.dispose]();
  history[Symbol.dispose]();
  rmSync(root, { recursive: true, force: true });
});

const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");
const main = history.git("rev-parse", "main");
/** The history without its newest commits on main, and what those bring. */
const early = history.git("rev-parse", "main~30");
const as = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
/** Beside main: a commit with the tree of an old one, under an annotated tag. */
const side = history.git(...as, "commit-tree", "-m", "side", "-p", "main~200", "main~300^{tree}");
history.git(...as, "tag", "-a", "-m", "tagged", "v1", side);
const tips = [early, history.git("rev-parse", "v1"), history.git("rev-parse", "main~90")];
const limits = {
  objectBytes: 2 ** 30,
  totalInflatedBytes: 2 ** 34,
  inflationRatio: 10_000,
  objectCount: 1e6,
  deltaDepth: 4095,
};

let made = 0;
function received(...revisions: string[]): string {
  const path = join(root, `received-${++made}.pack`);
  const { stdout, exitCode } = Bun.spawnSync(["git", "pack-objects", "--revs", "--stdout", "-q"], {
    cwd: history.directory,
    stdin: Buffer.from(`${revisions.join("\n")}\n`),
  });
  expect(exitCode).toBe(0);
  writeFileSync(path, stdout);
  return path;
}

async function push(
  directory: string,
  packs: readonly string[],
  newTips: readonly string[],
  oldTips: readonly string[],
  path: string,
): Promise<string> {
  mkdirSync(directory, { recursive: true });
  const view = { key: `1:${packs.length}`, format: "sha1" as const, packs };
  const job = new Job("indexPack", null, () => {});
  const { pack } = await indexReceivedPack(
    view,
    { path, directory, newTips, oldTips, moves: [], limits, check: "none" },
    caches,
    job,
  );
  await publishPack(pack!);
  await discardPack(path);
  return pack!.finalPath;
}

function open(packs: readonly string[], previous: RepositoryReader | null = null): RepositoryReader {
  const reader = new RepositoryReader(ObjectDatabase.open(sha1, packs, caches));
  reader.inherit(previous);
  return reader;
}

/** The oids of a closure, and how many objects had to be read to find it. */
function closure(reader: RepositoryReader, of: readonly string[]): { oids: string[]; reads: number } {
  const { db } = reader;
  const { read } = db;
  let reads = 0;
  db.read = (position) => (reads++, read.call(db, position));
  const steps = reader.closures.of(of.map((hex) => db.findHex(hex)));
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next();
  }
  db.read = read;
  return { oids: [...step.value].map((position) => db.hexAt(position)).sort(), reads };
}

const expected = (of: readonly string[]): string[] =>
  lines(history.git("rev-list", "--objects", "--no-object-names", ...of)).sort();

const first = await push(join(root, "packs"), [], tips, [], received(...tips));

test("after the push of a whole repository, its closures are known without reading an object", () => {
  expect(existsSync(reachabilityPathOf(first))).toBe(true);
  using reader = open([first]);
  expect(reader.graph.table.positions.length).toBe(lines(history.git("rev-list", ...tips)).length);
  for (const of of [[early], tips]) {
    expect(closure(reader, of)).toEqual({ oids: expected(of), reads: 0 });
  }
  // Others take their commits from the file, and of trees what they need.
  const other = history.git("rev-parse", "main~60");
  expect(closure(reader, [other]).oids).toEqual(expected([other]));
  expect(lines(history.git("rev-list", "--parents", ...tips)).toSorted()).toEqual(
    [...reader.graph.table.positions]
      .map((position) =>
        [
          position,
          ...Array.from({ length: reader.graph.parentCount(position) }, (_, index) =>
            reader.graph.parentAt(position, index),
          ),
        ]
          .map((at) => reader.db.hexAt(at))
          .join(" "),
      )
      .toSorted(),
  );
});

test("what a checked pack's objects were found to name gives the same closures, whether or not all of it was written down", () => {
  const path = received(...tips);
  const { links } = indexPack({ format: sha1, path, limits, check: "strict" });
  const { named } = links!;
  expect(named.starts.filter((start) => start >= 0).length).toBeGreaterThan(100);
  for (const starts of [
    named.starts,
    named.starts.map((start, at) => (at % 2 === 0 ? -1 : start)),
    named.starts.map(() => -1),
  ]) {
    using reader = open([path]);
    const positions = tips.map((hex) => reader.db.findHex(hex));
    Array.from(
      adoptLinks(reader, { ...links!, named: { ...named, starts } }, [
        positions.slice(0, 1),
        positions.slice(1),
        positions,
      ]),
    );
    for (const of of [tips.slice(0, 1), tips.slice(1), tips]) {
      expect(closure(reader, of)).toEqual({ oids: expected(of), reads: 0 });
    }
  }
  rmSync(path);
  rmSync(path.replace(/pack$/, "idx"));
});

test("after more pushes, only what they brought is read, also where it was there already", async () => {
  const next = history.git("rev-parse", "main~10");
  // Not thin, and with objects that the first pack has too.
  const second = await push(join(root, "packs"), [first], [next], tips, received(next, "^main~40"));
  const third = await push(join(root, "packs"), [second, first], [main], [...tips, next], received(main, `^${next}`));
  expect([second, third].map((path) => existsSync(reachabilityPathOf(path)))).toEqual([false, false]);
  using earliest = open([first]);
  closure(earliest, tips);
  using earlier = open([second, first], earliest);
  const all = [main, next, ...tips];
  for (const previous of [null, earlier, earliest]) {
    using reader = open([third, second, first], previous);
    using unaided = new RepositoryReader(ObjectDatabase.open(sha1, [third, second, first], caches));
    const found = closure(reader, all);
    expect(found.oids).toEqual(expected(all));
    expect(found.reads).toBeLessThan(closure(unaided, all).reads / 3);
    for (const commit of lines(history.git("rev-list", main))) {
      const position = reader.db.findHex(commit);
      expect(reader.graph.treeOf(position)).toBe(unaided.graph.treeOf(position));
      expect(reader.graph.dateOf(position)).toBe(unaided.graph.dateOf(position));
    }
    const branch = history.git("rev-parse", "main~5");
    expect(closure(reader, [branch]).oids).toEqual(expected([branch]));
  }
  // Knowledge of other packs is not taken.
  using stranger = open([second, first], open([third, second, first]));
  expect(closure(stranger, [next]).oids).toEqual(expected([next]));
});

test("a file that is missing, damaged, cut off, of another version or of another pack is not used, and nothing is lost", () => {
  const copy = join(root, "damaged.pack");
  copyFileSync(first, copy);
  copyFileSync(first.replace(/pack$/, "idx"), copy.replace(/pack$/, "idx"));
  const whole = readFileSync(reachabilityPathOf(first));
  const rehashed = (change: (bytes: Buffer) => void): Buffer => {
    const bytes = Buffer.from(whole);
    change(bytes);
    bytes.writeBigUInt64LE(BigInt(Bun.hash.xxHash64(bytes.subarray(0, -8))), bytes.length - 8);
    return bytes;
  };
  const flipped = Array.from({ length: 40 }, (_, index) => {
    const bytes = Buffer.from(whole);
    bytes[Math.floor((index * (bytes.length - 1)) / 39)]! ^= 4;
    return bytes;
  });
  const bad = [
    null,
    Buffer.alloc(0),
    whole.subarray(0, 40),
    whole.subarray(0, -1),
    Buffer.concat([whole, Buffer.alloc(8)]),
    ...flipped,
    rehashed((bytes) => bytes.writeUInt32LE(2, 4)),
    rehashed((bytes) => bytes.writeUInt32LE(32, 8)),
    rehashed((bytes) => bytes.writeUInt32LE(bytes.readUInt32LE(12) - 32, 12)),
    rehashed((bytes) => (bytes[bytes.length - 9]! ^= 1)),
  ];
  for (const bytes of bad) {
    rmSync(reachabilityPathOf(copy), { force: true });
    if (bytes !== null) {
      writeFileSync(reachabilityPathOf(copy), bytes);
    }
    using reader = open([copy]);
    expect(readReachability(reader.db.packs[0]!)).toBeNull();
    expect(reader.graph.table.positions.length).toBe(0);
  }
  using reader = open([copy]);
  const found = closure(reader, tips);
  expect(found.oids).toEqual(expected(tips));
  expect(found.reads).toBeGreaterThan(100);
  writeFileSync(reachabilityPathOf(copy), whole);
  expect(readReachability(reader.db.packs[0]!)).not.toBeNull();
});

test("the same pack pushed twice at once leaves one whole file and nothing half done; small pushes leave none", async () => {
  const directory = join(root, "twice");
  const pack = received(...tips);
  const again = join(root, "received-again.pack");
  copyFileSync(pack, again);
  const [one, two] = await Promise.all([pack, again].map((path) => push(directory, [], tips, [], path)));
  expect(one).toBe(two!);
  using reader = open([one!]);
  expect(closure(reader, tips)).toEqual({ oids: expected(tips), reads: 0 });
  const root0 = lines(history.git("rev-list", "--max-parents=0", "main"))[0]!;
  const small = await push(join(root, "small"), [], [root0], [], received(root0));
  expect(existsSync(reachabilityPathOf(small))).toBe(false);
  expect(readdirSync(root).filter((name) => name.startsWith("received"))).toEqual([]);
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkConnectivity } from "../../src/git/graph/check-connectivity.ts";
import { Bitset } from "../../src/git/graph/bitset.ts";
import { commitsBetween } from "../../src/git/graph/commits-between.ts";
import { isFastForward } from "../../src/git/graph/reachability.ts";
import { RepositoryReader } from "../../src/git/graph/repository-reader.ts";
import { selectObjects } from "../../src/git/graph/select-objects.ts";
import { sha1 } from "../../src/git/objects/object-format.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { MissingObject, ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { RecipeNotes, sendRecipe } from "../../src/git/transport/pack-recipe.ts";
import { writeSelection } from "../../src/git/transport/write-selection.ts";
import { OffsetMemory } from "../../src/git/transport/written-offsets.ts";
import { git } from "./transport-server.ts";

/*
 * A history made at random, against what git says of it: merges of anything, dates that go backwards, trees that come
 * back, many entries in one folder. It has more commits than the graph's arrays start with.
 */
const commits = 700;
let root = "";
let path = "";
const caches = new EngineCaches(32 * 1024 * 1024);
let reader: RepositoryReader;
let oids: string[] = [];

let seed = 42;
function random(below: number): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

function gather(chunks: Iterable<Uint8Array>): Buffer {
  return Buffer.concat(Array.from(chunks, (chunk) => chunk.slice()));
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "stithy-history-"));
  path = join(root, "bare");
  await git(root, "init", "-q", "--bare", "-b", "main", path);
  const script: string[] = [];
  for (let number = 1; number <= commits; number++) {
    const date = 1_700_000_000 + number * 60 - (random(10) === 0 ? random(60_000) : 0);
    script.push(
      `commit refs/heads/b${number}`,
      `mark :${number}`,
      `committer C <c@example.org> ${date} +0000`,
      "data 1",
      "m",
    );
    if (number > 1 && random(40) > 0) {
      script.push(`from :${Math.max(1, number - 1 - random(random(4) === 0 ? 60 : 3))}`);
      if (random(5) === 0) {
        script.push(`merge :${1 + random(number - 1)}`);
      }
    }
    for (let change = random(4); change >= 0; change--) {
      const name = ["wide/f", "a/b/c/f", "f", "a/f"][random(4)]! + random(60);
      if (random(6) === 0) {
        script.push(`D ${name}`);
      } else {
        const text = `content ${random(200)}`;
        script.push(`M 100644 inline ${name}`, `data ${text.length}`, text);
      }
    }
  }
  script.push("done", "");
  const child = Bun.spawn(["git", "fast-import", "--quiet", "--done", "--export-marks=marks"], {
    cwd: path,
    stdin: new Blob([script.join("\n")]),
  });
  expect(await child.exited).toBe(0);
  const marks = await Bun.file(join(path, "marks")).text();
  oids = marks
    .trim()
    .split("\n")
    .map((line) => line.split(" "))
    .sort((left, right) => Number(left[0]!.slice(1)) - Number(right[0]!.slice(1)))
    .map((line) => line[1]!);
  await git(path, "repack", "-adq");
  // A second pack holds part of it again, with other deltas: bases of the first lie in this one and the other way round.
  const again = Bun.spawn(["git", "pack-objects", "-q", "--revs", "--window=3", "--depth=5", "objects/pack/pack"], {
    cwd: path,
    stdin: new Blob([oids.slice(0, 400).join("\n")]),
    stdout: "ignore",
  });
  expect(await again.exited).toBe(0);
  const packs = readdirSync(join(path, "objects/pack"))
    .filter((name) => name.endsWith(".pack"))
    .map((name) => join(path, "objects/pack", name));
  reader = new RepositoryReader(ObjectDatabase.open(sha1, packs, caches));
});

afterAll(() => {
  reader[Symbol.dispose]();
  caches[Symbol.dispose]();
  rmSync(root, { recursive: true, force: true });
});

function run<Result>(steps: Generator<unknown, Result>): Result {
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next();
  }
  return step.value;
}

const pick = (count: number): string[] => Array.from({ length: count }, () => oids[random(commits)]!);
const at = (hexes: readonly string[]): number[] => hexes.map((hex) => reader.db.findHex(hex));

async function revList(...args: string[]): Promise<Set<string>> {
  return new Set(
    (await git(path, "rev-list", ...args))
      .split("\n")
      .filter(Boolean)
      .map((line) => line.slice(0, 40)),
  );
}

describe("a history made at random", () => {
  test("the closure of some tips is what git lists", async () => {
    for (let round = 0; round < 6; round++) {
      // Each holds the tips before it, so that closures are extended too.
      const tips = oids.slice(0, commits).filter((_, index) => index % 113 <= round);
      const closure = run(reader.closures.of(at(tips)));
      expect(new Set([...closure].map((position) => reader.db.hexAt(position)))).toEqual(
        await revList("--objects", ...tips),
      );
    }
  });

  test("the commits between are all that only the wants reach, and more only where dates lie", async () => {
    let excess = 0;
    let all = 0;
    for (let round = 0; round < 25; round++) {
      const [wants, haves] = [pick(1 + random(3)), pick(1 + random(3))];
      const found = run(commitsBetween(reader.graph, { from: at(wants), known: at(haves) })).commits.map((position) =>
        reader.db.hexAt(position),
      );
      // Not `--not`: where dates lie, git lists some commits of the haves too.
      const expected = (await revList(...wants)).difference(await revList(...haves));
      expect([...expected].filter((oid) => !found.includes(oid))).toEqual([]);
      expect(new Set(found).size).toBe(found.length);
      excess += found.length - expected.size;
      all += expected.size;
    }
    expect(excess).toBeLessThan(all / 4);
  });

  test("what is selected for a fetch is all that the haves do not reach, and deltas build on what the client holds", async () => {
    for (let round = 0; round < 12; round++) {
      const [wants, haves] = [pick(2), pick(2)];
      const selection = run(
        selectObjects(reader, { wants: at(wants), haves: at(haves), boundary: null, knownBoundary: null }),
      );
      const [wanted, held] = [await revList("--objects", ...wants), await revList("--objects", ...haves)];
      const sent = new Set([...selection.objects].map((position) => reader.db.hexAt(position)));
      expect([...wanted].filter((oid) => !held.has(oid) && !sent.has(oid))).toEqual([]);
      expect([...sent].filter((oid) => !wanted.has(oid))).toEqual([]);
      expect([...selection.known!].filter((position) => !held.has(reader.db.hexAt(position)))).toEqual([]);
      expect(selection.count).toBe(sent.size);
    }
  });

  test("the packs written are what git completes and finds whole", async () => {
    expect(reader.db.packs.length).toBe(2);
    for (const [round, options] of [
      { ofsDelta: true, thin: true },
      { ofsDelta: false, thin: true },
      { ofsDelta: true, thin: false },
      { ofsDelta: false, thin: false },
    ].entries()) {
      const [wants, haves] = [pick(2), pick(1)];
      const client = join(root, `client-${round}`);
      await git(root, "init", "-q", "--bare", client);
      await git(
        client,
        "fetch",
        "-q",
        path,
        ...haves.map((oid) => `refs/heads/b${oids.indexOf(oid) + 1}:refs/heads/have-${oids.indexOf(oid)}`),
      );
      const selection = run(
        selectObjects(reader, { wants: at(wants), haves: at(haves), boundary: null, knownBoundary: null }),
      );
      using notes = new RecipeNotes(reader.db.packs);
      const pack = gather(
        writeSelection(reader.db, selection, { sideband: 0, pieceBytes: () => 8192, ...options, notes }),
      );
      expect(gather(sendRecipe(reader.db, notes.finish()!, 0, () => 20_000)).equals(pack)).toBe(true);
      const child = Bun.spawn(["git", "index-pack", "--stdin", "--strict", ...(options.thin ? ["--fix-thin"] : [])], {
        cwd: client,
        stdin: pack,
        stdout: "ignore",
        stderr: "pipe",
      });
      expect(await child.stderr.text()).toBe("");
      expect(await git(client, "rev-list", "--objects", ...wants)).toBe(
        await git(path, "rev-list", "--objects", ...wants),
      );
    }
  });

  test("packs for those who have nothing are whole, however their entries stand together in the stored ones", async () => {
    for (let round = 0; round < 8; round++) {
      const wants = round === 0 ? oids : pick(1 + (round % 3));
      const client = join(root, `new-client-${round}`);
      await git(root, "init", "-q", "--bare", client);
      const selection = run(
        selectObjects(reader, { wants: at(wants), haves: [], boundary: null, knownBoundary: null }),
      );
      let piece = 512;
      const pieceBytes = (): number => (piece = piece > 100_000 ? 512 : piece * 2);
      // Once in four there is no memory for where objects start.
      const offsets = new OffsetMemory(round % 4 === 3 ? 0 : 16 * 1024 * 1024);
      using notes = new RecipeNotes(reader.db.packs);
      const pack = gather(
        writeSelection(reader.db, selection, {
          sideband: 0,
          pieceBytes,
          ofsDelta: true,
          thin: round % 2 === 0,
          offsets,
          notes,
        }),
      );
      expect(gather(sendRecipe(reader.db, notes.finish()!, 0, pieceBytes)).equals(pack)).toBe(true);
      const child = Bun.spawn(["git", "index-pack", "--stdin", "--strict"], {
        cwd: client,
        stdin: pack,
        stdout: "ignore",
        stderr: "pipe",
      });
      expect(await child.stderr.text()).toBe("");
      expect(await git(client, "rev-list", "--objects", ...wants)).toBe(
        await git(path, "rev-list", "--objects", ...wants),
      );
    }
  });

  test("packs are whole where objects are too large to be held, and where their bases are", async () => {
    // As a push leaves it: deltas by oid, their bases behind them.
    const thin = Bun.spawn(["git", "pack-objects", "-q", "--thin", "--revs", "--stdout"], {
      cwd: path,
      stdin: new Blob([[...oids.slice(500), ...oids.slice(0, 500).map((oid) => `^${oid}`)].join("\n")]),
    });
    const completed = join(root, "completed.pack");
    const indexing = Bun.spawn(["git", "index-pack", "--stdin", "--fix-thin", completed], {
      cwd: path,
      stdin: await thin.stdout.bytes(),
      stdout: "ignore",
    });
    expect(await indexing.exited).toBe(0);
    const packs = [completed, ...reader.db.packs.map((pack) => pack.path)];
    using whole = new RepositoryReader(ObjectDatabase.open(sha1, packs, caches));
    for (const [round, largeBytes] of [0, 40, 300, 0, 300].entries()) {
      using own = new EngineCaches(1e6, 1e6, largeBytes);
      using db = ObjectDatabase.open(sha1, packs, own);
      const wants = round % 3 === 0 ? oids : pick(3);
      const client = join(root, `large-client-${round}`);
      await git(root, "init", "-q", "--bare", client);
      const positions = wants.map((oid) => db.findHex(oid));
      // A history without parents, as at depth 1: most deltas are on what is not sent.
      const boundary = round < 2 ? null : new Bitset(db.size);
      positions.forEach((position) => boundary?.add(position));
      const selection = run(selectObjects(whole, { wants: positions, haves: [], boundary, knownBoundary: null }));
      const pack = gather(
        writeSelection(db, selection, { sideband: 0, pieceBytes: () => 512, ofsDelta: round !== 1, thin: false }),
      );
      const child = Bun.spawn(["git", "index-pack", "--stdin"], {
        cwd: client,
        stdin: pack,
        stdout: "ignore",
        stderr: "pipe",
      });
      expect(await child.stderr.text()).toBe("");
      const listed = async (repository: string): Promise<string[]> =>
        (await git(repository, "rev-list", "--objects", ...(boundary === null ? [] : ["--no-walk"]), ...wants))
          .split("\n")
          .toSorted();
      expect(await listed(client)).toEqual(await listed(path));
    }
  });

  test("many clones of one state at once, some ahead of others, are equal and take the memory of one", () => {
    const { objects, count } = run(
      selectObjects(reader, { wants: at(oids), haves: [], boundary: null, knownBoundary: null }),
    );
    const selection = { objects, count, known: null, origins: new Map<number, number>() };
    const offsets = new OffsetMemory(4 * reader.db.size);
    const write = (piece: number) =>
      writeSelection(reader.db, selection, {
        sideband: 0,
        pieceBytes: () => piece,
        ofsDelta: true,
        thin: false,
        offsets,
      });
    const clones = Array.from({ length: 50 }, (_, number) => ({
      steps: write(512 << (number % 6)),
      hash: new Bun.CryptoHasher("sha1"),
      bytes: 0,
    }));
    for (let going = clones; going.length > 0;) {
      going = going.filter((clone) => {
        const { value, done } = clone.steps.next();
        if (done !== true) {
          clone.hash.update(value);
          clone.bytes += value.length;
        }
        return done !== true;
      });
    }
    expect(new Set(clones.map(({ bytes }) => bytes)).size).toBe(1);
    expect(new Set(clones.map(({ hash }) => hash.digest("hex"))).size).toBe(1);
    expect(offsets.open(count, reader.db.size, null).areKnown).toBe(true);
    // By oid, bases take more than the distance to them.
    const without = [
      ...writeSelection(reader.db, selection, {
        sideband: 0,
        pieceBytes: () => 8192,
        ofsDelta: true,
        thin: false,
        offsets,
      }),
    ];
    expect(without.reduce((sum, chunk) => sum + chunk.length, 0)).toBeGreaterThan(clones[0]?.bytes ?? 0);
  });

  test("fast-forward is what git merge-base says", async () => {
    for (let round = 0; round < 15; round++) {
      const [from, to] = [oids[random(200)]!, oids[commits - 1 - random(200)]!];
      const base = await git(path, "merge-base", "--is-ancestor", from, to).then(
        () => true,
        () => false,
      );
      expect(isFastForward(reader.graph, reader.db.findHex(from), reader.db.findHex(to))).toBe(base);
    }
  });

  test("connectivity finds each missing kind of object, wherever it lies", async () => {
    const tip = oids[commits - 1]!;
    const old = oids[commits - 200]!;
    const fresh = [...(await revList("--objects", tip)).difference(await revList("--objects", old))];
    expect(run(checkConnectivity(reader, [tip, old], [old]))).toEqual(
      [tip, old].map((oid) => ({ oid, type: 1, peeled: null })),
    );
    const { db } = reader;
    for (const kind of [1, 2, 3]) {
      const missing = fresh.find((oid) => oid !== tip && db.typeAt(db.findHex(oid)) === kind);
      expect(missing).toBeString();
      const without = Object.create(db, {
        find: {
          value: (oid: Uint8Array, from = 0) =>
            Buffer.from(oid.subarray(from, from + 20)).toString("hex") === missing ? -1 : db.find(oid, from),
        },
      }) as ObjectDatabase;
      let error: unknown;
      try {
        run(checkConnectivity(new RepositoryReader(without), [tip], [old]));
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(MissingObject);
      expect((error as MissingObject).oid).toBe(missing!);
    }
  });
});

import { linkSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashObject } from "../../../../src/git/objects/hash-object.ts";
import { sha1 } from "../../../../src/git/objects/object-format.ts";
import { ObjectType } from "../../../../src/git/objects/object-type.ts";
import { bytesToHex } from "../../../../src/git/objects/oid.ts";
import { EngineCaches } from "../../../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../../../src/git/odb/object-database.ts";
import { encodeDelta } from "../../../../src/git/pack/delta-encode.ts";
import { CorruptPack, PackRejected } from "../../../../src/git/pack/errors.ts";
import { indexPack } from "../../../../src/git/index-pack/index-pack.ts";
import type { IndexedPack } from "../../../../src/git/pack/indexed-pack.ts";
import { EntryKind } from "../../../../src/git/pack/pack-entry.ts";
import type { PackLimits } from "../../../../src/git/pack/pack-limits.ts";
import { readChecked } from "../../../../src/git/pack/read-checked.ts";
import type { SeededRandom } from "../../../support/random.ts";
import { generateHistory } from "../../generated-history.ts";
import { GitFixture } from "../../git-fixture.ts";
import { rawPack, sealed, type RawEntry } from "../../raw-pack.ts";
import { expectSame, WrongAnswer, type FuzzTarget, type Verdict } from "../fuzz-target.ts";
import { mutate } from "../mutate.ts";

const limits: PackLimits = {
  objectBytes: 1e6,
  totalInflatedBytes: 2e7,
  inflationRatio: 100,
  deltaDepth: 50,
  objectCount: 10_000,
};

const texts = Array.from({ length: 12 }, (_, version) =>
  Buffer.from(
    Array.from(
      { length: 20 + version },
      (_unused, line) => `line ${line}${line % 5 === version % 5 ? ` of version ${version}` : ""}\n`,
    ).join(""),
  ),
);
const textOids = texts.map((text) => hashObject(sha1, ObjectType.blob, text));

/** Entries of every kind, good ones among bad ones, in any order. */
function oddEntries(random: SeededRandom): RawEntry[] {
  return Array.from({ length: 1 + random.below(8) }, (_, at): RawEntry => {
    const from = random.below(texts.length);
    const to = random.below(texts.length);
    const change = encodeDelta(texts[from]!, texts[to]!, 1e6)!;
    const data = random.below(5) === 0 ? mutate(random, change) : change;
    const lie = random.below(20) === 0 ? { size: random.below(2 ** random.below(40)) } : {};
    switch (random.below(4)) {
      case 0:
        return { kind: EntryKind.refDelta, data, baseOid: textOids[random.below(8) === 0 ? to : from]!, ...lie };
      case 1:
        return at === 0 || random.below(6) === 0
          ? { kind: EntryKind.ofsDelta, data, distance: 1 + random.below(300), ...lie }
          : { kind: EntryKind.ofsDelta, data, base: random.below(at), ...lie };
      case 2:
        return {
          kind: ([1, 2, 3, 4] as const)[random.below(4)]!,
          data: random.below(2) === 0 ? texts[to]! : random.bytes(random.below(60)),
          ...lie,
        };
      default:
        return { kind: ObjectType.blob, data: texts[from]!, ...lie };
    }
  });
}

/**
 * Whole packs as a push brings them. What is taken must be what its oids say, and git must make the same index of it;
 * what is refused git must refuse, too, but for the rules where we are stricter. `askGitEvery`: git takes its time.
 */
export function pack(askGitEvery: number): FuzzTarget {
  const fixture = new GitFixture();
  const history = generateHistory(25);
  const caches = new EngineCaches(8 * 1024 * 1024);
  const bases = ObjectDatabase.open(sha1, history.packs, caches);
  const whole = readFileSync(history.packs[0]!);
  const thin = Buffer.from(
    Bun.spawnSync(["git", "pack-objects", "--stdout", "--revs", "--thin", "-q"], {
      cwd: history.directory,
      stdin: Buffer.from("b25\n^b12\n"),
    }).stdout,
  );
  const small = rawPack(
    texts.map((data, at) =>
      at % 3 === 0
        ? { kind: ObjectType.blob, data }
        : { kind: EntryKind.refDelta, data: encodeDelta(texts[at - 1]!, data, 1e6)!, baseOid: textOids[at - 1]! },
    ),
  );
  const seeds = [whole, thin, small, small];
  const directory = fixture.path("packs");
  mkdirSync(directory);
  const path = join(directory, "in.pack");
  let asked = 0;
  return {
    name: "pack",
    make(random) {
      if (random.below(3) === 0) {
        const bytes = rawPack(oddEntries(random), random.below(20) === 0 ? random.below(12) : undefined);
        return random.below(8) === 0 ? sealed(mutate(random, bytes.subarray(0, -20))) : bytes;
      }
      const seed = seeds[random.below(seeds.length)]!;
      return random.below(10) === 0 ? mutate(random, seed) : sealed(mutate(random, seed.subarray(0, -20)));
    },
    run(input): Verdict {
      writeFileSync(path, input);
      const ask = asked++ % askGitEvery === 0;
      const strict = (input.at(-1) ?? 0) % 2 === 0;
      // Half of them with hardly a blob that is held as a whole.
      const largeBlobBytes = (input.at(-2) ?? 0) % 2 === 0 ? 60 : 1_000_000;
      let indexed: IndexedPack;
      try {
        indexed = indexPack({ format: sha1, path, bases, limits, check: strict ? "strict" : "none", largeBlobBytes });
      } catch (error) {
        if (!(error instanceof PackRejected)) {
          throw error;
        }
        const stricter = error.reason === "duplicate" || error.reason === "too-large" || error.reason === "bad-object";
        if (ask && !stricter && gitTakes(fixture, history.directory, input)) {
          throw new WrongAnswer(`git takes what was refused: ${error.message}`);
        }
        return "refused";
      }
      checkTrueNames(path);
      if (ask) {
        const index = join(directory, "git.idx");
        fixture.git(directory, ["index-pack", "-o", index, path]);
        expectSame("The index", readFileSync(indexed.indexPath), readFileSync(index));
      }
      rmSync(indexed.indexPath);
      return "taken";
    },
    [Symbol.dispose]() {
      bases[Symbol.dispose]();
      caches[Symbol.dispose]();
      history[Symbol.dispose]();
      fixture[Symbol.dispose]();
    },
  };
}

function gitTakes(fixture: GitFixture, repository: string, bytes: Uint8Array): boolean {
  const before = new Set(readdirSync(join(repository, "objects", "pack")));
  const { exitCode } = fixture.tryGit(repository, ["index-pack", "--stdin", "--fix-thin"], bytes);
  for (const name of readdirSync(join(repository, "objects", "pack"))) {
    if (!before.has(name)) {
      rmSync(join(repository, "objects", "pack", name), { force: true });
    }
  }
  return exitCode === 0;
}

function checkTrueNames(path: string): void {
  using caches = new EngineCaches(4 * 1024 * 1024);
  using database = ObjectDatabase.open(sha1, [path], caches);
  for (let position = 0; position < database.size; position++) {
    const { type, bytes } = database.read(position);
    const name = bytesToHex(hashObject(sha1, type, bytes));
    if (
      name !== database.hexAt(position) ||
      database.sizeAt(position) !== bytes.length ||
      database.typeAt(position) !== type
    ) {
      throw new WrongAnswer(`The object ${database.hexAt(position)} has the bytes of ${name}`);
    }
  }
}

/** What a repository is made of, for targets that damage it. */
interface StoredPack extends Disposable {
  readonly path: string;
  readonly bytes: Buffer;
  readonly index: Buffer;
  /** Reads everything. Answers how many objects came out other than they are; throws CorruptPack. */
  read(): { wrong: string[]; damaged: number };
}

function storedPack(): StoredPack {
  const fixture = new GitFixture();
  const history = generateHistory(25);
  const directory = fixture.path("stored");
  mkdirSync(directory);
  const path = join(directory, "stored.pack");
  linkSync(history.packs[0]!, path);
  const index = readFileSync(history.packs[0]!.replace(/pack$/, "idx"));
  writeFileSync(path.replace(/pack$/, "idx"), index);
  const oids: Uint8Array[] = [];
  {
    using caches = new EngineCaches(1e6);
    using database = ObjectDatabase.open(sha1, [path], caches);
    for (let position = 0; position < database.size; position++) {
      oids.push(database.oidAt(position).slice());
    }
  }
  const bytes = readFileSync(path);
  return {
    path,
    bytes,
    index,
    read() {
      using caches = new EngineCaches(1e6);
      using database = ObjectDatabase.open(sha1, [path], caches);
      const wrong: string[] = [];
      let damaged = 0;
      for (const oid of oids) {
        const position = database.find(oid);
        if (position >= 0) {
          try {
            const { type, bytes: content } = database.read(position);
            if (Buffer.compare(hashObject(sha1, type, content), oid) !== 0) {
              wrong.push(bytesToHex(oid));
            }
            database.typeAt(position);
            database.sizeAt(position);
          } catch (error) {
            damaged +=
              error instanceof Error && "code" in error && error.code === "corrupt-pack" ? 1 : unexpected(error);
          }
        }
      }
      const [{ order }] = database.packs as [(typeof database.packs)[number]];
      order.endOf(12);
      return { wrong, damaged };
    },
    [Symbol.dispose]() {
      history[Symbol.dispose]();
      fixture[Symbol.dispose]();
    },
  };
}

async function isIntact(path: string, checksum: string): Promise<boolean> {
  try {
    for await (const _ of readChecked(path, sha1, checksum));
    return true;
  } catch (error) {
    return error instanceof CorruptPack ? false : unexpected(error);
  }
}

function unexpected(error: unknown): never {
  throw error;
}

/** An index that is damaged on disk, its checksum with it (then it is not to be used), or made right again (then only nothing may break). */
export function packIndex(): FuzzTarget {
  const stored = storedPack();
  return {
    name: "pack-index",
    make(random) {
      return random.below(2) === 0
        ? sealed(mutate(random, stored.index.subarray(0, -20)))
        : mutate(random, stored.index);
    },
    run(input): Verdict {
      writeFileSync(stored.path.replace(/pack$/, "idx"), input);
      const { wrong } = stored.read();
      const intact = input.length > 20 && Buffer.compare(sealed(input.subarray(0, -20)), input) === 0;
      if (wrong.length > 0 && !intact) {
        throw new WrongAnswer(`A damaged index leads to wrong bytes for ${wrong.join(" ")}`);
      }
      return "taken";
    },
    [Symbol.dispose]: () => stored[Symbol.dispose](),
  };
}

/**
 * A pack that is damaged on disk while its index is whole. What is inflated has a checksum of its own, but the header of
 * an entry has none: as in git, only reading the whole pack tells, which is what is asked of it here.
 */
export function damagedPack(): FuzzTarget {
  const stored = storedPack();
  rmSync(stored.path);
  const name = bytesToHex(stored.bytes.subarray(-20));
  return {
    name: "damaged-pack",
    make: (random) => Buffer.concat([mutate(random, stored.bytes.subarray(0, -20)), stored.bytes.subarray(-20)]),
    async run(input): Promise<Verdict> {
      writeFileSync(stored.path, input);
      const same = stored.bytes.equals(input);
      if ((await isIntact(stored.path, name)) !== same) {
        throw new WrongAnswer("Reading all of a damaged pack does not tell");
      }
      const { damaged } = stored.read();
      return damaged > 0 ? "refused" : "taken";
    },
    [Symbol.dispose]: () => stored[Symbol.dispose](),
  };
}

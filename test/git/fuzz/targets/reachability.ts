import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readReachability, writeReachability } from "../../../../src/git/graph/reachability-file.ts";
import { reachabilityPathOf } from "../../../../src/git/pack/pack-paths.ts";
import { RepositoryReader } from "../../../../src/git/graph/repository-reader.ts";
import { sha1 } from "../../../../src/git/objects/object-format.ts";
import { EngineCaches } from "../../../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../../../src/git/odb/object-database.ts";
import { generateHistory } from "../../generated-history.ts";
import { GitFixture } from "../../git-fixture.ts";
import { expectSame, WrongAnswer, type FuzzTarget, type Verdict } from "../fuzz-target.ts";
import { mutate } from "../mutate.ts";

/** The file beside a pack, damaged: it is passed over, or says what it said. One with a right checksum must not break anything either. */
export function reachability(): FuzzTarget {
  const fixture = new GitFixture();
  const history = generateHistory(60);
  const directory = fixture.path("stored");
  mkdirSync(directory);
  const path = join(directory, "stored.pack");
  for (const ending of ["pack", "idx"]) {
    linkSync(history.packs[0]!.replace(/pack$/, ending), path.replace(/pack$/, ending));
  }
  const caches = new EngineCaches(4 * 1024 * 1024);
  const reader = new RepositoryReader(ObjectDatabase.open(sha1, [path], caches), true);
  const main = reader.db.findHex(history.git("rev-parse", "main"));
  const steps = reader.closures.of([main]);
  while (steps.next().done !== true);
  const [pack] = reader.db.packs as [(typeof reader.db.packs)[number]];
  const good = Buffer.from(writeReachability(pack, { commits: reader.graph.table, closures: reader.closures.kept }));
  if (readReachability(pack) !== null) {
    throw new WrongAnswer("There is a file already");
  }
  const withHash = (content: Uint8Array): Buffer => {
    const hash = Buffer.alloc(8);
    hash.writeBigUInt64LE(BigInt(Bun.hash.xxHash64(content)));
    return Buffer.concat([content, hash]);
  };
  return {
    name: "reach",
    make: (random) => (random.below(3) === 0 ? withHash(mutate(random, good.subarray(0, -8))) : mutate(random, good)),
    run(input): Verdict {
      writeFileSync(reachabilityPathOf(path), input);
      const found = readReachability(pack);
      const sound = input.length > 8 && withHash(input.subarray(0, -8)).equals(input);
      if (found !== null && !sound) {
        expectSame("What a damaged file says", Buffer.from(writeReachability(pack, found)), good);
      }
      return found === null ? "refused" : "taken";
    },
    [Symbol.dispose]() {
      reader[Symbol.dispose]();
      caches[Symbol.dispose]();
      history[Symbol.dispose]();
      fixture[Symbol.dispose]();
    },
  };
}

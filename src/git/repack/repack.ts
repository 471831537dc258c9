import { writeFileSync } from "node:fs";
import { writeReachability } from "../graph/reachability-file.ts";
import { reachabilityPathOf } from "../pack/pack-paths.ts";
import { RepositoryReader } from "../graph/repository-reader.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { MissingObject, ObjectDatabase } from "../odb/object-database.ts";
import type { IndexedPack } from "../pack/indexed-pack.ts";
import { DeltaSpool } from "./delta-spool.ts";
import { listOthers, listReachable } from "./list-objects.ts";
import { PackList, Source } from "./pack-list.ts";
import { reuseEntries } from "./reuse-entries.ts";
import { searchDeltas } from "./search-deltas.ts";
import { writeList } from "./write-list.ts";

/**
 * Where deltas come from. `stored`: entries are copied, only what cannot be is compared anew. `search`: stored deltas
 * stay, and bases are looked for for everything that is stored whole. `new`: all deltas are looked for anew.
 */
export type DeltaChoice = "stored" | "search" | "new";

export interface RepackOptions {
  /** oids that refs point to, first the one that will most often be cloned alone; null: the packs are put together as they are */
  readonly tips: readonly string[] | null;
  /** of what `tips` do not reach, what these reach is kept (oids that are not there are passed over); null: all of it */
  readonly keep: readonly string[] | null;
  readonly deltas: DeltaChoice;
  /** a name for a file that is not complete yet, ending in `.pack`, new at each call */
  readonly temporaryPath: () => string;
  readonly step: (phase: RepackPhase, done: number, total: number) => void;
}

export type RepackPhase = "counting" | "comparing" | "writing" | "checking";

export interface Repacked {
  /** First the one with all that the tips reach, then, if there is anything else to keep, one with that. */
  readonly packs: readonly IndexedPack[];
  /** objects that are in none of them */
  readonly dropped: number;
  /** deltas that were found, and those that were copied */
  readonly newDeltas: number;
  readonly storedDeltas: number;
}

const window = 10;
const maxDepth = 50;

/**
 * Puts the objects of some packs into one new pack, or into two where refs do not reach everything: one that is exactly
 * what a clone gets, and one with the rest. With `tips`, `packs` are all packs of a repository, and what the refs reach is
 * walked again in the new pack alone before anybody relies on it; what that finds out is left beside it.
 * The files are complete and fsynced under temporary names. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function repack(db: ObjectDatabase, caches: EngineCaches, options: RepackOptions): Repacked {
  const lists = makeLists(db, options);
  const written = lists.filter(({ count }) => count > 0).map((list) => ({ list, pack: writePack(list, options) }));
  const first = written[0];
  if (options.tips !== null && first !== undefined && first.list === lists[0]) {
    leaveReachability(first.pack, options.tips, db, caches, options);
  }
  const kept = lists.reduce((sum, { count }) => sum + count, 0);
  return {
    packs: written.map(({ pack }) => pack),
    dropped: countObjects(db) - kept,
    newDeltas: countSources(lists, Source.newDelta),
    storedDeltas: countSources(lists, Source.delta),
  };
}

function makeLists(db: ObjectDatabase, options: RepackOptions): PackList[] {
  const { tips, keep, step } = options;
  if (tips === null) {
    return [listOthers(new PackList(db), () => true)];
  }
  const reader = new RepositoryReader(db, true);
  reader.inherit(null);
  const list = run(listReachable(reader, positionsOf(db, tips)), () => step("counting", 0, db.size));
  if (keep === null) {
    return [list, listOthers(list, () => true)];
  }
  const known = keep.map((hex) => db.findHex(hex)).filter((position) => position >= 0 && !list.has(position));
  if (known.length === 0) {
    return [list];
  }
  const kept = run(listReachable(reader, known), () => step("counting", 0, db.size));
  return [list, listOthers(list, (position) => kept.has(position))];
}

/** Positions of oids that are all there. Throws MissingObject. */
function positionsOf(db: ObjectDatabase, tips: readonly string[]): number[] {
  return tips.map((hex) => {
    const position = db.findHex(hex);
    if (position < 0) {
      throw new MissingObject(hex);
    }
    return position;
  });
}

function writePack(list: PackList, { deltas, temporaryPath, step }: RepackOptions): IndexedPack {
  const path = temporaryPath();
  reuseEntries(list, { maxDepth, deltas: deltas !== "new" });
  using spool = new DeltaSpool(path.replace(/\.pack$/, ".deltas"));
  const found = searchDeltas(list, spool, {
    window,
    maxDepth,
    all: deltas !== "stored",
    onProgress: (done, total) => step("comparing", done, total),
  });
  return writeList(list, path, spool, found, (done) => step("writing", done, list.count));
}

/** Walks the new pack alone: it has to hold all that the tips reach. The file with what was found lies beside it. */
function leaveReachability(
  pack: IndexedPack,
  tips: readonly string[],
  { format }: ObjectDatabase,
  caches: EngineCaches,
  { step }: RepackOptions,
): void {
  const db = ObjectDatabase.open(format, [pack.packPath], caches);
  {
    using reader = new RepositoryReader(db, true);
    const positions = positionsOf(db, tips);
    for (const some of [positions.slice(0, 1), positions]) {
      run(reader.closures.of(some), () => step("checking", 0, pack.objectCount));
    }
    const bytes = writeReachability(db.packs[0]!, { commits: reader.graph.table, closures: reader.closures.kept });
    writeFileSync(reachabilityPathOf(pack.packPath), bytes, { mode: 0o600 });
  }
  caches.dropPack(pack.packPath);
}

function countObjects(db: ObjectDatabase): number {
  let count = db.packs[0]?.entryCount ?? 0;
  for (let position = count; position < db.size; position++) {
    count += Number(db.canonical(position) === position);
  }
  return count;
}

function countSources(lists: readonly PackList[], source: number): number {
  return lists.reduce((sum, list) => sum + list.sources.reduce((count, one) => count + Number(one === source), 0), 0);
}

/** Runs steps to their end, with a look at each. */
function run<Result>(steps: Generator<unknown, Result>, look: () => void): Result {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) {
      return step.value;
    }
    look();
  }
}

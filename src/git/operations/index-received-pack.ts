import { statSync, writeFileSync } from "node:fs";
import { checkPathLengths } from "../graph/check-path-lengths.ts";
import { checkConnectivity, checkLinkedTips, type Brought } from "../graph/check-connectivity.ts";
import { isFastForward } from "../graph/reachability.ts";
import { writeReachability } from "../graph/reachability-file.ts";
import { reachabilityPathOf } from "../pack/pack-paths.ts";
import { RepositoryReader } from "../graph/repository-reader.ts";
import type { NamedFile } from "../objects/checked-files.ts";
import { objectFormat } from "../objects/object-format.ts";
import { ObjectType, typeName, type ObjectTypeName } from "../objects/object-type.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { ObjectDatabase } from "../odb/object-database.ts";
import { indexPack, type ReceivedPack } from "../index-pack/index-pack.ts";
import type { ContentLimits } from "../index-pack/content-limits.ts";
import type { QuietHistory } from "../index-pack/quiet-commits.ts";
import type { PackLimits } from "../pack/pack-limits.ts";
import type { PackLinks } from "../index-pack/link-counter.ts";
import { TooCostly } from "../job/errors.ts";
import type { Job } from "../job/job.ts";
import { discardPack, stagePack, type StagedPack } from "../pack/staged-pack.ts";
import type { RepositoryView } from "../job/repository-view.ts";

export interface IndexPackArgs {
  /** the received pack, fsynced, absolute, with a name that ends in `.pack`; null for a push without one */
  readonly path: string | null;
  /** where packs are published by and by (see `PackDestination.directory`) */
  readonly directory: string;
  /** hexadecimal oids that refs are to point to, first the one that will most often be cloned alone: all that they reach must be there */
  readonly newTips: readonly string[];
  /** oids that refs point to already */
  readonly oldTips: readonly string[];
  /**
   * How many packs at the front of the view came with the push, beside `path`. What the new tips reach then has to come
   * with it, or to be reached by `oldTips`. Left out, whatever lies in the packs counts as there.
   */
  readonly brought?: number;
  /** moves of refs of which the caller has to know whether they only add commits */
  readonly moves: readonly RefMove[];
  readonly limits: PackLimits;
  /** left out, texts may be as long as objects */
  readonly content?: ContentLimits;
  /** "strict": every object is checked as `git fsck --strict` does */
  readonly check: "strict" | "none";
  /** see IndexPackOptions */
  readonly awaitedFiles?: readonly NamedFile[];
}

export interface RefMove {
  readonly from: string;
  readonly to: string;
}

export interface IndexPackResult {
  /** where it was received; null when nothing was received, or a pack without objects */
  readonly pack: StagedPack | null;
  /** one for each of `newTips` */
  readonly tips: readonly { readonly oid: string; readonly type: ObjectTypeName; readonly peeled: string | null }[];
  /** one for each of `moves`: whether both are commits and `to` has `from` in its history */
  readonly fastForwards: readonly boolean[];
  /** null where a message of the commits that were received may name an issue */
  readonly quiet: QuietHistory | null;
  /** what is still awaited */
  readonly absentFiles: readonly NamedFile[];
}

/** How far the indexing of a pack is. */
export interface IndexProgress {
  readonly resolved: number;
  readonly objects: number;
}

/** From here on it is worth a file to know how a pack's objects hang together: finding out takes 5 ms for so many. */
const slowObjects = 1000;
/** A pack of a few bytes may stand for gigabytes, which take some seconds; more than a minute of them is no push of somebody's work. */
const leastBudgetMs = 60_000;
/** Beyond that a second for each MB: a fiftieth of the usual speed. */
const budgetBytesPerMs = 1000;
/** Trees within each other, beyond which paths are measured one by one. */
const mostDepth = 200;

/**
 * Takes in a received pack: names and checks its objects, completes it, checks that nothing is missing. It stays where it
 * was received, with its index beside it; when any of this fails, the files are removed.
 * Throws PackRejected, MissingObject, CorruptObject, CorruptPack, EngineCancelled.
 */
export async function indexReceivedPack(
  view: RepositoryView,
  args: IndexPackArgs,
  caches: EngineCaches,
  job: Job,
): Promise<IndexPackResult> {
  let pack: StagedPack | null = null;
  try {
    const received = args.path === null ? null : indexFile(view, args, args.path, job, caches);
    const kept = received !== null && received.objectCount > 0 ? received : null;
    const checked = check(view, args, kept, job, caches);
    // Behind everything that is written: who gave up before this leaves the files to us, who does so later finds them all.
    job.throwIfCancelled();
    pack = kept === null ? null : stagePack(kept, args.directory);
    const absentFiles = received === null ? (args.awaitedFiles ?? []) : received.absentFiles;
    return { pack, absentFiles, quiet: received?.quiet ?? null, ...checked };
  } finally {
    if (args.path !== null) {
      caches.dropPack(args.path);
      if (pack === null) {
        await discardPack(args.path);
      }
    }
  }
}

function indexFile(
  view: RepositoryView,
  args: IndexPackArgs,
  path: string,
  job: Job,
  caches: EngineCaches,
): ReceivedPack {
  const format = objectFormat(view.format);
  using bases = ObjectDatabase.open(format, view.packs, caches);
  return indexPack({
    format,
    path,
    bases,
    limits: args.limits,
    check: args.check,
    buffers: caches.indexing,
    ...(args.awaitedFiles === undefined ? {} : { awaitedFiles: args.awaitedFiles }),
    ...(args.content === undefined ? {} : { content: args.content }),
    onProgress: throttled(job, budgetOf(path)),
  });
}

function check(
  view: RepositoryView,
  args: IndexPackArgs,
  received: ReceivedPack | null,
  job: Job,
  caches: EngineCaches,
): Pick<IndexPackResult, "tips" | "fastForwards"> {
  const packs = received === null ? view.packs : [received.packPath, ...view.packs];
  using reader = new RepositoryReader(ObjectDatabase.open(objectFormat(view.format), packs, caches), true);
  const links = received?.links ?? null;
  const steps =
    links === null
      ? checkConnectivity(reader, args.newTips, args.oldTips, broughtBy(args, received, reader.db))
      : checkLinkedTips(reader, args.newTips, links);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    job.throwIfCancelled();
  }
  if (received !== null && args.content !== undefined && !hasShortPaths(received, args.content)) {
    for (const _ of checkPathLengths(reader.db, args.content.pathBytes)) {
      job.throwIfCancelled();
    }
  }
  const tips = step.value.map(({ oid, type, peeled }) => ({ oid, type: typeName(type), peeled }));
  const fastForwards = args.moves.map(({ from, to }) => {
    job.throwIfCancelled();
    const before = reader.db.findHex(from);
    const after = reader.db.findHex(to);
    return isCommit(reader.db, before) && isCommit(reader.db, after) && isFastForward(reader.graph, before, after);
  });
  // With nothing known before, all history was walked.
  if (packs.length === 1 && args.oldTips.length === 0 && args.newTips.length > 0 && reader.db.size >= slowObjects) {
    writeWhatWasLearnt(reader);
  }
  return { tips, fastForwards };
}

/**
 * Returns the objects of the push if they matter. The bases that a thin pack lacked are in it now, under the positions
 * that count.
 */
function broughtBy({ brought }: IndexPackArgs, received: ReceivedPack | null, db: ObjectDatabase): Brought | null {
  if (brought === undefined) {
    return null;
  }
  const bases = (received?.added ?? []).map((position) => db.canonical(db.startOf(1) + position));
  return { packs: brought + (received === null ? 0 : 1), bases };
}

/** Whether no path can be too long, as far as can be told without reading the trees again: they are not deep enough. */
function hasShortPaths({ links, longestName }: ReceivedPack, { pathBytes }: ContentLimits): boolean {
  const depth = links === null ? null : depthOf(links);
  return depth !== null && depth * (longestName + 1) <= pathBytes;
}

/** How many trees are at most within each other; null where that was not written down, or is more than some hundred. */
function depthOf({ types, named: { starts, lists, positions } }: PackLinks): number | null {
  const depths = new Uint8Array(types.length);
  const measure = (position: number, above: number): number | null => {
    const start = starts[position]!;
    if (start < 0 || above > mostDepth) {
      return null;
    }
    let depth = 0;
    for (let at = start + 1; at <= start + lists[start]!; at++) {
      const below = positions[lists[at]!]!;
      if (types[below] === ObjectType.tree) {
        const known = depths[below] || measure(below, above + 1);
        if (known === null) {
          return null;
        }
        depth = Math.max(depth, known);
      }
    }
    depths[position] = depth + 1;
    return depth + 1;
  };
  let deepest = 0;
  for (let position = 0; position < types.length; position++) {
    if (types[position] === ObjectType.tree && depths[position] === 0) {
      const depth = measure(position, 0);
      if (depth === null) {
        return null;
      }
      deepest = Math.max(deepest, depth);
    }
  }
  return deepest;
}

/** Beside the only pack there is. Derived: the push does not wait for the disk because of it, and is none the worse without it. */
function writeWhatWasLearnt({ db, graph, closures }: RepositoryReader): void {
  const pack = db.packs[0]!;
  try {
    writeFileSync(
      reachabilityPathOf(pack.path),
      writeReachability(pack, { commits: graph.table, closures: closures.kept }),
      { mode: 0o600 },
    );
  } catch {
    // Most likely the disk is full, which whatever has to be written will tell.
  }
}

function isCommit(odb: ObjectDatabase, position: number): boolean {
  return position >= 0 && odb.typeAt(position) === ObjectType.commit;
}

/** How long indexing a pack may take, ms: an index worker is somebody's all that time. */
function budgetOf(path: string): number {
  return leastBudgetMs + statSync(path).size / budgetBytesPerMs;
}

/** Tells of progress a few times a second. Stops the work when nobody waits for it, and when it takes longer than it may: TooCostly. */
function throttled(job: Job, budgetMs: number): (resolved: number, objects: number) => void {
  const began = performance.now();
  let last = began;
  return (resolved, objects) => {
    job.throwIfCancelled();
    const now = performance.now();
    if (now - began > budgetMs) {
      throw new TooCostly(job.name, Math.round(budgetMs));
    }
    if (now - last > 200) {
      last = now;
      const progress: IndexProgress = { resolved, objects };
      job.progress(progress);
    }
  };
}

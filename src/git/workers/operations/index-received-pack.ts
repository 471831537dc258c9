import { writeFileSync } from "node:fs";
import { checkConnectivity, checkLinkedTips } from "../../graph/check-connectivity.ts";
import { isFastForward } from "../../graph/reachability.ts";
import { reachabilityPath, writeReachability } from "../../graph/reachability-file.ts";
import { RepositoryReader } from "../../graph/repository-reader.ts";
import type { NamedFile } from "../../objects/checked-files.ts";
import { objectFormat } from "../../objects/object-format.ts";
import { ObjectType, typeName, type ObjectTypeName } from "../../objects/object-type.ts";
import type { EngineCaches } from "../../odb/engine-caches.ts";
import { ObjectDatabase } from "../../odb/object-database.ts";
import { indexingBytes, indexPack, type ReceivedPack } from "../../pack/index-pack.ts";
import type { PackLimits } from "../../pack/pack-limits.ts";
import { countGarbage } from "../../../lib/garbage.ts";
import { nextTurn } from "../../../lib/turns.ts";
import type { Job } from "../job.ts";
import { discardPack, stagePack, type StagedPack } from "../pack-destination.ts";
import type { RepositoryView } from "../repository-view.ts";

export interface IndexPackArgs {
  /** the received pack, fsynced, absolute, with a name that ends in `.pack`; null for a push without one */
  readonly path: string | null;
  /** where packs are published by and by (see `PackDestination.directory`) */
  readonly directory: string;
  /** hexadecimal oids that refs are to point to, first the one that will most often be cloned alone: all that they reach must be there */
  readonly newTips: readonly string[];
  /** oids that refs point to already */
  readonly oldTips: readonly string[];
  /** moves of refs of which the caller has to know whether they only add commits */
  readonly moves: readonly RefMove[];
  readonly limits: PackLimits;
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
/**
 * Takes in a received pack: names and checks its objects, completes it, checks that nothing is missing. It stays where it
 * was received, with its index beside it; when any of this fails, the files are removed.
 * Throws PackRejected, MissingObject, CorruptObject, CorruptPack, EngineCancelled.
 */
export async function indexReceivedPack(view: RepositoryView, args: IndexPackArgs, caches: EngineCaches, job: Job): Promise<IndexPackResult> {
  let pack: StagedPack | null = null;
  try {
    const received = args.path === null ? null : indexFile(view, args, args.path, job, caches);
    if (received !== null) {
      // The check that follows needs memory of its own. What is still on the stack would not be collected.
      await nextTurn();
      countGarbage(indexingBytes(received));
    }
    const kept = received !== null && received.objectCount > 0 ? received : null;
    const checked = check(view, args, kept, job, caches);
    // Behind everything that is written: who gave up before this leaves the files to us, who does so later finds them all.
    job.throwIfCancelled();
    pack = kept === null ? null : stagePack(kept, args.directory);
    return { pack, absentFiles: received === null ? (args.awaitedFiles ?? []) : received.absentFiles, ...checked };
  } finally {
    if (args.path !== null) {
      caches.forgetPack(args.path);
      if (pack === null) {
        await discardPack(args.path);
      }
    }
  }
}

function indexFile(view: RepositoryView, args: IndexPackArgs, path: string, job: Job, caches: EngineCaches): ReceivedPack {
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
    onProgress: throttled(job),
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
  const steps = links === null ? checkConnectivity(reader, args.newTips, args.oldTips) : checkLinkedTips(reader, args.newTips, links);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    job.throwIfCancelled();
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

/** Beside the only pack there is. Derived: the push does not wait for the disk because of it, and is none the worse without it. */
function writeWhatWasLearnt({ db, graph, closures }: RepositoryReader): void {
  const pack = db.packs[0]!;
  try {
    writeFileSync(reachabilityPath(pack.path), writeReachability(pack, { commits: graph.table, closures: closures.kept }), { mode: 0o600 });
  } catch {
    // Most likely the disk is full, which whatever has to be written will tell.
  }
}

function isCommit(odb: ObjectDatabase, position: number): boolean {
  return position >= 0 && odb.typeAt(position) === ObjectType.commit;
}

/** Tells of progress a few times a second, and stops the work when nobody waits for it. */
function throttled(job: Job): (resolved: number, objects: number) => void {
  let last = performance.now();
  return (resolved, objects) => {
    job.throwIfCancelled();
    if (performance.now() - last > 200) {
      last = performance.now();
      const progress: IndexProgress = { resolved, objects };
      job.progress(progress);
    }
  };
}

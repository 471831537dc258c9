import type { BlobStore } from "../../../blobs/blob-store.ts";
import type { Config } from "../../../config/config.ts";
import type { Database } from "../../../db/client.ts";
import type { GitEngine } from "../../../git/engine.ts";
import type { DeltaChoice } from "../../../git/repack/repack.ts";
import type { ObjectFormatName } from "../../../git/objects/object-format.ts";
import type { RepackResult } from "../../../git/operations/repack-objects.ts";
import type { WorkProgress } from "../../../git/job/job.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { StithyError } from "../../../lib/errors.ts";
import { ScratchDirectory } from "../../../lib/scratch-directory.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Change } from "../../spine/work.ts";
import { packPath } from "../../git/packs/pack-path.ts";
import { listMaintainedPacks, listPacks, swapPacks, type LinkedPack } from "../../git/packs/queries.ts";
import { readRefs } from "../../git/refs/queries.ts";
import { planRepack } from "./plan-repack.ts";
import { findMaintained, lockForMaintenance, recentOids, type MaintainedRepository } from "./queries.ts";

/** The parts of a forge that maintenance needs, so that commands can have them, too. */
export interface Maintenance {
  readonly db: Database;
  readonly change: Change;
  readonly git: GitEngine;
  readonly blobs: BlobStore;
  readonly config: Config;
  readonly packDirectory: string;
  readonly temporaryDirectory: string;
}

/**
 * `due`: what planRepack finds worthwhile. `whole`: everything into one pack, stored deltas stay and others are looked
 * for. `full`: everything with all deltas looked for anew. The last two drop what is unreachable.
 */
export type RepackKind = "due" | "whole" | "full";

export interface RepackRequest {
  readonly repositoryId: number;
  readonly kind: RepackKind;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: WorkProgress) => void;
}

export interface RepackSummary {
  readonly before: readonly LinkedPack[];
  readonly after: readonly { readonly checksum: string; readonly objectCount: number; readonly bytes: number }[];
  readonly dropped: number;
  readonly newDeltas: number;
  readonly storedDeltas: number;
}

/**
 * Other transactions changed the packs or moved the refs again and again while new packs were made. Nothing has
 * changed.
 */
class RepackOvertaken extends StithyError {
  constructor(name: string) {
    super(
      "busy",
      "repack-overtaken",
      `The repository "${name}" was changed too often while it was repacked: try again later`,
    );
  }
}

/** Refs that moved while packs were made are checked against the new ones so often. */
const attempts = 5;
const dayMs = 24 * 60 * 60_000;

/**
 * Repacks a repository while it is used: new packs are made, then one transaction publishes and links them in the place
 * of the old ones. The old files stay for requests that still read them, until the collector's grace period is over.
 * A repack of everything drops objects that no ref reaches, and no reflog entry of the last `git.unreachable_days`.
 * A push that relies on such an object in the same moment loses nothing, since who commits second looks again: a push
 * whose packs were replaced checks its new refs against the new packs (PacksReplaced in move-refs.ts), and this here
 * does so for refs that moved since it began, all under the lock of the repository's row. Answers null when there is
 * nothing to do, or the repository is gone. Throws RepackOvertaken, MissingObject, CorruptObject, CorruptPack: then
 * everything is as it was.
 */
export async function repackRepository(
  maintenance: Maintenance,
  request: RepackRequest,
): Promise<RepackSummary | null> {
  const { db } = maintenance;
  const { repositoryId } = request;
  const repository = await findMaintained(db, repositoryId);
  if (repository === null) {
    return null;
  }
  // The refs first: everything they reach is in the packs that are read after them.
  const tips = tipsOf(await readRefs(db, repositoryId), repository.defaultBranch);
  const keep = await recentOids(
    db,
    repositoryId,
    new Date(Date.now() - maintenance.config.git.unreachable_days * dayMs),
  );
  const packs = await listMaintainedPacks(db, repositoryId);
  const plan =
    request.kind === "due" ? planRepack(packs) : packs.length === 0 ? null : { packs, whole: true, search: true };
  if (plan === null) {
    return null;
  }
  const deltas: DeltaChoice = request.kind === "full" ? "new" : plan.search ? "search" : "stored";
  await using scratch = await ScratchDirectory.make(maintenance.temporaryDirectory);
  const made = await makePacks(maintenance, request, {
    temporary: scratch.path,
    repository,
    packs: plan.packs,
    tips: plan.whole ? tips : null,
    keep,
    deltas,
  });
  await commit(maintenance, repository, { old: plan.packs, made, checked: plan.whole ? new Set(tips) : null });
  return {
    before: packs,
    after: made.packs,
    dropped: made.dropped,
    newDeltas: made.newDeltas,
    storedDeltas: made.storedDeltas,
  };
}

/** The default branch first: what it reaches is remembered for those who clone it alone. */
function tipsOf(refs: ReadonlyMap<string, string>, defaultBranch: string): string[] {
  const main = refs.get(`refs/heads/${defaultBranch}`);
  return [...new Set([...(main === undefined ? [] : [main]), ...refs.values()])];
}

interface Making {
  temporary: string;
  repository: MaintainedRepository;
  packs: readonly LinkedPack[];
  tips: readonly string[] | null;
  keep: readonly string[];
  deltas: DeltaChoice;
}

function makePacks(
  maintenance: Maintenance,
  request: RepackRequest,
  { temporary, repository, packs, tips, keep, deltas }: Making,
): Promise<RepackResult> {
  const destination = { directory: maintenance.packDirectory, temporary };
  return maintenance.git.maintain(
    viewOf(maintenance, repository, packs),
    "repack",
    { tips, keep, deltas, destination },
    { signal: request.signal, onProgress: request.onProgress },
  );
}

/** A view of these packs. */
export function viewOf(
  { packDirectory }: Pick<Maintenance, "packDirectory">,
  { id, objectFormat }: { id: number; objectFormat: ObjectFormatName },
  packs: readonly { checksum: string }[],
): RepositoryView {
  return {
    key: `${id}:maintenance`,
    format: objectFormat,
    packs: packs.map(({ checksum }) => packPath(packDirectory, checksum)),
  };
}

interface Commit {
  old: readonly LinkedPack[];
  made: RepackResult;
  /** oids whose closures are in the new packs; null when nothing was dropped */
  checked: Set<string> | null;
}

async function commit(
  maintenance: Maintenance,
  repository: MaintainedRepository,
  { old, made, checked }: Commit,
): Promise<void> {
  const oldChecksums = old.map(({ checksum }) => checksum);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const outcome = await maintenance.change(serverDoer("repack"), { packs: made.packs }, async ({ tx }) => {
      if (!(await lockForMaintenance(tx, repository.id))) {
        return "gone";
      }
      const moved =
        checked === null
          ? []
          : [...new Set((await readRefs(tx, repository.id)).values())].filter((oid) => !checked.has(oid));
      if (moved.length > 0) {
        return {
          moved,
          others: (await listPacks(tx, repository.id)).filter(({ checksum }) => !oldChecksums.includes(checksum)),
        };
      }
      return (await swapPacks(tx, repository.id, oldChecksums, made.packs)) ? "done" : "overtaken";
    });
    if (outcome === "done" || outcome === "gone") {
      return;
    }
    if (outcome === "overtaken" || checked === null) {
      break;
    }
    await checkMoved(
      maintenance,
      repository,
      [
        ...outcome.others.map(({ checksum }) => packPath(maintenance.packDirectory, checksum)),
        ...made.packs.map(({ path }) => path),
      ],
      outcome.moved,
      [...checked],
    );
    outcome.moved.forEach((oid) => checked.add(oid));
  }
  throw new RepackOvertaken(repository.fullName);
}

/** Whether what the moved refs reach is there in the packs that the repository would have. Throws MissingObject. */
async function checkMoved(
  maintenance: Maintenance,
  repository: MaintainedRepository,
  packs: readonly string[],
  moved: readonly string[],
  checked: readonly string[],
): Promise<void> {
  await maintenance.git.index({
    view: { ...viewOf(maintenance, repository, []), packs },
    path: null,
    directory: maintenance.packDirectory,
    newTips: moved,
    oldTips: checked,
    moves: [],
    check: "strict",
    limits: { objectBytes: 0, totalInflatedBytes: 0, objectCount: 0, inflationRatio: 0, deltaDepth: 0 },
  });
}

import { join } from "node:path";
import type { NamedFile } from "../../../git/objects/checked-files.ts";
import type { ObjectFormatName } from "../../../git/objects/object-format.ts";
import { MissingObject } from "../../../git/odb/object-database.ts";
import { isAmbiguousRef } from "../../../git/refs/ref-name.ts";
import type { StagedPack } from "../../../git/pack/staged-pack.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { copyIn } from "../../../lib/files.ts";
import { ScratchDirectory } from "../../../lib/scratch-directory.ts";
import { serverDoer } from "../../spine/doer.ts";
import { linkStaged, stageObjects } from "../../git/lfs/import-objects.ts";
import { moveRefs } from "../../git/refs/move-refs.ts";
import { findImportTarget } from "./import-target.ts";
import type { Maintenance } from "./repack-repository.ts";

/** The content to import, from any origin. */
export interface ImportSource {
  readonly format: ObjectFormatName;
  readonly refs: readonly { readonly name: string; readonly oid: string }[];
  readonly headBranch: string | null;
  /** Pack files, each whole in itself. They are copied. */
  readonly packs: readonly string[];
  /** An `objects` directory with loose objects; null for none. */
  readonly looseObjects: string | null;
  /** A directory below which git-lfs keeps objects; null for none. They are copied. */
  readonly lfsObjects: string | null;
}

export interface ImportRequest {
  readonly owner: string;
  readonly name: string;
  readonly private: boolean;
  readonly source: ImportSource;
  readonly onProgress: (phase: string, done: number, total: number) => void;
}

export interface Imported {
  readonly refs: number;
  /** Refs that belong to other servers or to this one's own pull requests. */
  readonly skippedRefs: number;
  readonly objects: number;
  readonly bytes: number;
  readonly lfsObjects: number;
}

const inflationRatio = 1000;
const deltaDepth = 4095;
const skipped = /^refs\/(pull|for|remotes|stash)(\/|$)/;

/**
 * Makes a repository of what lies on disk, or fills the empty wiki of one (owner/name.wiki): every object is checked as if it had been pushed, and everything that the refs
 * reach has to be there; LFS objects have to have the content of their name. It appears complete or not at all, and nothing of
 * an import that failed stays. Throws NotFound (the owner, the repository of a wiki), Conflict (it is there already), InvalidInput, PackRejected, MissingObject,
 * CorruptObject, BlobMismatch, BlobTooLarge.
 */
export async function importRepository(maintenance: Maintenance, request: ImportRequest): Promise<Imported> {
  const { db } = maintenance;
  const { source } = request;
  const target = await findImportTarget(db, request, maintenance.config.repository.default_branch);
  const refs = source.refs.filter(
    ({ name }) => name.startsWith("refs/") && !skipped.test(name) && !isAmbiguousRef(name),
  );
  await using scratch = await ScratchDirectory.make(maintenance.temporaryDirectory);
  const packs = await takePacks(maintenance, request, scratch.path);
  if (refs.length === 0 && packs.length > 0) {
    throw new InvalidInput(
      "It has no branch and no tag, so nothing would lead to its objects; a bundle is made with the names of branches, or with --all",
    );
  }
  const tips = await index(maintenance, source.format, packs, null, [...new Set(orderedOids(refs, source.headBranch))]);
  const peeled = new Map(tips.tips.map((tip) => [tip.oid, tip]));
  const wrong = refs.find(({ name, oid }) => name.startsWith("refs/heads/") && peeled.get(oid)?.type !== "commit");
  if (wrong !== undefined) {
    throw new InvalidInput(`The branch "${wrong.name}" does not point to a commit`);
  }
  await using staged = new AsyncDisposableStack();
  const limits = { bytes: maintenance.config.lfs.object_limit_bytes };
  const lfsObjects =
    source.lfsObjects === null
      ? []
      : await stageObjects(maintenance.blobs, source.lfsObjects, staged, limits, (done, total) =>
          request.onProgress("LFS objects", done, total),
        );
  await maintenance.change(serverDoer("import"), { packs, blobs: lfsObjects }, async (work) => {
    const repository = await target.open(work);
    await moveRefs(work, {
      repository,
      changes: refs.map(({ name, oid }) => ({
        name,
        oldOid: null,
        newOid: oid,
        peeled: peeled.get(oid)?.peeled ?? null,
      })),
      reason: "import",
      packs,
    });
    await target.finish(work);
    await linkStaged(work.tx, repository.id, lfsObjects);
  });
  const sum = (of: (pack: StagedPack) => number) => packs.reduce((total, pack) => total + of(pack), 0);
  return {
    refs: refs.length,
    skippedRefs: source.refs.length - refs.length,
    objects: sum(({ objectCount }) => objectCount),
    bytes: sum(({ bytes }) => bytes),
    lfsObjects: lfsObjects.length,
  };
}

/** The default branch first: what it reaches is remembered for those who clone it alone. */
function orderedOids(refs: ImportSource["refs"], headBranch: string | null): string[] {
  return refs
    .toSorted(
      (left, right) =>
        Number(right.name === `refs/heads/${headBranch}`) - Number(left.name === `refs/heads/${headBranch}`),
    )
    .map(({ oid }) => oid);
}

/** Copies and checks one pack after another, in the directory `temporary`. */
async function takePacks(
  maintenance: Maintenance,
  { source, onProgress }: ImportRequest,
  temporary: string,
): Promise<StagedPack[]> {
  const packs: StagedPack[] = [];
  let awaited: readonly NamedFile[] = [];
  const newPath = (): string => join(temporary, `${crypto.randomUUID()}.pack`);
  const take = async (path: string): Promise<void> => {
    // An object that two packs have has to be the same in both, so those before are looked into.
    const taken = await index(maintenance, source.format, packs, path, [], { awaited, onProgress });
    packs.push(...(taken.pack === null ? [] : [taken.pack]));
    awaited = taken.absentFiles;
  };
  for (const pack of source.packs) {
    const path = newPath();
    await copyIn(pack, path);
    await take(path);
  }
  if (source.looseObjects !== null) {
    const path = newPath();
    const count = await maintenance.git.maintain(
      viewOfPaths(source.format, []),
      "packLooseObjects",
      { objects: source.looseObjects, path },
      { onProgress: ({ phase, done, total }) => onProgress(phase, done, total) },
    );
    if (count > 0) {
      await take(path);
    }
  }
  const [absent] = awaited;
  if (absent !== undefined) {
    throw new MissingObject(absent.oid);
  }
  return packs;
}

interface IndexOptions {
  /** files to be checked that are named by trees that were taken, and still to come */
  readonly awaited: readonly NamedFile[];
  readonly onProgress: ImportRequest["onProgress"];
}

function index(
  maintenance: Maintenance,
  format: ObjectFormatName,
  packs: readonly StagedPack[],
  path: string | null,
  newTips: readonly string[],
  { awaited, onProgress }: Partial<IndexOptions> = {},
) {
  const { git } = maintenance.config;
  return maintenance.git.index({
    view: viewOfPaths(
      format,
      packs.map((pack) => pack.path),
    ),
    path,
    directory: maintenance.packDirectory,
    newTips,
    oldTips: [],
    moves: [],
    check: "strict",
    ...(awaited === undefined ? {} : { awaitedFiles: awaited }),
    limits: {
      objectBytes: git.object_limit_bytes,
      totalInflatedBytes: git.inflated_limit_bytes,
      objectCount: git.objects_per_push,
      inflationRatio,
      deltaDepth,
    },
    onProgress: ({ resolved, objects }) => onProgress?.("objects", resolved, objects),
  });
}

function viewOfPaths(format: ObjectFormatName, packs: readonly string[]): RepositoryView {
  return { key: "import:0", format, packs };
}

import { StithyError } from "../../lib/errors.ts";
import { noteWork } from "../../lib/note-work.ts";
import { setCommitSigner } from "../edit/add-commit.ts";
import { EngineCaches } from "../odb/engine-caches.ts";
import type { Job } from "../job/job.ts";
import type { MaintenanceOperations, WriteOperations } from "../operations/operations.ts";
import { checkRepository } from "../operations/check-repository.ts";
import { commitChanges } from "../operations/commit-changes.ts";
import { commitCopy } from "../operations/commit-copy.ts";
import { commitMerge } from "../operations/commit-merge.ts";
import { commitSeries } from "../operations/commit-series.ts";
import { countLanguages } from "../operations/count-languages.ts";
import { countObjects } from "../operations/count-objects.ts";
import { createTag } from "../operations/create-tag.ts";
import { editNote } from "../operations/edit-note.ts";
import { examineMoves } from "../operations/examine-moves.ts";
import { examineProposal } from "../operations/examine-proposal.ts";
import { indexReceivedPack } from "../operations/index-received-pack.ts";
import { packLooseObjects } from "../operations/pack-loose-objects.ts";
import { pickCommits } from "../operations/pick-commits.ts";
import { repackObjects } from "../operations/repack-objects.ts";
import { smallBlobs } from "../operations/small-blobs.ts";
import { writeObjects } from "../operations/write-objects.ts";
import type { Request } from "./protocol.ts";
import type { RepositoryView } from "../job/repository-view.ts";
import { serveWorker } from "./serve-worker.ts";

type Handler<Args, Result> = (view: RepositoryView, args: Args, caches: EngineCaches, job: Job) => Promise<Result>;

type AllOperations = WriteOperations & MaintenanceOperations;

type Handlers = {
  readonly [Name in keyof AllOperations]: Handler<AllOperations[Name]["args"], AllOperations[Name]["result"]>;
};

const operations: Handlers = {
  checkRepository,
  commitChanges,
  commitCopy,
  commitMerge,
  commitSeries,
  countLanguages,
  countObjects,
  createTag,
  editNote,
  examineMoves,
  examineProposal,
  indexPack: indexReceivedPack,
  packLooseObjects,
  pickCommits,
  repack: repackObjects,
  smallBlobs,
  writeObjects,
};

/** Indexes of packs kept open between requests: that of a pack of 500,000 objects takes 17 MB, and 15 ms to open. */
const keptIndexBytes = 32 * 1024 * 1024;

let cacheBytes = 0;
let caches: EngineCaches | null = null;

serveWorker({
  setup: ({ cacheBytes: bytes, signer }) => {
    cacheBytes = bytes;
    setCommitSigner(signer);
  },
  call: (request, job) => perform(request, job),
  stream: (request) => {
    throw unknown(request.name);
  },
  close: closeCaches,
});

async function perform(request: Request, job: Job): Promise<unknown> {
  const handler: unknown = Object.hasOwn(operations, request.name) ? Reflect.get(operations, request.name) : null;
  if (typeof handler !== "function") {
    throw unknown(request.name);
  }
  noteWork();
  caches ??= new EngineCaches(cacheBytes, keptIndexBytes);
  return await (handler as Handler<unknown, unknown>)(request.view, request.args, caches, job);
}

function closeCaches(): void {
  caches?.[Symbol.dispose]();
  caches = null;
}

function unknown(name: string): StithyError {
  return new StithyError("fault", "engine-unknown-operation", `The indexing worker knows no operation "${name}"`, {
    name,
  });
}

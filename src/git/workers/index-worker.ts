import { StithyError } from "../../lib/errors.ts";
import { EngineCaches } from "../odb/engine-caches.ts";
import type { Job } from "./job.ts";
import type { WriteOperations } from "./operations.ts";
import { commitChanges } from "./operations/commit-changes.ts";
import { createTag } from "./operations/create-tag.ts";
import { indexReceivedPack } from "./operations/index-received-pack.ts";
import { writeObjects } from "./operations/write-objects.ts";
import type { Request } from "./protocol.ts";
import type { RepositoryView } from "./repository-view.ts";
import { serveWorker } from "./serve-worker.ts";

type Handler<Args, Result> = (view: RepositoryView, args: Args, caches: EngineCaches, job: Job) => Promise<Result>;

type Handlers = {
  readonly [Name in keyof WriteOperations]: Handler<WriteOperations[Name]["args"], WriteOperations[Name]["result"]>;
};

const operations: Handlers = { commitChanges, createTag, indexPack: indexReceivedPack, writeObjects };

let cacheBytes = 0;

serveWorker({
  setup: (bytes) => {
    cacheBytes = bytes;
  },
  call: (request, job) => perform(request, job),
  stream: (request) => {
    throw unknown(request.name);
  },
});

/** Caches live as long as the request: a push reads each thing once, and packs that a push leaves behind do not stay open. */
async function perform(request: Request, job: Job): Promise<unknown> {
  const handler: unknown = Object.hasOwn(operations, request.name) ? Reflect.get(operations, request.name) : null;
  if (typeof handler !== "function") {
    throw unknown(request.name);
  }
  using caches = new EngineCaches(cacheBytes);
  return await (handler as Handler<unknown, unknown>)(request.view, request.args, caches, job);
}

function unknown(name: string): StithyError {
  return new StithyError("engine-unknown-operation", `The indexing worker knows no operation "${name}"`, { name });
}

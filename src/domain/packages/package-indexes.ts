import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { extraDigests, type BlobStore, type StagedBlob } from "../../blobs/blob-store.ts";
import type { Database } from "../../db/client.ts";
import { describeError } from "../../db/pg-errors.ts";
import type { IndexAudience, PackageType } from "../../db/schema/packages.ts";
import { FairShare } from "../../lib/fair-share.ts";
import type { Logger } from "../../lib/log.ts";
import { SharedRuns } from "../../lib/shared-runs.ts";
import { publishBlob } from "../git/blobs/publish-blob.ts";
import { serverDoer } from "../spine/doer.ts";
import { Overtaken } from "../spine/errors.ts";
import type { Change } from "../spine/work.ts";
import {
  deleteGenerations,
  findIndex,
  insertGeneration,
  listOwnersOfLinked,
  listUnbuilt,
  lockIndex,
  readIndex,
  type IndexName,
  type IndexSnapshot,
  type NewIndexFile,
} from "./index-queries.ts";
import type { PackageKeys } from "./package-keys.ts";

/** A file of an index as a format makes it: its path in the index, and its bytes, staged with all digests. */
export interface IndexFile {
  readonly path: string;
  readonly blob: StagedBlob;
}

/** The input of a format for one index. */
export interface IndexSource {
  /** Which index of its registry it is. */
  readonly index: IndexName;
  /** The parts that have stanzas, in the order of their names, and how many stanzas. None: the index is to have no files. */
  readonly parts: readonly { readonly part: string; readonly count: number }[];
  /** The stanzas of a part in their order. It may be read as often as wanted. */
  stanzas(part: string): AsyncIterable<string>;
  /** Takes bytes as a file of the index. What was staged goes by itself where the build fails. */
  stage(path: string, content: AsyncIterable<Uint8Array | string> | Uint8Array | string): Promise<IndexFile>;
  /** Takes bytes as a file that it compresses with gzip. The same bytes give the same file. */
  stageGzip(path: string, content: AsyncIterable<Uint8Array | string> | Uint8Array | string): Promise<IndexFile>;
  /** The pairs of keys of the owner's registries. */
  readonly keys: PackageKeys;
}

/** How the registry of a format writes its indexes. */
export interface IndexFormat {
  readonly type: PackageType;
  /** All files of an index. Nothing that users can make large is held whole. */
  build(source: IndexSource): Promise<readonly IndexFile[]>;
}

interface Parts {
  db: Database;
  change: Change;
  blobs: BlobStore;
  keys: PackageKeys;
  log: Logger;
  formats: readonly IndexFormat[];
  /** How many indexes are built at once. */
  builds: number;
  /** The most bytes of the lists of one index; replaced generations may have twice as many together. */
  limitBytes: number;
}

/**
 * Replaced generations are kept, so that a client that has read one file of one gets the others: of each index so many, if they are not too large, until a
 * regular task deletes them.
 */
const keptGenerations = 50;
/** Gzip's quickest level takes a third of the time of the usual one for a tenth more bytes. */
const gzipLevel = 2;
/** Each of them is an upload or a job, whose numbers are bounded. */
const mostWaiting = 100_000;
const doer = serverDoer("index of packages");

/**
 * The one writer of the registries' indexes. Owners take turns. In one process there is one build of an index at a time, and whoever wants it meanwhile shares
 * the next one; of several processes, the one that is overtaken builds again. All files of a generation are published in one transaction.
 */
export class PackageIndexes {
  readonly #formats: ReadonlyMap<PackageType, IndexFormat>;
  readonly #runs = new SharedRuns();
  readonly #share: FairShare;

  constructor(private readonly parts: Parts) {
    this.#formats = new Map(parts.formats.map((format) => [format.type, format]));
    this.#share = new FairShare({
      what: "indexes of packages",
      places: parts.builds,
      placesEach: parts.builds,
      waiting: mostWaiting,
      waitingEach: mostWaiting,
    });
  }

  /** Resolves when the files of an index have all that was committed before the call. Throws what a build throws. */
  async publish(name: IndexName): Promise<void> {
    await this.#runs.run(`${name.ownerId}:${name.type}:${name.name}`, async () => {
      using _place = await this.#share.take(String(name.ownerId));
      while (!(await this.#build(name).catch(falseIfOvertaken))) {
        // Another process was faster, and what it published may be of before; or a change met this one, such as one that makes a
        // repository private, which locks its owner's usage first.
      }
    });
  }

  /**
   * Waits for `publish`, for requests whose change is committed. A build that fails is logged and no failure of theirs: strangers are
   * served no index that tells what was hidden, and the job that the change enqueued builds again.
   */
  async settle(name: IndexName): Promise<void> {
    try {
      await this.publish(name);
    } catch (error) {
      this.parts.log.warn({ ...name, ...describeError(error) }, "An index could not be built; a job tries again");
    }
  }

  /** Settles all indexes of an owner. */
  async settleAll(ownerId: number): Promise<void> {
    for (const index of await listUnbuilt(this.parts.db, ownerId)) {
      await this.settle(index);
    }
  }

  /** Settles all indexes that show packages that are linked to a repository. */
  async settleLinked(repositoryId: number): Promise<void> {
    for (const ownerId of await listOwnersOfLinked(this.parts.db, repositoryId)) {
      await this.settleAll(ownerId);
    }
  }

  /** False: another process has published the index meanwhile. */
  async #build(name: IndexName): Promise<boolean> {
    const { db, change, blobs, keys } = this.parts;
    const format = this.#formats.get(name.type);
    const before = await findIndex(db, name);
    if (format === undefined || before === null || before.built >= before.wanted) {
      return true;
    }
    await using staged = new AsyncDisposableStack();
    const built = await readIndex(db, name, async (snapshot) => {
      const audiences: IndexAudience[] = (await snapshot.hasGuarded()) ? ["everyone", "insiders"] : ["everyone"];
      const files: { audience: IndexAudience; file: IndexFile }[] = [];
      for (const audience of audiences) {
        const source = await sourceOf({ name, snapshot, audience, keys, blobs, staged });
        const made = source.parts.length === 0 ? [] : await format.build(source);
        files.push(...made.map((file) => ({ audience, file })));
      }
      return { index: snapshot.index, files };
    });
    if (built === null) {
      return true;
    }
    const { index, files } = built;
    const blobsOfFiles = [...new Map(files.map(({ file: { blob } }) => [blob.sha256, blob])).values()];
    return await change(doer, { blobs: blobsOfFiles }, async (work) => {
      const locked = await lockIndex(work.tx, index.id);
      if (locked === null || locked.generation !== index.generation) {
        return locked === null;
      }
      // In one order: two indexes may have blobs in common.
      for (const blob of blobsOfFiles.toSorted((one, other) => (one.sha256 < other.sha256 ? -1 : 1))) {
        await publishBlob(work.tx, blob);
      }
      await insertGeneration(work.tx, index, index.wanted, files.map(rowOf));
      const served = { id: index.id, generation: index.generation + 1 };
      await deleteGenerations(work.tx, served, { generations: keptGenerations, bytes: 2 * this.parts.limitBytes });
      return true;
    });
  }
}

/** False where a change was overtaken. Throws every other error. */
function falseIfOvertaken(error: unknown): false {
  if (error instanceof Overtaken) {
    return false;
  }
  throw error;
}

function rowOf({ audience, file: { path, blob } }: { audience: IndexAudience; file: IndexFile }): NewIndexFile {
  const digest = (name: "md5" | "sha1" | "sha512") => Buffer.from(blob.digests[name] ?? "", "hex");
  return {
    audience,
    path,
    sha256: Buffer.from(blob.sha256, "hex"),
    md5: digest("md5"),
    sha1: digest("sha1"),
    sha512: digest("sha512"),
    bytes: blob.bytes,
  };
}

async function sourceOf({
  name,
  snapshot,
  audience,
  keys,
  blobs,
  staged,
}: {
  name: IndexName;
  snapshot: IndexSnapshot;
  audience: IndexAudience;
  keys: PackageKeys;
  blobs: BlobStore;
  staged: AsyncDisposableStack;
}): Promise<IndexSource> {
  const stage = async (path: string, content: AsyncIterable<Uint8Array>): Promise<IndexFile> => {
    const blob = await blobs.stage(null, content, { bytes: Number.MAX_SAFE_INTEGER, digests: extraDigests });
    return { path, blob: staged.use(blob) };
  };
  return {
    index: name,
    parts: await snapshot.parts(audience),
    stanzas: (part) => snapshot.stanzas(audience, part),
    stage: (path, content) => stage(path, chunksOf(content)),
    stageGzip: (path, content) => stage(path, gzipped(chunksOf(content))),
    keys,
  };
}

const chunkBytes = 64 * 1024;

/** Texts as UTF-8, small ones put together. */
async function* chunksOf(
  content: AsyncIterable<Uint8Array | string> | Uint8Array | string,
): AsyncGenerator<Uint8Array> {
  let pending: Buffer[] = [];
  let bytes = 0;
  const pieces = typeof content === "string" || content instanceof Uint8Array ? [content] : content;
  for await (const piece of pieces) {
    const buffer = typeof piece === "string" ? Buffer.from(piece) : Buffer.from(piece);
    pending.push(buffer);
    bytes += buffer.length;
    if (bytes >= chunkBytes) {
      yield new Uint8Array(Buffer.concat(pending));
      pending = [];
      bytes = 0;
    }
  }
  if (bytes > 0) {
    yield new Uint8Array(Buffer.concat(pending));
  }
}

async function* gzipped(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: gzipLevel });
  const source = Readable.from(content);
  source.on("error", (error) => gzip.destroy(error));
  try {
    for await (const chunk of source.pipe(gzip)) {
      yield chunk as Uint8Array;
    }
  } finally {
    source.destroy();
  }
}

import type { Logger } from "../lib/log.ts";
import type { MaintenanceOperations, Operations, Streams, WriteOperations } from "./workers/operations.ts";
import type { WorkProgress } from "./workers/job.ts";
import type { IndexPackArgs, IndexPackResult, IndexProgress } from "./workers/operations/index-received-pack.ts";
import { repositoryOf, type RepositoryView } from "./workers/repository-view.ts";
import { StreamBudget } from "./workers/stream-budget.ts";
import { WorkerChannel, type ChannelOptions } from "./workers/worker-channel.ts";

/** Bounds on what the engine takes on. */
export interface EngineLimits {
  /** calls that may wait in one worker */
  readonly queuedCalls: number;
  /** time for one call to a git worker, waiting included, ms */
  readonly callTimeoutMs: number;
  /** the same for indexing and writing, ms */
  readonly writeTimeoutMs: number;
  /** how long a worker may go on with what was cancelled before it is ended, ms */
  readonly stallMs: number;
  /** what one stream may have produced that its reader has not taken, bytes */
  readonly streamWindowBytes: number;
  /** the same for all streams together, bytes */
  readonly streamBudgetBytes: number;
}

export const defaultEngineLimits: EngineLimits = {
  queuedCalls: 1024,
  callTimeoutMs: 60_000,
  writeTimeoutMs: 30 * 60_000,
  stallMs: 10_000,
  streamWindowBytes: 1024 * 1024,
  streamBudgetBytes: 48 * 1024 * 1024,
};

/** Timers take no longer times. */
const longestTimerMs = 2 ** 31 - 1;

export interface EngineOptions {
  /** entry points, see `src/workers.ts` */
  readonly gitWorker: URL | string;
  readonly indexWorker: URL | string;
  /** threads that read; each starts when it is first needed */
  readonly workers: number;
  /** threads that take in pushes and write; at least 2 keep small commits from waiting for large pushes */
  readonly indexWorkers?: number;
  /** memory for caches, over all threads that read, bytes; an indexing thread takes at most a quarter of that while it works */
  readonly cacheBytes: number;
  readonly limits?: Partial<EngineLimits>;
  readonly log: Logger;
}


/**
 * Git, as the rest of the program sees it: every request names a view of a repository and runs in a worker.
 * All methods throw EngineBusy when too much is waiting, EngineTimeout, EngineWorkerLost when the worker ended, the
 * signal's reason when aborted, and what the operation throws.
 */
export class GitEngine implements AsyncDisposable {
  readonly #readers: readonly WorkerChannel[];
  readonly #writers: readonly WorkerChannel[];
  readonly #maintainer: WorkerChannel;
  readonly #limits: EngineLimits;
  readonly #budget: StreamBudget;

  constructor(options: EngineOptions) {
    const limits = { ...defaultEngineLimits, ...options.limits };
    const channel = (url: URL | string, cacheBytes: number): WorkerChannel => {
      const { queuedCalls, stallMs } = limits;
      const channelOptions: ChannelOptions = { url, cacheBytes, queuedCalls, stallMs, log: options.log };
      return new WorkerChannel(channelOptions);
    };
    const readers = Math.max(1, options.workers);
    const readerBytes = Math.floor(options.cacheBytes / readers);
    this.#readers = Array.from({ length: readers }, () => channel(options.gitWorker, readerBytes));
    const writerBytes = Math.floor(options.cacheBytes / 4);
    this.#writers = Array.from({ length: Math.max(1, options.indexWorkers ?? 2) }, () => channel(options.indexWorker, writerBytes));
    this.#maintainer = channel(options.indexWorker, writerBytes);
    this.#limits = limits;
    this.#budget = new StreamBudget(limits.streamBudgetBytes, limits.streamWindowBytes);
  }

  /** One question, one answer, in the git worker that has the repository. */
  async call<Name extends keyof Operations>(
    view: RepositoryView,
    name: Name,
    args: Operations[Name]["args"],
    signal?: AbortSignal,
  ): Promise<Operations[Name]["result"]> {
    const options = { timeoutMs: this.#limits.callTimeoutMs, signal, blocking: false };
    return (await this.#readerOf(view).call(view, name, args, options)) as Operations[Name]["result"];
  }

  /**
   * An answer in pieces, made as fast as it is read. Cancelling it, or the signal, ends the work. With `lend` a chunk is
   * gone when the next one is asked for, which saves most of what it costs to hand on a large answer.
   */
  stream<Name extends keyof Streams>(
    view: RepositoryView,
    name: Name,
    args: Streams[Name]["args"],
    signal?: AbortSignal,
    options: { readonly lend?: boolean } = {},
  ): ReadableStream<Uint8Array> {
    return this.#readerOf(view).stream(view, name, args, { budget: this.#budget, signal, lend: options.lend });
  }

  /** Makes objects, as a pack of their own. */
  async write<Name extends Exclude<keyof WriteOperations, "indexPack">>(
    view: RepositoryView,
    name: Name,
    args: WriteOperations[Name]["args"],
    signal?: AbortSignal,
  ): Promise<WriteOperations[Name]["result"]> {
    return (await this.#write(view, name, args, signal)) as WriteOperations[Name]["result"];
  }

  /** Takes in a push: see `indexReceivedPack`. */
  async index(request: IndexRequest, signal?: AbortSignal): Promise<IndexPackResult> {
    const { view, onProgress, ...args } = request;
    return (await this.#write(view, "indexPack", args, signal, onProgress)) as IndexPackResult;
  }

  /**
   * Long work behind the scenes, in a thread of its own and of low priority: it delays neither fetches nor pushes. One
   * piece of it at a time is sensible, and it may take as long as it takes: end it with the signal.
   */
  async maintain<Name extends keyof MaintenanceOperations>(
    view: RepositoryView,
    name: Name,
    args: MaintenanceOperations[Name]["args"],
    options: { readonly signal?: AbortSignal | undefined; readonly onProgress?: ((progress: WorkProgress) => void) | undefined } = {},
  ): Promise<MaintenanceOperations[Name]["result"]> {
    const result = await this.#maintainer.call(view, name, args, {
      signal: options.signal,
      onProgress: (progress) => options.onProgress?.(progress as WorkProgress),
      timeoutMs: longestTimerMs,
      blocking: true,
    });
    return result as MaintenanceOperations[Name]["result"];
  }

  /** Requests under way, streams included. */
  get load(): number {
    return [...this.#readers, ...this.#writers, this.#maintainer].reduce((sum, channel) => sum + channel.load, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#readers, ...this.#writers, this.#maintainer].map((channel) => channel[Symbol.asyncDispose]()));
  }

  #write(
    view: RepositoryView,
    name: keyof WriteOperations,
    args: unknown,
    signal: AbortSignal | undefined,
    onProgress?: (progress: IndexProgress) => void,
  ): Promise<unknown> {
    const idle = this.#writers.reduce((best, channel) => (channel.load < best.load ? channel : best));
    return idle.call(view, name, args, {
      timeoutMs: this.#limits.writeTimeoutMs,
      signal,
      blocking: true,
      onProgress: (progress) => onProgress?.(progress as IndexProgress),
    });
  }

  /** Always the same worker for a repository, so that its caches are there. */
  #readerOf(view: RepositoryView): WorkerChannel {
    return this.#readers[Bun.hash.crc32(repositoryOf(view.key)) % this.#readers.length]!;
  }
}

export interface IndexRequest extends IndexPackArgs {
  readonly view: RepositoryView;
  readonly onProgress?: (progress: IndexProgress) => void;
}

import type { CommitSigner } from "./objects/commit-signer.ts";
import { FairShare } from "../lib/fair-share.ts";
import type { Logger } from "../lib/log.ts";
import { actAs, currentPrincipal } from "../lib/request-context.ts";
import type { Lane } from "./job/lane.ts";
import type { MaintenanceOperations, Operations, Streams, WriteOperations } from "./operations/operations.ts";
import type { WorkProgress } from "./job/job.ts";
import type { IndexPackArgs, IndexPackResult, IndexProgress } from "./operations/index-received-pack.ts";
import { repositoryOf, type RepositoryView } from "./job/repository-view.ts";
import { DamagedPacks } from "./workers/damaged-packs.ts";
import { callInLanes, streamInLanes } from "./workers/in-lanes.ts";
import { inTurn } from "./workers/in-turn.ts";
import { openInTurn } from "./workers/open-in-turn.ts";
import { StreamBudget } from "./workers/stream-budget.ts";
import { WorkerChannel, type ChannelOptions } from "./workers/worker-channel.ts";

/** Bounds on what the engine takes on. */
export interface EngineLimits {
  /** calls under way in one reading worker; one principal has half of them at most */
  readonly callsAtOnce: number;
  /** calls that may wait for one reading worker, and for all writing ones together */
  readonly queuedCalls: number;
  /** of these, calls of one principal */
  readonly queuedCallsEach: number;
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
  /** every thread but those that read is ended when it had nothing to do for so long, ms: each takes 10 to 20 MB */
  readonly spareThreadMs: number;
}

export const defaultEngineLimits: EngineLimits = {
  callsAtOnce: 64,
  queuedCalls: 4096,
  queuedCallsEach: 1024,
  callTimeoutMs: 60_000,
  writeTimeoutMs: 30 * 60_000,
  stallMs: 10_000,
  streamWindowBytes: 1024 * 1024,
  streamBudgetBytes: 48 * 1024 * 1024,
  spareThreadMs: 45_000,
};

/** A thread that reads, and the places in it. */
interface Reader {
  readonly channel: WorkerChannel;
  readonly calls: FairShare;
}

/** Heavy work takes seconds, during which no other work of its kind runs. */
const heavyLimits = { what: "large comparisons", places: 8, placesEach: 4, waiting: 64, waitingEach: 16 };

/** Timers take no longer times. */
const longestTimerMs = 2 ** 31 - 1;

export interface EngineOptions {
  /** entry points, see `src/workers.ts` */
  readonly gitWorker: URL | string;
  readonly indexWorker: URL | string;
  /** threads that read; each starts when it is first needed */
  readonly workers: number;
  /** threads that index pushes and write; one stays free for principals other than the one that holds the rest */
  readonly indexWorkers?: number;
  /** memory for caches, over all threads that read, bytes; an indexing thread takes at most a quarter of that while it works */
  readonly cacheBytes: number;
  /** of a commit's or tag's message, so many bytes are answered; 1 MiB if it is not said */
  readonly shownBytes?: number;
  /** signs all commits that the engine makes; null or nothing: they are not signed */
  readonly signer?: CommitSigner | null;
  readonly limits?: Partial<EngineLimits>;
  readonly log: Logger;
}

/**
 * Git, as the rest of the program sees it: every request names a view of a repository and runs in a worker. Requests act
 * as the principal they are made by (see `lib/request-context.ts`); principals have turns, in queues and in workers.
 * All methods throw Busy when too much is waiting, EngineTimeout, TooCostly when the work takes more of a worker's time than
 * it may, EngineWorkerLost when the worker ended, the
 * signal's reason when aborted, and what the operation throws.
 */
export class GitEngine implements AsyncDisposable {
  /** Stored packs that turned out to be damaged. */
  readonly damaged: DamagedPacks;
  readonly #readers: readonly Reader[];
  /** for what would hold up those: see `job/lane.ts` */
  readonly #heavy: Reader;
  readonly #writers: readonly WorkerChannel[];
  readonly #writes: FairShare;
  readonly #maintainer: WorkerChannel;
  readonly #limits: EngineLimits;
  readonly #budget: StreamBudget;

  constructor(options: EngineOptions) {
    const limits = { ...defaultEngineLimits, ...options.limits };
    const channel = (
      url: URL | string,
      cacheBytes: number,
      { lane = "heavy", isSpare = false }: { lane?: Lane; isSpare?: boolean } = {},
    ): WorkerChannel => {
      const { log } = options;
      const onFailure = (key: string, error: Error): void => this.damaged.note(key, error);
      const channelOptions: ChannelOptions = {
        url,
        cacheBytes,
        shownBytes: options.shownBytes ?? 1024 * 1024,
        stallMs: limits.stallMs,
        ...(isSpare ? { idleMs: limits.spareThreadMs } : {}),
        lane,
        // Only those that index make commits.
        signer: url === options.indexWorker ? options.signer : null,
        log,
        onFailure,
      };
      return new WorkerChannel(channelOptions);
    };
    this.damaged = new DamagedPacks(options.log);
    const { queuedCalls: waiting, queuedCallsEach: waitingEach } = limits;
    const shares = { placesEach: limits.callsAtOnce, waiting, waitingEach };
    const readers = Math.max(1, options.workers);
    const readerBytes = Math.floor(options.cacheBytes / readers);
    this.#readers = Array.from({ length: readers }, () => ({
      channel: channel(options.gitWorker, readerBytes, { lane: "light" }),
      calls: new FairShare({ what: "git operations", ...shares, places: limits.callsAtOnce }),
    }));
    this.#heavy = {
      channel: channel(options.gitWorker, readerBytes >> 1, { isSpare: true }),
      calls: new FairShare(heavyLimits),
    };
    const writerBytes = Math.floor(options.cacheBytes / 4);
    // The first one that has nothing to do is taken.
    this.#writers = Array.from({ length: Math.max(1, options.indexWorkers ?? 3) }, () =>
      channel(options.indexWorker, writerBytes, { isSpare: true }),
    );
    this.#writes = new FairShare({ what: "pushes and commits", ...shares, places: this.#writers.length });
    this.#maintainer = channel(options.indexWorker, writerBytes, { isSpare: true });
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
    const turn = { name, principal: currentPrincipal(), timeoutMs: this.#limits.callTimeoutMs, signal };
    const callIn = ({ channel, calls }: Reader): Promise<unknown> =>
      inTurn(calls, turn, (timeoutMs) => channel.call(view, name, args, { ...turn, timeoutMs, blocking: false }));
    const result = await callInLanes(
      () => callIn(this.#readerOf(view)),
      () => callIn(this.#heavy),
    );
    return result as Operations[Name]["result"];
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
    const { channel } = this.#readerOf(view);
    const principal = currentPrincipal();
    const open = (from: WorkerChannel) =>
      actAs(principal, () => this.#stream(from, view, name, args, signal, options.lend));
    // Those that compare texts.
    return name === "patch" || name === "formatPatch"
      ? this.#inLanes(
          () => open(channel),
          () => open(this.#heavy.channel),
          signal,
        )
      : open(channel);
  }

  #inLanes(
    light: () => ReadableStream<Uint8Array>,
    openHeavy: () => ReadableStream<Uint8Array>,
    signal: AbortSignal | undefined,
  ): ReadableStream<Uint8Array> {
    const { calls } = this.#heavy;
    const principal = currentPrincipal();
    const heavy = async function* (left: AbortSignal): AsyncGenerator<Uint8Array> {
      using _place = await calls.take(principal, signal === undefined ? left : AbortSignal.any([signal, left]));
      yield* openHeavy();
    };
    return openInTurn((left) => streamInLanes(light, () => heavy(left)));
  }

  #stream(
    channel: WorkerChannel,
    view: RepositoryView,
    name: keyof Streams,
    args: unknown,
    signal: AbortSignal | undefined,
    lend?: boolean,
  ): ReadableStream<Uint8Array> {
    const principal = currentPrincipal();
    const window = this.#budget.tryOpen(principal);
    if (window !== null) {
      return channel.stream(view, name, args, { principal, window, signal, lend });
    }
    return openInTurn(async (left) => {
      const ended = signal === undefined ? left : AbortSignal.any([signal, left]);
      return channel.stream(view, name, args, {
        principal,
        window: await this.#budget.open(principal, ended),
        signal,
        lend,
      });
    });
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
    options: {
      readonly signal?: AbortSignal | undefined;
      readonly onProgress?: ((progress: WorkProgress) => void) | undefined;
    } = {},
  ): Promise<MaintenanceOperations[Name]["result"]> {
    const result = await this.#maintainer.call(view, name, args, {
      principal: currentPrincipal(),
      signal: options.signal,
      onProgress: (progress) => options.onProgress?.(progress as WorkProgress),
      timeoutMs: longestTimerMs,
      blocking: true,
    });
    return result as MaintenanceOperations[Name]["result"];
  }

  /** Requests under way, streams included. */
  get load(): number {
    return this.#channels.reduce((sum, channel) => sum + channel.load, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#channels.map((channel) => channel[Symbol.asyncDispose]()));
  }

  get #channels(): WorkerChannel[] {
    return [...[...this.#readers, this.#heavy].map(({ channel }) => channel), ...this.#writers, this.#maintainer];
  }

  #write(
    view: RepositoryView,
    name: keyof WriteOperations,
    args: unknown,
    signal: AbortSignal | undefined,
    onProgress?: (progress: IndexProgress) => void,
  ): Promise<unknown> {
    const turn = { name, principal: currentPrincipal(), timeoutMs: this.#limits.writeTimeoutMs, signal };
    return inTurn(this.#writes, turn, (timeoutMs) => {
      // There are as many places as workers; one that was told to stop may still be at it.
      const idle = this.#writers.reduce((best, channel) => (channel.load < best.load ? channel : best));
      return idle.call(view, name, args, {
        ...turn,
        timeoutMs,
        blocking: true,
        onProgress: (progress) => onProgress?.(progress as IndexProgress),
      });
    });
  }

  /** Always the same worker for a repository, so that its caches are there. */
  #readerOf(view: RepositoryView): Reader {
    return this.#readers[Bun.hash.crc32(repositoryOf(view.key)) % this.#readers.length]!;
  }
}

export interface IndexRequest extends IndexPackArgs {
  readonly view: RepositoryView;
  readonly onProgress?: (progress: IndexProgress) => void;
}

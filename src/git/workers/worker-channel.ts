import type { CommitSigner } from "../objects/commit-signer.ts";
import { messageOf } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import { EngineCancelled, EngineTimeout, EngineWorkerLost } from "../job/errors.ts";
import { engineErrors } from "./engine-errors.ts";
import { ChunkBorrower } from "./lent-chunks.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";
import type { Lane } from "../job/lane.ts";
import type { RepositoryView } from "../job/repository-view.ts";
import type { StreamWindow } from "./stream-budget.ts";
import { StreamSource } from "./stream-source.ts";
import { parseWireError, type WireError } from "../../lib/wire-error.ts";

/** A thread that is to end gets so long for it. It does not look at messages while it indexes a pack. */
const closeMs = 1000;

export interface ChannelOptions {
  readonly url: URL | string;
  readonly cacheBytes: number;
  /** of a commit's or tag's message, so many bytes are answered */
  readonly shownBytes: number;
  /** "light" for a thread that does the work of many by turns, and none that takes none */
  readonly lane?: Lane;
  /** signs the commits that the thread makes */
  readonly signer?: CommitSigner | null | undefined;
  /** after a cancellation the worker must say something within so many ms, or it is ended and started again */
  readonly stallMs: number;
  /** a thread that had nothing to do for so long is ended, and starts again when it is needed; without it, it stays, ms */
  readonly idleMs?: number;
  readonly log: Logger;
  /** told of every error that a request ends with in the worker */
  readonly onFailure?: (viewKey: string, error: Error) => void;
}

export interface CallOptions {
  /** For whom it is done: principals have turns of the worker's time. */
  readonly principal: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((value: unknown) => void) | undefined;
  /** for work that does not return to its message loop: it is told of a cancellation through shared memory */
  readonly blocking: boolean;
}

/** The main thread's state of a request that is under way. */
interface Pending {
  readonly name: string;
  /** Takes everything the worker says of this request. */
  receive(message: FromWorker): void;
  /** The request's end when the worker cannot answer it. */
  fail(error: Error): void;
}

/** The main thread's side of one worker: starts it at the first request and again after it ended. */
export class WorkerChannel implements AsyncDisposable {
  #worker: Worker | null = null;
  /** what this worker has lent */
  #borrower = this.#startBorrowing();
  #lastId = 0;
  #disposed = false;
  #idle: ReturnType<typeof setTimeout> | undefined;
  readonly #pending = new Map<number, Pending>();
  /** cancelled requests that the worker has not acknowledged yet, with the timer that gives it up */
  readonly #stalled = new Map<number, ReturnType<typeof setTimeout>>();

  constructor(private readonly options: ChannelOptions) {}

  /** Requests under way. */
  get load(): number {
    return this.#pending.size;
  }

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  call(view: RepositoryView, name: string, args: unknown, options: CallOptions): Promise<unknown> {
    const { signal, timeoutMs } = options;
    signal?.throwIfAborted();
    const id = ++this.#lastId;
    const cancelled = options.blocking ? new SharedArrayBuffer(4) : null;
    return new Promise<unknown>((resolve, reject) => {
      const close = (): boolean => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        return this.#forget(id);
      };
      const giveUp = (error: unknown): void => {
        if (close()) {
          if (cancelled !== null) {
            Atomics.store(new Int32Array(cancelled), 0, 1);
          }
          this.#cancel(id, name);
          reject(error);
        }
      };
      const abort = (): void => giveUp(signal?.reason);
      const timer = setTimeout(() => giveUp(new EngineTimeout(name, timeoutMs)), timeoutMs);
      signal?.addEventListener("abort", abort, { once: true });
      this.#pending.set(id, {
        name,
        receive: (message) => {
          if (message.kind === "progress") {
            options.onProgress?.(message.value);
          } else if (close()) {
            if (message.kind === "result") {
              resolve(message.value);
            } else {
              reject(message.kind === "failure" ? this.#failure(view, message.error) : new EngineCancelled(name));
            }
          }
        },
        fail: (error) => {
          if (close()) {
            reject(error);
          }
        },
      });
      try {
        const { principal } = options;
        this.#post({ kind: "call", request: { id, view, name, args, principal }, cancelled });
      } catch (error) {
        close();
        reject(error);
      }
    });
  }

  stream(
    view: RepositoryView,
    name: string,
    args: unknown,
    options: {
      readonly principal: string;
      /** the stream's own: it is closed with it */
      readonly window: StreamWindow;
      readonly lend?: boolean | undefined;
      readonly signal?: AbortSignal | undefined;
    },
  ): ReadableStream<Uint8Array> {
    const { principal, window, lend = false, signal } = options;
    if (signal?.aborted === true) {
      window.close();
      throw signal.reason;
    }
    const id = ++this.#lastId;
    const borrower = this.#borrower;
    const source = new StreamSource(window, signal, {
      credit: (bytes, windowBytes, slot) => {
        // After a worker was lost its slots mean nothing to the next one.
        if (borrower === this.#borrower) {
          this.#post({ kind: "credit", id, bytes, window: windowBytes, slot });
        }
      },
      drop: (slot) => borrower.drop(slot),
      abandon: (chunk, slot) => borrower.abandon(chunk, slot),
      cancel: () => this.#cancel(id, name),
      closed: () => this.#forget(id),
    });
    this.#pending.set(id, {
      name,
      receive: (message) => {
        if (message.kind === "chunk") {
          source.chunk(message.bytes, null);
        } else if (message.kind === "lent") {
          source.chunk(borrower.take(message.chunk), message.chunk.slot);
        } else if (message.kind === "end") {
          source.end();
        } else if (message.kind === "failure") {
          source.fail(this.#failure(view, message.error));
        } else if (message.kind === "cancelled") {
          source.fail(new EngineCancelled(name));
        }
      },
      fail: (error) => source.fail(error),
    });
    try {
      const request = { id, view, name, args, principal };
      this.#post({ kind: "stream", request, credit: source.initialCredit, lend });
    } catch (error) {
      source.fail(error);
      throw error;
    }
    return source.readable();
  }

  /** Ends the worker; what is under way fails. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    const worker = this.#letGo("the engine is shutting down");
    if (worker !== null) {
      await close(worker);
    }
  }

  /** A request is over. False when it was already. */
  #forget(id: number): boolean {
    const was = this.#pending.delete(id);
    if (was) {
      this.#endWhenIdle();
    }
    return was;
  }

  /** Called when the worker may have nothing to do any more. */
  #endWhenIdle(): void {
    const { idleMs } = this.options;
    if (idleMs !== undefined && this.#isIdle && !this.#disposed) {
      clearTimeout(this.#idle);
      this.#idle = setTimeout(() => {
        const worker = this.#isIdle ? this.#letGo("it had nothing to do") : null;
        if (worker !== null) {
          void close(worker);
        }
      }, idleMs);
      this.#idle.unref();
    }
  }

  get #isIdle(): boolean {
    return this.#pending.size === 0 && this.#stalled.size === 0;
  }

  #failure(view: RepositoryView, wire: WireError): Error {
    const error = parseWireError(wire, engineErrors);
    this.options.onFailure?.(view.key, error);
    return error;
  }

  #post(message: ToWorker): void {
    this.#running().postMessage(message, []);
  }

  #running(): Worker {
    if (this.#disposed) {
      throw new EngineWorkerLost("start", "the engine is shut down");
    }
    if (this.#worker === null) {
      const worker = new Worker(this.options.url);
      worker.addEventListener("message", (event: MessageEvent<FromWorker>) => {
        // A late message of a replaced worker would give back slots of the present one.
        if (worker === this.#worker) {
          this.#receive(event.data);
        }
      });
      worker.addEventListener("messageerror", () => this.#lostBy(worker, "a message could not be read"));
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        this.#lostBy(worker, messageOf(event.error ?? event.message));
      });
      worker.addEventListener("close", (event) => this.#lostBy(worker, `it exited with code ${exitCodeOf(event)}`));
      const setup: ToWorker = {
        kind: "setup",
        cacheBytes: this.options.cacheBytes,
        shownBytes: this.options.shownBytes,
        lane: this.options.lane ?? "heavy",
        signer: this.options.signer ?? null,
      };
      worker.postMessage(setup, []);
      this.#worker = worker;
    }
    return this.#worker;
  }

  #receive(message: FromWorker): void {
    const timer = this.#stalled.get(message.id);
    if (timer !== undefined && !["chunk", "lent", "progress"].includes(message.kind)) {
      clearTimeout(timer);
      this.#stalled.delete(message.id);
      this.#endWhenIdle();
    }
    // Absent for a request that was cancelled while its answer was on the way.
    const pending = this.#pending.get(message.id);
    pending?.receive(message);
    if (pending === undefined && message.kind === "lent") {
      this.#borrower.take(message.chunk);
      this.#borrower.drop(message.chunk.slot);
    }
  }

  #startBorrowing(): ChunkBorrower {
    const borrower = new ChunkBorrower((slot) => {
      // After a worker was lost its slots mean nothing to the next one.
      if (borrower === this.#borrower && this.#worker !== null) {
        this.#post({ kind: "return", slot });
      }
    });
    return borrower;
  }

  #cancel(id: number, name: string): void {
    if (this.#worker === null) {
      return;
    }
    this.#post({ kind: "cancel", id });
    const timer = setTimeout(() => {
      this.#stalled.delete(id);
      this.#lose(`the operation "${name}" was cancelled and did not stop`);
    }, this.options.stallMs);
    timer.unref();
    this.#stalled.set(id, timer);
  }

  /** An event of a worker that was replaced already says nothing about the present one. */
  #lostBy(worker: Worker, reason: string): void {
    if (worker === this.#worker) {
      this.options.log.error(
        { reason, pending: this.#pending.size },
        "A git worker ended; it starts again with the next request",
      );
      this.#lose(reason);
    }
  }

  /** Ends the worker by force. */
  #lose(reason: string): void {
    this.#letGo(reason)?.terminate();
  }

  /** Nothing is asked of the present worker any more, and what is under way fails. Returns it: it still has to be ended. */
  #letGo(reason: string): Worker | null {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    this.#borrower = this.#startBorrowing();
    for (const timer of this.#stalled.values()) {
      clearTimeout(timer);
    }
    this.#stalled.clear();
    // Each takes itself out of the map, which its iterator allows.
    for (const pending of this.#pending.values()) {
      pending.fail(new EngineWorkerLost(pending.name, reason));
    }
    return worker;
  }
}

/** Ends a thread when it has closed its files, by force if it takes too long: Bun leaves files open that belonged to a thread. */
async function close(worker: Worker): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  worker.addEventListener("close", () => resolve());
  const timer = setTimeout(() => {
    worker.terminate();
    resolve();
  }, closeMs);
  const message: ToWorker = { kind: "close" };
  worker.postMessage(message, []);
  await closed;
  clearTimeout(timer);
}

function exitCodeOf(event: Event): string {
  return "code" in event ? String(event.code) : "unknown";
}

import { FairShare, type ShareLimits } from "./fair-share.ts";
import { currentPrincipal, noteUnfinished } from "./request-context.ts";
import { StithyError } from "./errors.ts";

export interface WorkThreadsOptions {
  /** The entry point of the workers, see `src/workers.ts`. It answers each message with one message. */
  worker: URL | string;
  /** The longest time for one task, milliseconds. */
  timeLimitMs: number;
  /** A thread that had nothing to do for so long is ended, milliseconds. */
  idleMs: number;
  /** As many threads run as there are places. */
  share: ShareLimits;
}

/** A task took longer than the limit, and was ended with its thread. */
export class TaskTooLong extends StithyError {
  constructor(timeLimitMs: number) {
    super("too-slow", "task-too-long", `The work was ended after ${timeLimitMs} ms`, { timeLimitMs });
  }
}

/** The threads are stopped, since the server is. */
export class ThreadsStopped extends StithyError {
  constructor() {
    super("busy", "server-stopping", "The server is stopping: try again when it is back");
  }
}

interface Thread {
  worker: Worker;
  /** fulfilled when it has ended */
  ended: Promise<void>;
  /** ends the thread when it has been idle for long enough */
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Threads that do one task each at a time, for work that the main thread could only do at once and for long. Principals
 * share the threads fairly. A task that takes too long is ended with its thread; threads start when they are needed.
 *
 * No thread ends while it matches a regular expression, so one that was told to end keeps its place until it has: else each such task would
 * take another processor.
 */
export class WorkThreads<Task, Answer> implements Disposable {
  readonly #idle: Thread[] = [];
  readonly #share: FairShare;
  readonly #stopped = new AbortController();

  constructor(private readonly options: WorkThreadsOptions) {
    this.#share = new FairShare(options.share);
  }

  /**
   * Does a task for the current principal. Throws Busy, TaskTooLong, ThreadsStopped, the signal's reason, and Error when
   * the worker fails. An answer that goes on without the result is unfinished.
   */
  async run(task: Task, transfer: ArrayBuffer[] = [], signal?: AbortSignal): Promise<Answer> {
    try {
      return await this.#run(task, transfer, signal);
    } catch (error) {
      noteUnfinished();
      throw error;
    }
  }

  async #run(task: Task, transfer: ArrayBuffer[], signal: AbortSignal | undefined): Promise<Answer> {
    const stopped = this.#stopped.signal;
    const place = await this.#share.take(currentPrincipal(), signal ?? stopped);
    if (stopped.aborted) {
      place[Symbol.dispose]();
      throw stopped.reason;
    }
    const thread = this.#idle.pop() ?? this.#start();
    clearTimeout(thread.timer);
    try {
      const answer = await this.#ask(thread.worker, task, transfer, stopped);
      this.#keep(thread);
      place[Symbol.dispose]();
      return answer;
    } catch (error) {
      thread.worker.terminate();
      void thread.ended.then(() => place[Symbol.dispose]());
      throw error;
    }
  }

  #start(): Thread {
    const worker = new Worker(this.options.worker);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    worker.addEventListener("close", () => resolve());
    return { worker, ended, timer: undefined };
  }

  #ask(worker: Worker, task: Task, transfer: ArrayBuffer[], stopped: AbortSignal): Promise<Answer> {
    const { timeLimitMs } = this.options;
    const over = new AbortController();
    return new Promise<Answer>((resolve, reject) => {
      const listening = { signal: over.signal };
      const timer = setTimeout(() => reject(new TaskTooLong(timeLimitMs)), timeLimitMs);
      over.signal.addEventListener("abort", () => clearTimeout(timer));
      stopped.addEventListener("abort", () => reject(stopped.reason), listening);
      worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => resolve(data), listening);
      worker.addEventListener("error", (event) => reject(new Error(`A worker failed: ${event.message}`)), listening);
      worker.postMessage(task, transfer);
    }).finally(() => over.abort());
  }

  #keep(thread: Thread): void {
    if (this.#stopped.signal.aborted) {
      thread.worker.terminate();
      return;
    }
    this.#idle.push(thread);
    thread.timer = setTimeout(() => {
      this.#idle.splice(this.#idle.indexOf(thread), 1);
      thread.worker.terminate();
    }, this.options.idleMs);
    thread.timer.unref();
  }

  /** Ends all threads; tasks under way and waiting throw ThreadsStopped. */
  [Symbol.dispose](): void {
    this.#stopped.abort(new ThreadsStopped());
    for (const thread of this.#idle.splice(0)) {
      clearTimeout(thread.timer);
      thread.worker.terminate();
    }
  }
}

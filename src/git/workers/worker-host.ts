import type { CommitSigner } from "../objects/commit-signer.ts";
import { noteWork } from "../../lib/note-work.ts";
import { chunkBytes, largestPieceBytes } from "../job/chunk-bytes.ts";
import { ChunkLender, isWorthLending } from "./lent-chunks.ts";
import type { FromWorker, Request, ToWorker } from "./protocol.ts";
import type { Task } from "./task-loop.ts";
import { TooCostly } from "../job/errors.ts";
import { setLane } from "../job/lane.ts";
import { isGenerator, Job, Transferred } from "../job/job.ts";
import { TaskLoop } from "./task-loop.ts";
import { writeWireError } from "../../lib/wire-error.ts";

/** How much of the thread's time a request may have, ms; a stream since it has made something last. */
const budgetMs = 20_000;

/** The handlers of a worker, looked up by name, each with its own types behind `unknown`. */
export interface Handlers {
  /** Called once, before any request. */
  setup(options: { cacheBytes: number; shownBytes: number; signer: CommitSigner | null }): void;
  /** Answers with a result or a `Transferred` one, with a promise of it, or in steps. Throws for an unknown name. */
  call(request: Request, job: Job): unknown;
  stream(request: Request, job: Job): Generator<Uint8Array | undefined, void>;
  /** Called once, at last. Closes files: a thread that ends does not. */
  close(): void;
}

/** The worker's side of the channel: runs requests as tasks that take turns, and answers each exactly once. */
export class WorkerHost {
  readonly #loop = new TaskLoop();
  readonly #tasks = new Map<number, RequestTask>();
  readonly #lender = new ChunkLender();

  constructor(
    private readonly handlers: Handlers,
    private readonly post: (message: FromWorker, transfer: ArrayBuffer[]) => void,
    private readonly endThread: () => void,
  ) {}

  receive(message: ToWorker): void {
    switch (message.kind) {
      case "setup":
        setLane(message.lane);
        return this.handlers.setup(message);
      case "call":
        return this.#call(message.request, message.cancelled);
      case "stream":
        return this.#stream(message.request, message.credit, message.lend);
      case "credit": {
        if (message.slot !== null) {
          this.#lender.takeBack(message.slot);
        }
        const task = this.#tasks.get(message.id);
        if (task instanceof StreamTask && task.allow(message.bytes, message.window)) {
          this.#loop.wake(task);
        }
        return;
      }
      case "return":
        return this.#lender.takeBack(message.slot);
      case "cancel":
        return this.#cancel(message.id);
      case "close":
        for (const task of this.#tasks.values()) {
          task.stop();
        }
        this.handlers.close();
        return this.endThread();
    }
  }

  #call(request: Request, flag: SharedArrayBuffer | null): void {
    const job = this.#job(request, flag);
    if (job.cancelled) {
      this.post({ kind: "cancelled", id: request.id }, []);
      return;
    }
    try {
      const answer = this.handlers.call(request, job);
      if (isGenerator(answer)) {
        this.#start(new CallTask(request, job, answer, this));
      } else if (answer instanceof Promise) {
        answer.then(
          (value) => this.finish(request.id, value),
          (error) => this.fail(request.id, error),
        );
      } else {
        this.finish(request.id, answer);
      }
    } catch (error) {
      this.fail(request.id, error);
    }
  }

  #stream(request: Request, credit: number, lend: boolean): void {
    const job = this.#job(request, null);
    job.windowBytes = credit;
    try {
      this.#start(new StreamTask(request, job, this.handlers.stream(request, job), this, { credit, lend }));
    } catch (error) {
      this.fail(request.id, error);
    }
  }

  #job(request: Request, flag: SharedArrayBuffer | null): Job {
    noteWork();
    return new Job(request.name, flag, (value) => this.post({ kind: "progress", id: request.id, value }, []));
  }

  #start(task: RequestTask): void {
    this.#tasks.set(task.id, task);
    this.#loop.start(task);
  }

  #cancel(id: number): void {
    const task = this.#tasks.get(id);
    if (task !== undefined) {
      this.#tasks.delete(id);
      this.#loop.drop(task);
      task.stop();
    }
    // Said even when the request is over already: it shows that this thread is not stuck.
    this.post({ kind: "cancelled", id }, []);
  }

  finish(id: number, answer: unknown): void {
    this.#tasks.delete(id);
    if (answer instanceof Transferred) {
      this.post({ kind: "result", id, value: answer.value }, [...answer.buffers]);
    } else {
      this.post({ kind: "result", id, value: answer }, []);
    }
  }

  fail(id: number, error: unknown): void {
    this.#tasks.delete(id);
    this.post({ kind: "failure", id, error: writeWireError(error) }, []);
  }

  end(id: number): void {
    this.#tasks.delete(id);
    this.post({ kind: "end", id }, []);
  }

  /** Lends a chunk to the main thread; false when there is no room for it. */
  lend(id: number, bytes: Uint8Array): boolean {
    const chunk = this.#lender.lend(bytes);
    if (chunk !== null) {
      this.post({ kind: "lent", id, chunk }, []);
    }
    return chunk !== null;
  }

  chunk(id: number, bytes: Uint8Array<ArrayBuffer>): void {
    this.post({ kind: "chunk", id, bytes }, [bytes.buffer]);
  }
}

abstract class RequestTask implements Task {
  readonly id: number;
  readonly principal: string;
  protected spentMs = 0;

  constructor(
    request: Request,
    protected readonly job: Job,
    private readonly work: Generator<unknown, unknown>,
    protected readonly host: WorkerHost,
  ) {
    this.id = request.id;
    this.principal = request.principal;
  }

  charge(milliseconds: number): boolean {
    this.spentMs += milliseconds;
    if (this.spentMs <= budgetMs) {
      return true;
    }
    this.stop();
    this.host.fail(this.id, new TooCostly(this.job.name, budgetMs));
    return false;
  }

  abstract step(): "again" | "parked" | "done";

  /** The next thing the work yields; null when it has failed, which is then answered. */
  protected next(): IteratorResult<unknown, unknown> | null {
    try {
      return this.work.next();
    } catch (error) {
      this.host.fail(this.id, error);
      return null;
    }
  }

  /** Ends the work early; its `finally` blocks run. */
  stop(): void {
    this.job.cancel();
    try {
      this.work.return(undefined);
    } catch {
      // Nobody waits for this work any more, so nobody can be told.
    }
  }
}

class CallTask extends RequestTask {
  step(): "again" | "done" {
    const next = this.next();
    if (next === null) {
      return "done";
    }
    if (next.done === true) {
      this.host.finish(this.id, next.value);
      return "done";
    }
    return "again";
  }
}

class StreamTask extends RequestTask {
  #credit: number;
  readonly #lend: boolean;

  constructor(
    request: Request,
    job: Job,
    work: Generator<unknown, unknown>,
    host: WorkerHost,
    options: { readonly credit: number; readonly lend: boolean },
  ) {
    super(request, job, work, host);
    this.#credit = options.credit;
    this.#lend = options.lend;
  }

  /** Adds credit; true when the stream had stopped for want of it. */
  allow(bytes: number, windowBytes: number): boolean {
    this.job.windowBytes = windowBytes;
    const parked = this.#credit <= 0;
    this.#credit += bytes;
    return parked && this.#credit > 0;
  }

  step(): "again" | "parked" | "done" {
    if (this.#credit <= 0) {
      return "parked";
    }
    const next = this.next();
    if (next === null) {
      return "done";
    }
    if (next.done === true) {
      this.host.end(this.id);
      return "done";
    }
    if (next.value instanceof Uint8Array) {
      this.#send(next.value);
    }
    return "again";
  }

  #send(bytes: Uint8Array): void {
    // Copied in either case: what an operation yields may be a view of a cache or a buffer that it fills again.
    for (let at = 0; at < bytes.length;) {
      const end = Math.min(at + largestPieceBytes, bytes.length);
      if (this.#lend && isWorthLending(end - at) && this.host.lend(this.id, bytes.subarray(at, end))) {
        at = end;
      } else {
        // A Buffer's own `slice` would not copy.
        this.host.chunk(this.id, Uint8Array.prototype.slice.call(bytes, at, at + chunkBytes));
        at += chunkBytes;
      }
    }
    this.#credit -= bytes.length;
    this.spentMs = 0;
  }
}

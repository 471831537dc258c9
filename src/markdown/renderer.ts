import { RendererBusy, UnrenderableText } from "./errors.ts";
import type { MarkdownOptions } from "./render-markdown.ts";

export interface ToMarkdownWorker {
  text: string;
  options: MarkdownOptions;
}

export type FromMarkdownWorker = { html: string } | { failure: string };

export interface RendererOptions {
  /** The worker's entry point, see `src/workers.ts`. */
  worker: URL | string;
  /** Longest time for one text, in milliseconds. */
  timeLimitMs: number;
  /** How many texts may wait. */
  queueLimit: number;
  /** A worker that had nothing to do for so long is ended, in milliseconds. */
  idleMs: number;
}

interface Waiting extends ToMarkdownWorker {
  resolve(html: string): void;
  reject(error: Error): void;
}

/**
 * Renders Markdown in a worker of its own, one text after the other: some texts cost minutes, and none may stop the
 * server for longer than its limit. The worker starts when it is first needed and ends when a text takes too long.
 */
export class MarkdownRenderer implements Disposable {
  private readonly queue: Waiting[] = [];
  private worker: Worker | null = null;
  private running: Waiting | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private disposed = false;

  constructor(private readonly options: RendererOptions) {}

  /** Answers sanitized HTML. Throws UnrenderableText and RendererBusy. */
  render(text: string, options: MarkdownOptions): Promise<string> {
    if (this.disposed || this.queue.length >= this.options.queueLimit) {
      return Promise.reject(new RendererBusy());
    }
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.queue.push({ text, options, resolve, reject });
    this.next();
    return promise;
  }

  private next(): void {
    if (this.running !== null) {
      return;
    }
    clearTimeout(this.timer);
    const waiting = this.queue.shift();
    if (waiting === undefined) {
      this.wait(this.options.idleMs, () => this.stop());
      return;
    }
    this.running = waiting;
    this.wait(this.options.timeLimitMs, () => this.giveUp(new UnrenderableText("it takes too long")));
    this.worker ??= this.start();
    this.worker.postMessage({ text: waiting.text, options: waiting.options } satisfies ToMarkdownWorker, []);
  }

  private wait(ms: number, then: () => void): void {
    this.timer = setTimeout(then, ms);
    this.timer.unref();
  }

  private start(): Worker {
    const worker = new Worker(this.options.worker);
    worker.addEventListener("message", ({ data }: MessageEvent<FromMarkdownWorker>) => this.finish(data));
    worker.addEventListener("error", (event) => this.giveUp(new Error(`The Markdown worker failed: ${event.message}`)));
    return worker;
  }

  private finish(answer: FromMarkdownWorker): void {
    const { running } = this;
    this.running = null;
    if ("html" in answer) {
      running?.resolve(answer.html);
    } else {
      running?.reject(answer.failure === "too-deep" ? new UnrenderableText("it is nested too deeply") : new Error(answer.failure));
    }
    this.next();
  }

  private giveUp(error: Error): void {
    const { running } = this;
    this.running = null;
    this.stop();
    running?.reject(error);
    if (!this.disposed) {
      this.next();
    }
  }

  private stop(): void {
    this.worker?.terminate();
    this.worker = null;
  }

  [Symbol.dispose](): void {
    this.disposed = true;
    clearTimeout(this.timer);
    for (const waiting of this.queue.splice(0)) {
      waiting.reject(new RendererBusy());
    }
    this.giveUp(new RendererBusy());
  }
}

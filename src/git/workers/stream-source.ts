import type { StreamWindow } from "./stream-budget.ts";

/** How a stream speaks to the worker that produces it. */
interface Producer {
  credit(bytes: number, windowBytes: number): void;
  cancel(): void;
  /** called once, when the stream is over for whatever reason */
  closed(): void;
}

/**
 * The reader's end of a stream: hands on one chunk for each `pull` and only then lets the worker produce more, so that
 * a reader who stops stops the work.
 */
export class StreamSource {
  readonly #chunks: Uint8Array[] = [];
  #ended = false;
  #over = false;
  #error: unknown = null;
  #waiting: (() => void) | null = null;
  readonly #abort = (): void => {
    if (!this.#over) {
      this.#chunks.length = 0;
      this.#producer.cancel();
      this.fail(this.#signal?.reason);
    }
  };

  readonly #window: StreamWindow;
  readonly #signal: AbortSignal | undefined;
  readonly #producer: Producer;

  constructor(window: StreamWindow, signal: AbortSignal | undefined, producer: Producer) {
    this.#window = window;
    this.#signal = signal;
    this.#producer = producer;
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  get initialCredit(): number {
    return this.#window.size;
  }

  chunk(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#arrived();
  }

  end(): void {
    this.#ended = true;
    this.#close();
    this.#arrived();
  }

  fail(error: unknown): void {
    if (!this.#over) {
      this.#error = error ?? new Error("The stream was aborted");
      this.#close();
      this.#arrived();
    }
  }

  readable(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        pull: (controller) => this.#pull(controller),
        cancel: () => {
          this.#chunks.length = 0;
          if (!this.#over) {
            this.#close();
            this.#producer.cancel();
          }
        },
      },
      { highWaterMark: 0 },
    );
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (this.#chunks.length === 0 && !this.#ended && this.#error === null) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      controller.enqueue(chunk);
      if (!this.#over) {
        const credit = this.#window.taken(chunk.length);
        this.#producer.credit(credit, this.#window.size);
      }
    } else if (this.#error !== null) {
      controller.error(this.#error);
    } else {
      controller.close();
    }
  }

  #arrived(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.();
  }

  #close(): void {
    if (!this.#over) {
      this.#over = true;
      this.#window.close();
      this.#signal?.removeEventListener("abort", this.#abort);
      this.#producer.closed();
    }
  }
}

import type { StreamWindow } from "./stream-budget.ts";

/** How a stream speaks to the worker that produces it. */
interface Producer {
  /** allows so many further bytes, and gives back a slot that was read */
  credit(bytes: number, windowBytes: number, slot: number | null): void;
  /** gives back a slot that was not handed on */
  drop(slot: number): void;
  /** for a slot that someone may still be reading */
  abandon(bytes: Uint8Array, slot: number): void;
  cancel(): void;
  /** called once, when the stream is over for whatever reason */
  closed(): void;
}

/** Bytes from the worker; lent ones are in a slot. */
interface Arrival {
  readonly bytes: Uint8Array;
  readonly slot: number | null;
}

/**
 * The reader's end of a stream: hands on one chunk for each `pull` and only then lets the worker produce more, so that
 * a reader who stops stops the work. A lent chunk is given back when the next one is asked for.
 */
export class StreamSource {
  readonly #chunks: Arrival[] = [];
  /** what was handed on last */
  #reading: Arrival | null = null;
  #ended = false;
  #over = false;
  #error: unknown = null;
  #waiting: (() => void) | null = null;
  readonly #abort = (): void => {
    if (!this.#over) {
      this.#dropChunks();
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

  chunk(bytes: Uint8Array, slot: number | null): void {
    this.#chunks.push({ bytes, slot });
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
          this.#dropChunks();
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
    const read = this.#reading?.slot ?? null;
    const chunk = this.#chunks.shift();
    this.#reading = chunk ?? null;
    if (chunk !== undefined) {
      controller.enqueue(chunk.bytes);
    } else if (this.#error !== null) {
      controller.error(this.#error);
    } else {
      controller.close();
    }
    const credit = chunk === undefined || this.#over ? 0 : this.#window.taken(chunk.bytes.length);
    if (credit > 0 || read !== null) {
      this.#producer.credit(credit, this.#window.size, read);
    }
  }

  #dropChunks(): void {
    const { slot = null, bytes } = this.#reading ?? {};
    if (bytes !== undefined && slot !== null) {
      this.#producer.abandon(bytes, slot);
    }
    this.#reading = null;
    for (const waiting of this.#chunks.splice(0)) {
      if (waiting.slot !== null) {
        this.#producer.drop(waiting.slot);
      }
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

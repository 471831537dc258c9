import { setTimeout as pause } from "node:timers/promises";
import { describeError } from "../db/pg-errors.ts";
import { noteWork } from "../lib/note-work.ts";
import type { Logger } from "../lib/log.ts";

const restMs = 1000;

/** Runs a piece of work whenever somebody asks for it, one run at a time: however often it is asked for during a run, one more follows. */
export class Pump implements AsyncDisposable {
  readonly #stop = new AbortController();
  #asked = false;
  #running: Promise<void> | null = null;

  constructor(
    private readonly what: string,
    private readonly log: Logger,
    private readonly run: (signal: AbortSignal) => Promise<void>,
  ) {}

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  ask(): void {
    this.#asked = true;
    if (!this.#stop.signal.aborted) {
      this.#running ??= this.#work();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop;
    while (this.#asked && !signal.aborted) {
      this.#asked = false;
      noteWork();
      try {
        await this.run(signal);
      } catch (error) {
        if (!signal.aborted) {
          this.log.warn(describeError(error), `${this.what} failed, and is tried again`);
          this.#asked = true;
          await pause(restMs, undefined, { signal }).catch(() => {});
        }
      }
    }
    this.#running = null;
  }
}

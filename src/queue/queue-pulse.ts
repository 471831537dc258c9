import type { JobKinds } from "./job-kind.ts";

/** The state of the job queue in this process: its kinds, whether jobs came, how many run, and when the last one began or ended. */
export class QueuePulse {
  /** Looks for jobs; null: no runner does. */
  listener: (() => void) | null = null;
  #running = 0;
  #movedAt = performance.now();

  constructor(readonly kinds: JobKinds) {}

  /** Says that jobs may have come: a runner need not wait until it looks again by itself. */
  ring(): void {
    this.listener?.();
  }

  /** How many jobs are running. */
  get running(): number {
    return this.#running;
  }

  /** Milliseconds since a job last began or ended. */
  get restMs(): number {
    return performance.now() - this.#movedAt;
  }

  /** Notes that a job began. Disposing of the result notes its end. */
  begin(): Disposable {
    this.#move(1);
    return { [Symbol.dispose]: () => this.#move(-1) };
  }

  #move(by: number): void {
    this.#running += by;
    this.#movedAt = performance.now();
  }
}

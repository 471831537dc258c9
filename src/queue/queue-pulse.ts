import type { JobKind } from "./job-kind.ts";

/** The activity of the job runner of this process. The health endpoint compares it with the jobs that wait. */
export class QueuePulse {
  /** How many jobs of a kind are running. */
  readonly #running = new Map<string, number>();
  #movedAt = performance.now();

  /** Milliseconds since a job last began or ended. */
  get restMs(): number {
    return performance.now() - this.#movedAt;
  }

  /** Notes that a job began. Disposing of the result notes its end. */
  begin({ name }: JobKind): Disposable {
    this.#move(name, 1);
    return { [Symbol.dispose]: () => this.#move(name, -1) };
  }

  /** Whether no more jobs of a kind may begin at the moment. */
  isFull({ name, concurrency }: JobKind): boolean {
    return this.#runningOf(name) >= concurrency;
  }

  /** How many jobs are running, of all kinds. */
  get running(): number {
    return this.#running.values().reduce((sum, count) => sum + count, 0);
  }

  #runningOf(name: string): number {
    return this.#running.get(name) ?? 0;
  }

  #move(name: string, by: number): void {
    this.#running.set(name, this.#runningOf(name) + by);
    this.#movedAt = performance.now();
  }
}

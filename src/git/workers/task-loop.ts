/** One piece of work: does a little at each step and says whether it has more to do at once. */
export interface Task {
  /** "again": call soon; "parked": call after `TaskLoop.wake`; "done": never call again. Must not throw. */
  step(): "again" | "parked" | "done";
}

/**
 * Shares one thread between tasks, round-robin, and returns to the message loop after each turn: so a message that
 * arrives (a small call, a cancellation) waits for one turn at most, however long the tasks are.
 */
export class TaskLoop {
  readonly #ready: Task[] = [];
  readonly #queued = new Set<Task>();
  #scheduled = false;

  /** turnMs: how long one task may run before the next one's turn; now: milliseconds, any origin */
  constructor(
    private readonly turnMs = 4,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Runs a new task's first turn immediately, so that work of less than a turn never waits for another tick. */
  start(task: Task): void {
    this.#turn(task);
  }

  /** Says that a parked task can go on. */
  wake(task: Task): void {
    if (!this.#queued.has(task)) {
      this.#queued.add(task);
      this.#ready.push(task);
      this.#schedule();
    }
  }

  /** Takes a task out; it is not stepped again. */
  drop(task: Task): void {
    this.#queued.delete(task);
  }

  #turn(task: Task): void {
    const end = this.now() + this.turnMs;
    for (;;) {
      const state = task.step();
      if (state !== "again") {
        return;
      }
      if (this.now() >= end) {
        this.wake(task);
        return;
      }
    }
  }

  #schedule(): void {
    if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        const task = this.#ready.shift();
        // Dropped tasks stay in the list and are passed over here.
        if (task !== undefined && this.#queued.delete(task)) {
          this.#turn(task);
        }
        if (this.#ready.length > 0) {
          this.#schedule();
        }
      });
    }
  }
}

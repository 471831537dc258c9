/** One piece of work: does a little at each step and says whether it has more to do at once. */
export interface Task {
  /** For whom it is done; opaque. */
  readonly principal: string;
  /** "again": call soon; "parked": call after `TaskLoop.wake`; "done": never call again. Must not throw. */
  step(): "again" | "parked" | "done";
  /** Told how long the task has run, ms; false when that was more than it may: it has ended then and is not called again. */
  charge(milliseconds: number): boolean;
}

/**
 * Shares one thread between principals, and what each of them has between its tasks, round-robin, and returns to the
 * message loop after each turn: so a message that arrives (a small call, a cancellation) waits for one turn at most, and
 * a principal for one turn of each other one, however many and long their tasks are.
 */
export class TaskLoop {
  /** Tasks that can go on, by principal, in the order of the principals' turns. */
  readonly #ready = new Map<string, Task[]>();
  readonly #queued = new Set<Task>();
  #scheduled = false;

  /** turnMs: how long one task may run before the next one's turn; now: milliseconds, any origin */
  constructor(
    private readonly turnMs = 4,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Runs a new task's first turn at once, so that work of less than a turn never waits for another tick; unless its
   * principal has other work under way and others wait: then it is the principal's next.
   */
  start(task: Task): void {
    const own = this.#ready.get(task.principal);
    if (own === undefined || this.#ready.size === 1) {
      this.#turn(task);
    } else {
      this.#queued.add(task);
      own.unshift(task);
    }
  }

  /** Says that a parked task can go on. */
  wake(task: Task): void {
    if (this.#queued.has(task)) {
      return;
    }
    this.#queued.add(task);
    const own = this.#ready.get(task.principal);
    if (own === undefined) {
      this.#ready.set(task.principal, [task]);
    } else {
      own.push(task);
    }
    this.#schedule();
  }

  /** Takes a task out; it is not stepped again. */
  drop(task: Task): void {
    this.#queued.delete(task);
  }

  #turn(task: Task): void {
    const began = this.now();
    for (;;) {
      const state = task.step();
      if (state === "done") {
        return;
      }
      const milliseconds = this.now() - began;
      if (state === "parked" || milliseconds >= this.turnMs) {
        if (task.charge(milliseconds) && state === "again") {
          this.wake(task);
        }
        return;
      }
    }
  }

  /** The task whose turn it is; null when that one was dropped, or there is none. */
  #next(): Task | null {
    for (const [principal, own] of this.#ready) {
      const task = own.shift();
      // To the end of the order.
      this.#ready.delete(principal);
      if (own.length > 0) {
        this.#ready.set(principal, own);
      }
      return task !== undefined && this.#queued.delete(task) ? task : null;
    }
    return null;
  }

  #schedule(): void {
    if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        const task = this.#next();
        if (task !== null) {
          this.#turn(task);
        }
        if (this.#ready.size > 0) {
          this.#schedule();
        }
      });
    }
  }
}

import { describeError } from "../../db/pg-errors.ts";
import type { Logger } from "../../lib/log.ts";

const intervalMs = 60 * 60_000;

/** One of the things that the server does again and again. */
export interface RegularTask {
  /** Its name in the API, such as `collect_packs`. */
  name: string;
  /** Answers how many of something were dealt with, for the log. */
  run: () => Promise<number>;
}

/** What became of a task so far. */
export interface TaskState {
  name: string;
  runs: number;
  /** When it ran last, and when it runs next; null: it has not run, nothing runs by itself. */
  previous: Date | null;
  next: Date | null;
}

/** Runs tasks every hour in the background, each one once at a time, and whenever somebody asks for it. Disposing ends it. */
export class RegularTasks implements Disposable {
  readonly #tasks = new Map<string, RegularTask & { runs: number; previous: Date | null; running: Promise<void> | null }>();
  #timer: ReturnType<typeof setInterval> | null = null;
  #next: Date | null = null;

  constructor(private readonly log: Logger) {}

  add(task: RegularTask): void {
    this.#tasks.set(task.name, { ...task, runs: 0, previous: null, running: null });
  }

  /** Runs all of them now, and every hour from now on. */
  start(): void {
    const runAll = async () => {
      this.#next = new Date(Date.now() + intervalMs);
      // One after another: none of them is in a hurry.
      for (const name of this.#tasks.keys()) {
        await this.run(name);
      }
    };
    void runAll();
    this.#timer = setInterval(() => void runAll(), intervalMs);
  }

  list(): TaskState[] {
    return [...this.#tasks.values()].map(({ name, runs, previous }) => ({ name, runs, previous, next: this.#next }));
  }

  has(name: string): boolean {
    return this.#tasks.has(name);
  }

  /** Runs a task, or waits for the end of the run that is under way. Failures are logged. */
  async run(name: string): Promise<void> {
    const task = this.#tasks.get(name);
    if (task === undefined) {
      return;
    }
    if (task.running === null) {
      task.previous = new Date();
      task.running = this.#perform(name, task.run).finally(() => {
        task.running = null;
        task.runs++;
      });
    }
    await task.running;
  }

  async #perform(name: string, run: () => Promise<number>): Promise<void> {
    try {
      const done = await run();
      if (done > 0) {
        this.log.info({ task: name, done }, "Did what is done every hour");
      }
    } catch (error) {
      this.log.warn({ task: name, ...describeError(error) }, "What is done every hour could not be done");
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer ?? undefined);
  }
}

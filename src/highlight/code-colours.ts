import { ByteCache } from "../lib/byte-cache.ts";
import { noteUnfinished } from "../lib/request-context.ts";
import { TaskTooLong, WorkThreads } from "../lib/work-threads.ts";
import type { HighlightedCode } from "./highlight-code.ts";

/** A text to colour, for a thread. */
export interface CodeTask {
  readonly path: string;
  readonly code: string;
  readonly limitMs: number;
}

/** null: it has no colours. `failure`: a fault of ours. */
export type CodeAnswer = { readonly highlighted: HighlightedCode | null } | { readonly failure: string };

/** A file whose colours are wanted. */
export interface WantedCode {
  /** Names the text for ever: the blob's oid, with something behind it for a part of a blob. */
  readonly oid: string;
  readonly path: string;
  /** The text; null if there is none. Called only where the colours are not known. */
  read(): Promise<string | null>;
}

export interface CodeColoursOptions {
  /** The entry point of the threads, see `src/workers.ts`. */
  readonly worker: URL | string;
  /** So long a page waits for all its colours, milliseconds; 80 if absent. */
  readonly patienceMs?: number | undefined;
}

const patienceMs = 80;
/** A longer text stays plain: it takes a second. */
const longestText = 512 * 1024;
/** Colours of some hundred files. */
const cacheBytes = 32 * 1024 * 1024;
/** So long a thread colours one text; what it has not reached stays plain. */
const limitMs = 500;
/** A thread that does not come back is ended: nothing stops an expression that is being matched. */
const timeLimitMs = 3000;
const idleMs = 60_000;
/** A page waits so much longer if the thread has to start first. */
const startMs = 300;
/** Beyond this, the files of a page that has not waited are left for its next view. */
const mostLateMs = 1500;
const share = { what: "files to colour", places: 2, placesEach: 1, waiting: 100, waitingEach: 10, waitingMs: 1000 };

/**
 * Colours code in threads that principals share fairly, and keeps the colours of files by their oids. A page waits for a
 * moment; what is late is there when the page is asked for again.
 */
export class CodeColours implements Disposable {
  readonly #threads: WorkThreads<CodeTask, CodeAnswer>;
  readonly #known = new ByteCache<HighlightedCode | null>(cacheBytes);
  readonly #running = new Map<string, Promise<HighlightedCode | null>>();
  #usedAt = -Infinity;

  constructor(private readonly options: CodeColoursOptions) {
    this.#threads = new WorkThreads({ worker: options.worker, timeLimitMs, idleMs, share });
  }

  /** The colours of the files of a page, which share its time; null for a file that has none yet. Never throws. */
  async find(files: readonly WantedCode[], signal: AbortSignal): Promise<readonly (HighlightedCode | null)[]> {
    const found = files.map((file) => this.#known.get(keyOf(file)));
    if (!found.includes(undefined)) {
      return found as (HighlightedCode | null)[];
    }
    const end = performance.now() + mostLateMs;
    const colouring = (async () => {
      for (const [index, file] of files.entries()) {
        if (found[index] === undefined && performance.now() < end && !signal.aborted) {
          found[index] = await this.#colour(file);
        }
      }
    })();
    await settledWithin(colouring, this.#patience());
    if (found.includes(undefined)) {
      noteUnfinished();
    }
    return found.map((one) => one ?? null);
  }

  #patience(): number {
    const isWarm = performance.now() - this.#usedAt < idleMs;
    return (this.options.patienceMs ?? patienceMs) + (isWarm ? 0 : startMs);
  }

  async #colour(file: WantedCode): Promise<HighlightedCode | null> {
    const key = keyOf(file);
    const running =
      this.#running.get(key) ??
      this.#work(file, key)
        // No colours now, for whatever reason; at the next view perhaps.
        .catch(() => null)
        .finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  async #work(file: WantedCode, key: string): Promise<HighlightedCode | null> {
    const code = await file.read();
    if (code === null || code.length > longestText) {
      this.#known.set(key, null, 0);
      return null;
    }
    try {
      const answer = await this.#threads.run({ path: file.path, code, limitMs });
      const highlighted = "highlighted" in answer ? answer.highlighted : null;
      this.#known.set(key, highlighted, sizeOf(highlighted));
      return highlighted;
    } catch (error) {
      if (error instanceof TaskTooLong) {
        // Nobody shall end a thread with it again.
        this.#known.set(key, null, 0);
      }
      throw error;
    } finally {
      this.#usedAt = performance.now();
    }
  }

  [Symbol.dispose](): void {
    this.#threads[Symbol.dispose]();
  }
}

/** The name of a file tells its language. */
function keyOf({ oid, path }: WantedCode): string {
  return `${oid} ${path.slice(path.lastIndexOf("/") + 1)}`;
}

function sizeOf(highlighted: HighlightedCode | null): number {
  return highlighted === null ? 0 : 2 * highlighted.markup.length + 200 * highlighted.symbols.length;
}

async function settledWithin(work: Promise<void>, timeMs: number): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeMs);
  await Promise.race([work, over]);
  clearTimeout(timer);
}

import type { LiveSubject } from "../../spine/live-subject.ts";

/** So many subjects are remembered with the time of their last change: what a page missed while it loaded is told then. */
const mostRemembered = 10_000;

/**
 * Tells open pages that what they show has changed, after the commit. It carries no content and knows no rights: who listens reads the
 * subject again with the rights of the reader. Nothing depends on it, because a page that is loaded again shows everything.
 *
 * `tell` is the one entry. A change calls it for the pages of its own process. With several processes, each calls it for what the others
 * announce through the database.
 */
export class LiveHub implements Disposable {
  readonly #listeners = new Map<LiveSubject, Set<() => void>>();
  /** When a subject changed last, milliseconds; the oldest first. */
  readonly #changes = new Map<LiveSubject, number>();
  /** Since when `#changes` has everything, milliseconds. */
  #knownSince = Date.now();
  readonly #closing = new AbortController();

  /** Aborted when the server stops: streams end then, because they would hold it up. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  tell(subjects: Iterable<LiveSubject>): void {
    const heard = new Set<() => void>();
    for (const subject of subjects) {
      this.#remember(subject);
      for (const hear of this.#listeners.get(subject) ?? []) {
        heard.add(hear);
      }
    }
    for (const hear of heard) {
      hear();
    }
  }

  /** Calls `hear` once for each `tell` that names one of these, until the result is disposed of. */
  listen(subjects: Iterable<LiveSubject>, hear: () => void): Disposable {
    const own = new Set(subjects);
    for (const subject of own) {
      const listeners = this.#listeners.get(subject) ?? new Set();
      this.#listeners.set(subject, listeners.add(hear));
    }
    return {
      [Symbol.dispose]: () => {
        for (const subject of own) {
          const listeners = this.#listeners.get(subject);
          listeners?.delete(hear);
          if (listeners?.size === 0) {
            this.#listeners.delete(subject);
          }
        }
      },
    };
  }

  /** Whether one of these has changed since a time in milliseconds. A time before all that is remembered counts as changed. */
  hasChanged(subjects: Iterable<LiveSubject>, since: number): boolean {
    return since < this.#knownSince || [...subjects].some((subject) => (this.#changes.get(subject) ?? 0) >= since);
  }

  #remember(subject: LiveSubject): void {
    this.#changes.delete(subject);
    this.#changes.set(subject, Date.now());
    if (this.#changes.size > mostRemembered) {
      const [[oldest, at] = [subject, 0]] = this.#changes;
      this.#changes.delete(oldest);
      this.#knownSince = at + 1;
    }
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
  }
}

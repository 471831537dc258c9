import { inGitMapOrder } from "./git-map-order.ts";
import { directoryOf, nameOf } from "./merge-path.ts";
import type { DirectoryRelevance } from "./rename-input.ts";

/** Stands for the directory of files whose new place is not known (yet); no path is like it. */
const unknownDirectory = "/";

/** How many files went from each removed directory to which other one. */
export class DirectoryCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  constructor(private readonly removed: Map<string, DirectoryRelevance>) {}

  /** Counts a renamed file, for its directory and those above it that were renamed along with it. */
  count(from: string, to: string): void {
    let [old, now] = [from, to];
    for (let first = true; ; first = false) {
      const [oldName, nowName] = [nameOf(old), nameOf(now)];
      [old, now] = [directoryOf(old), directoryOf(now)];
      const relevance = this.removed.get(old);
      if (relevance === undefined || (!first && oldName !== nowName)) {
        return;
      }
      if (relevance === "itself" || first) {
        this.#increment(old, now);
      }
      if (relevance === "no" || old === "" || now === "") {
        return;
      }
    }
  }

  /** Where most files of a directory went so far; null when none did. */
  guess(directory: string): string | null {
    let best: string | null = null;
    let most = 0;
    const counts = this.#counts.get(directory) ?? new Map<string, number>();
    for (const target of inGitMapOrder(counts.keys())) {
      const count = counts.get(target)!;
      if (count > most) {
        most = count;
        best = target;
      }
    }
    return best;
  }

  /**
   * Finds the directories whose new place no file can change any more: they then matter to those above them only.
   * `open`: files whose new place is not known.
   */
  settle(open: Iterable<string>): void {
    for (const path of open) {
      for (
        let directory = directoryOf(path);
        directory !== "" && (this.removed.get(directory) ?? "no") !== "no";
        directory = directoryOf(directory)
      ) {
        this.#increment(directory, unknownDirectory);
      }
    }
    for (const [directory, counts] of this.#counts) {
      if (this.removed.get(directory) === "itself" && isDecided(counts)) {
        this.removed.set(directory, "ancestors");
      }
    }
  }

  /** Whether where a file went may still decide where one of its directories went. */
  matters(path: string): boolean {
    for (let directory = directoryOf(path); ; directory = directoryOf(directory)) {
      const relevance = this.removed.get(directory) ?? "no";
      if (relevance !== "ancestors") {
        return relevance === "itself";
      }
      if (directory === "") {
        return false;
      }
    }
  }

  /** For each removed directory that matters where it went; null where two places have as many files. */
  renames(): Map<string, string | null> {
    const renames = new Map<string, string | null>();
    for (const [directory, counts] of this.#counts) {
      if ((this.removed.get(directory) ?? "no") === "no") {
        continue;
      }
      const sorted = [...counts]
        .filter(([target]) => target !== unknownDirectory)
        .sort(([, left], [, right]) => right - left);
      const [first, second] = sorted;
      if (first !== undefined) {
        renames.set(directory, second !== undefined && second[1] === first[1] ? null : first[0]);
      }
    }
    return renames;
  }

  #increment(old: string, now: string): void {
    const counts = this.#counts.get(old) ?? new Map<string, number>();
    this.#counts.set(old, counts);
    counts.set(now, (counts.get(now) ?? 0) + 1);
  }
}

function isDecided(counts: ReadonlyMap<string, number>): boolean {
  let first = 0;
  let second = 0;
  for (const [target, count] of counts) {
    if (target !== unknownDirectory) {
      second = count >= first ? first : Math.max(second, count);
      first = Math.max(first, count);
    }
  }
  return first > second + (counts.get(unknownDirectory) ?? 0);
}

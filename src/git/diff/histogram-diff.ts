import type { DiffEffort } from "./diff-effort.ts";
import type { LineEdit } from "./line-diff.ts";
import type { NumberedLines } from "./line-table.ts";
import { myersDiff } from "./myers-diff.ts";

/** A line that occurs more often than this aligns nothing. */
const maxOccurrences = 64;

/** Equal runs of lines of both texts: `length` lines from `before` and from `after` on. */
interface Run {
  readonly before: number;
  readonly after: number;
  readonly length: number;
}

/**
 * Marks the edit that turns one text into the other in `edit`, which must be all 0. It finds the run of equal lines
 * that contains the rarest line of the first text, and the longest of several such runs. Then it continues before and
 * after the run. Where all common lines are frequent, Myers' algorithm takes over. This is git's histogram diff, which
 * comes from JGit. Throws DiffTooCostly.
 */
export function histogramDiff(lines: NumberedLines, edit: LineEdit, effort: DiffEffort): void {
  const search = new RunSearch(lines, effort);
  const regions: Region[] = [{ before: 0, beforeEnd: lines.before.length, after: 0, afterEnd: lines.after.length }];
  for (let region = regions.pop(); region !== undefined; region = regions.pop()) {
    const { before, beforeEnd, after, afterEnd } = region;
    if (before === beforeEnd || after === afterEnd) {
      markAll(edit, region);
      continue;
    }
    const found = search.find(region);
    if (found === "frequent") {
      const part = {
        before: lines.before.subarray(before, beforeEnd),
        after: lines.after.subarray(after, afterEnd),
        classes: lines.classes,
      };
      myersDiff(
        part,
        { removed: edit.removed.subarray(before, beforeEnd), added: edit.added.subarray(after, afterEnd) },
        effort,
        false,
      );
    } else if (found === null) {
      markAll(edit, region);
    } else {
      regions.push({ before: found.before + found.length, beforeEnd, after: found.after + found.length, afterEnd });
      regions.push({ before, beforeEnd: found.before, after, afterEnd: found.after });
    }
  }
}

interface Region {
  readonly before: number;
  readonly beforeEnd: number;
  readonly after: number;
  readonly afterEnd: number;
}

function markAll(edit: LineEdit, region: Region): void {
  edit.removed.fill(1, region.before, region.beforeEnd);
  edit.added.fill(1, region.after, region.afterEnd);
}

/** Finds the best run of a region; its arrays serve all regions of one diff. */
class RunSearch {
  /** by class: where it first occurs in the region of the first text, and how often */
  readonly #first: Int32Array;
  readonly #count: Int32Array;
  /** by line of the first text: where its class occurs next in the region, or -1 */
  readonly #next: Int32Array;

  constructor(
    private readonly lines: NumberedLines,
    private readonly effort: DiffEffort,
  ) {
    this.#first = new Int32Array(lines.classes);
    this.#count = new Int32Array(lines.classes);
    this.#next = new Int32Array(lines.before.length);
  }

  /** null: nothing in common; "frequent": what is in common occurs too often */
  find(region: Region): Run | "frequent" | null {
    const { before } = this.lines;
    this.effort.spend(region.beforeEnd - region.before + region.afterEnd - region.after);
    for (let at = region.beforeEnd - 1; at >= region.before; at--) {
      const line = before[at]!;
      const seen = this.#count[line]!;
      this.#next[at] = seen > 0 ? this.#first[line]! : -1;
      this.#first[line] = at;
      this.#count[line]!++;
    }
    const result = this.#search(region);
    for (let at = region.before; at < region.beforeEnd; at++) {
      this.#count[before[at]!] = 0;
    }
    return result;
  }

  #search(region: Region): Run | "frequent" | null {
    const { before, after } = this.lines;
    let rarest = maxOccurrences + 1;
    let common = false;
    let best: Run | null = null;
    let at = region.after;
    while (at < region.afterEnd) {
      const line = after[at]!;
      const count = this.#count[line]!;
      let following = at + 1;
      common ||= count > 0;
      if (count > 0 && count <= rarest) {
        let place = this.#first[line]!;
        while (place >= 0) {
          let low = place;
          let lowAfter = at;
          let high = place + 1;
          let highAfter = at + 1;
          let occurrences = count;
          while (low > region.before && lowAfter > region.after && before[low - 1] === after[lowAfter - 1]) {
            low--;
            lowAfter--;
            if (occurrences > 1) {
              occurrences = Math.min(occurrences, this.#count[before[low]!]!);
            }
          }
          while (high < region.beforeEnd && highAfter < region.afterEnd && before[high] === after[highAfter]) {
            if (occurrences > 1) {
              occurrences = Math.min(occurrences, this.#count[before[high]!]!);
            }
            high++;
            highAfter++;
          }
          this.effort.spend(high - low);
          following = Math.max(following, highAfter);
          if ((best?.length ?? 1) < high - low || occurrences < rarest) {
            best = { before: low, after: lowAfter, length: high - low };
            rarest = occurrences;
          }
          do {
            place = this.#next[place]!;
          } while (place >= 0 && place < high);
        }
      }
      at = following;
    }
    return common && rarest > maxOccurrences ? "frequent" : best;
  }
}

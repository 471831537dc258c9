import { holds, nearOf } from "./near.ts";
import type { Step } from "./pattern-program.ts";

/** Bytes of a text that match, the end not among them. */
export interface MatchSpan {
  readonly start: number;
  readonly end: number;
}

/** More of one line help nobody. */
const maxSpans = 100;
/** So many steps are gone before others may have their turn. */
const stepsAtOnce = 200_000;

/**
 * The matches between two places of one line: each the longest of those that begin first, none empty, none over another,
 * at most 100. The time of each is in proportion to the program and the bytes up to where it is decided. Yields now and then.
 */
export function* matchSpans(
  program: readonly Step[],
  text: Uint8Array,
  { start, end }: MatchSpan,
): Generator<void, readonly MatchSpan[]> {
  const spans: MatchSpan[] = [];
  const search = new SpanSearch(program, text, end);
  for (let at = start; at < end && spans.length < maxSpans;) {
    const span = yield* search.first(at);
    if (span === null) {
      break;
    }
    if (span.end > span.start) {
      spans.push(span);
    }
    at = Math.max(span.end, span.start + 1);
  }
  return spans;
}

/** Goes through a text with all steps at which a match could be, those of earlier beginnings first. */
class SpanSearch {
  /** Steps that were looked at since others had their turn. */
  #effort = 0;
  /** Steps before the next byte, and where the match of each began. */
  #steps: number[] = [];
  #starts: number[] = [];
  /** The place at which a step was last reached: a later beginning has nothing to add to it. */
  readonly #seenAt: Float64Array;

  constructor(
    private readonly program: readonly Step[],
    private readonly text: Uint8Array,
    private readonly end: number,
  ) {
    this.#seenAt = new Float64Array(program.length);
  }

  *first(from: number): Generator<void, MatchSpan | null> {
    this.#steps = [];
    this.#starts = [];
    this.#seenAt.fill(-1);
    let found: MatchSpan | null = null;
    for (let at = from; ; at++) {
      if (this.#effort > stepsAtOnce) {
        this.#effort = 0;
        yield;
      }
      const began = this.#follow(at, found === null);
      if (began !== null && (found === null || began <= found.start)) {
        found = { start: began, end: at };
      }
      if (at >= this.end) {
        return found;
      }
      // Where nothing is under way, and nothing was found, a match may still begin further on.
      if (!this.#advance(at, found) && found !== null) {
        return found;
      }
    }
  }

  /**
   * Replaces the steps by those that take a byte and are reached from them without one. Answers where the earliest match
   * began that ends here; null where none does. `mayBegin`: also a match that begins here.
   */
  #follow(at: number, mayBegin: boolean): number | null {
    const [before, after] = [nearOf(this.text[at - 1]), nearOf(this.text[at])];
    const steps: number[] = [];
    const starts: number[] = [];
    let ended: number | null = null;
    const count = this.#steps.length + (mayBegin ? 1 : 0);
    for (let place = 0; place < count; place++) {
      const start = this.#starts[place] ?? at;
      const open = [this.#steps[place] ?? 0];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (this.#seenAt[next] === at) {
          continue;
        }
        this.#seenAt[next] = at;
        this.#effort++;
        const step = this.program[next]!;
        if (step.kind === "match") {
          ended ??= start;
        } else if (step.kind === "fork") {
          open.push(step.first, step.second);
        } else if (step.kind === "jump") {
          open.push(step.to);
        } else if (step.kind === "set") {
          steps.push(next);
          starts.push(start);
        } else if (holds(step.assertion, before, after)) {
          open.push(next + 1);
        }
      }
    }
    this.#steps = steps;
    this.#starts = starts;
    return ended;
  }

  /** Takes the byte at `at`. Whether something is under way that could be, or prolong, the first match. */
  #advance(at: number, found: MatchSpan | null): boolean {
    const byte = this.text[at]!;
    const steps: number[] = [];
    const starts: number[] = [];
    for (const [place, next] of this.#steps.entries()) {
      const step = this.program[next]!;
      const start = this.#starts[place]!;
      if (step.kind === "set" && step.bytes[byte] === 1 && (found === null || start <= found.start)) {
        steps.push(next + 1);
        starts.push(start);
      }
    }
    this.#steps = steps;
    this.#starts = starts;
    return steps.length > 0;
  }
}

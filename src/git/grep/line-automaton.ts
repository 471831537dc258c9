import { holds, nearOf, type Near } from "./near.ts";
import { isWordByte, lineFeed } from "./pattern-node.ts";
import type { Step } from "./pattern-program.ts";

/** Where the program can be before a byte, as far as it is known without that byte. */
interface State {
  readonly steps: Int32Array;
  readonly before: Near;
}

const unknown = -1;
const accepted = -2;
/** Larger tables and lists of steps are thrown away and begun again: memory stays bounded, and time linear. */
const maxTableEntries = 1 << 20;
const maxKeptSteps = 1 << 19;

/**
 * Finds lines in which a program matches somewhere. States of the search are made when they are first met and kept in
 * a table, so that most bytes cost one look into it, and none more than the number of the program's steps.
 */
export class LineAutomaton {
  /** where the search stands */
  at = 0;
  /** what was spent on new states since this was last set to 0, about a unit a step */
  effort = 0;
  readonly #classOf = new Uint8Array(256);
  /** one byte of each class */
  readonly #bytes: number[] = [];
  readonly #edgeClass: number;
  readonly #width: number;
  #states: State[] = [];
  #known = new Map<string, number>();
  #keptSteps = 0;
  #table = new Int32Array(0);
  #state = 0;
  readonly #start: State;

  constructor(private readonly program: readonly Step[]) {
    this.#findClasses();
    this.#edgeClass = this.#classOf[lineFeed]!;
    this.#width = this.#bytes.length;
    this.#start = { steps: Int32Array.of(0), before: "edge" };
    this.#forget();
  }

  /** Begins anew at a place that is the beginning of a line. */
  begin(at: number): void {
    this.at = at;
    this.#state = 0;
  }

  /**
   * Goes on to `end`. True when the line at `at` matches, whose line feed, if it has one, is at `at` or behind it; false
   * when `end` is reached, null when it stopped because `effort` is more than `maxEffort`. An end of the text that is none
   * of a line is told by `finish`.
   */
  run(bytes: Uint8Array, end: number, maxEffort: number): boolean | null {
    let state = this.#state;
    for (let at = this.at; at < end; at++) {
      const kind = this.#classOf[bytes[at]!]!;
      let next = this.#table[state + kind]!;
      if (next === unknown) {
        if (this.effort > maxEffort) {
          this.at = at;
          this.#state = state;
          return null;
        }
        next = this.#next(state, kind);
      }
      if (next === accepted) {
        this.at = at;
        return true;
      }
      state = next;
    }
    this.at = end;
    this.#state = state;
    return false;
  }

  /** Whether a last line without a line feed matches, when all of it was gone through. */
  finish(): boolean {
    const known = this.#table[this.#state + this.#edgeClass]!;
    return (known === unknown ? this.#next(this.#state, this.#edgeClass) : known) === accepted;
  }

  /** Bytes that no step tells apart are of one class. */
  #findClasses(): void {
    const sets = this.program.filter((step) => step.kind === "set").map((step) => step.bytes);
    const classes = new Map<string, number>();
    for (let byte = 0; byte < 256; byte++) {
      const key = `${byte === lineFeed} ${isWordByte(byte)} ${sets.map((set) => set[byte]).join("")}`;
      const known = classes.get(key) ?? classes.size;
      classes.set(key, known);
      this.#classOf[byte] = known;
      this.#bytes[known] ??= byte;
    }
  }

  #forget(): void {
    this.#states = [];
    this.#known = new Map();
    this.#keptSteps = 0;
    this.#table = new Int32Array(64 * this.#width).fill(unknown);
    this.#offsetOf(this.#start);
  }

  /** Where the row of a state begins in the table. */
  #offsetOf(state: State): number {
    const key = `${state.before} ${state.steps.join()}`;
    const known = this.#known.get(key);
    if (known !== undefined) {
      return known;
    }
    const offset = this.#states.length * this.#width;
    if (offset + this.#width > this.#table.length) {
      const larger = new Int32Array(this.#table.length * 2).fill(unknown);
      larger.set(this.#table);
      this.#table = larger;
    }
    this.#states.push(state);
    this.#known.set(key, offset);
    this.#keptSteps += state.steps.length;
    this.effort += state.steps.length;
    return offset;
  }

  #next(offset: number, kind: number): number {
    const state = this.#states[offset / this.#width]!;
    const byte = this.#bytes[kind]!;
    const isEdge = kind === this.#edgeClass;
    const after = isEdge ? "edge" : nearOf(byte);
    const reached = this.#follow(state, after);
    this.effort += reached.length;
    let next = accepted;
    if (!reached.some((step) => this.program[step]!.kind === "match")) {
      const target = isEdge ? this.#start : { steps: this.#stepOver(reached, byte), before: after };
      if (this.#table.length > maxTableEntries || this.#keptSteps > maxKeptSteps) {
        this.#forget();
        return this.#offsetOf(target);
      }
      next = this.#offsetOf(target);
    }
    this.#table[offset + kind] = next;
    return next;
  }

  /** The steps that are reached without a byte, when it is known what is before and after. */
  #follow({ steps, before }: State, after: Near): number[] {
    const seen = new Uint8Array(this.program.length);
    const reached: number[] = [];
    const open = [...steps];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen[at] === 1) {
        continue;
      }
      seen[at] = 1;
      reached.push(at);
      const step = this.program[at]!;
      if (step.kind === "fork") {
        open.push(step.first, step.second);
      } else if (step.kind === "jump") {
        open.push(step.to);
      } else if (step.kind === "assertion" && holds(step.assertion, before, after)) {
        open.push(at + 1);
      }
    }
    return reached;
  }

  /** A match may begin at each byte, so the first step is always among them. */
  #stepOver(reached: readonly number[], byte: number): Int32Array {
    const next = new Set([0]);
    for (const at of reached) {
      const step = this.program[at]!;
      if (step.kind === "set" && step.bytes[byte] === 1) {
        next.add(at + 1);
      }
    }
    return Int32Array.from(next).sort();
  }
}

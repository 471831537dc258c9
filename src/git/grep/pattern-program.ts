import { InvalidInput } from "../../lib/errors.ts";
import type { Assertion, PatternNode } from "./pattern-node.ts";

/** One step of a program; all steps that it can be at go forward together (Thompson's construction). */
export type Step =
  | { readonly kind: "set"; readonly bytes: Uint8Array }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  /** goes on at each of the two steps */
  | { readonly kind: "fork"; first: number; second: number }
  | { readonly kind: "jump"; to: number }
  | { readonly kind: "match" };

/** More make each byte of a text cost too much. */
const maxSteps = 2000;

/** Compiles a pattern to steps; it starts with the first one. Throws InvalidInput for too many steps. */
export function compileProgram(pattern: PatternNode): Step[] {
  const program = new ProgramWriter();
  program.write(pattern);
  program.add({ kind: "match" });
  return program.steps;
}

class ProgramWriter {
  readonly steps: Step[] = [];

  add<Added extends Step>(step: Added): Added {
    if (this.steps.length >= maxSteps) {
      throw new InvalidInput("Cannot search for a pattern that repeats so much in itself", "pattern");
    }
    this.steps.push(step);
    return step;
  }

  write(node: PatternNode): void {
    switch (node.kind) {
      case "empty":
        return;
      case "set":
      case "assertion":
        this.add(node);
        return;
      case "sequence":
        node.parts.forEach((part) => this.write(part));
        return;
      case "choice":
        this.#writeChoice(node.parts);
        return;
      case "repeat":
        this.#writeRepeat(node.part, node.least, node.most);
        return;
    }
  }

  #writeChoice(parts: readonly PatternNode[]): void {
    const ends: { kind: "jump"; to: number }[] = [];
    parts.forEach((part, at) => {
      if (at === parts.length - 1) {
        this.write(part);
        return;
      }
      const fork = this.add({ kind: "fork", first: this.steps.length + 1, second: 0 });
      this.write(part);
      ends.push(this.add({ kind: "jump", to: 0 }));
      fork.second = this.steps.length;
    });
    ends.forEach((end) => (end.to = this.steps.length));
  }

  #writeRepeat(part: PatternNode, least: number, most: number | null): void {
    for (let time = 0; time < least; time++) {
      this.write(part);
    }
    if (most === null) {
      const start = this.steps.length;
      const fork = this.add({ kind: "fork", first: start + 1, second: 0 });
      this.write(part);
      this.add({ kind: "jump", to: start });
      fork.second = this.steps.length;
      return;
    }
    const forks: { second: number }[] = [];
    for (let time = least; time < most; time++) {
      forks.push(this.add({ kind: "fork", first: this.steps.length + 1, second: 0 }));
      this.write(part);
    }
    forks.forEach((fork) => (fork.second = this.steps.length));
  }
}

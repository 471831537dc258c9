import type { PatternNode } from "./pattern-node.ts";

export interface RequiredLiteral {
  /** bytes that stand in every match */
  readonly bytes: Uint8Array;
  /** whether they are all that a match needs */
  readonly isAll: boolean;
}

/** The longest bytes that a pattern cannot match without; null when there are none. They are found faster than the rest. */
export function requiredLiteral(pattern: PatternNode): RequiredLiteral | null {
  const parts = pattern.kind === "sequence" ? pattern.parts : [pattern];
  let best: number[] = [];
  let run: number[] = [];
  for (const part of parts) {
    const byte = part.kind === "set" ? onlyByte(part.bytes) : null;
    run = byte === null ? [] : [...run, byte];
    best = run.length > best.length ? run : best;
  }
  return best.length === 0 ? null : { bytes: Uint8Array.from(best), isAll: best.length === parts.length };
}

function onlyByte(bytes: Uint8Array): number | null {
  const first = bytes.indexOf(1);
  return first >= 0 && bytes.indexOf(1, first + 1) < 0 ? first : null;
}

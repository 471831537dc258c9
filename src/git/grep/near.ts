import { isWordByte, lineFeed, type Assertion } from "./pattern-node.ts";

/** The neighbour before or after a place in a line. */
export type Near = "edge" | "word" | "other";

/** Classifies a byte for its neighbours; undefined is the end of the text. */
export function nearOf(byte: number | undefined): Near {
  return byte === undefined || byte === lineFeed ? "edge" : isWordByte(byte) ? "word" : "other";
}

/** Whether an assertion holds between two neighbours. */
export function holds(assertion: Assertion, before: Near, after: Near): boolean {
  const [wordBefore, wordAfter] = [before === "word", after === "word"];
  switch (assertion) {
    case "line-start":
      return before === "edge";
    case "line-end":
      return after === "edge";
    case "word-start":
      return !wordBefore && wordAfter;
    case "word-end":
      return wordBefore && !wordAfter;
    case "word-edge":
      return wordBefore !== wordAfter;
    case "no-word-edge":
      return wordBefore === wordAfter;
    case "no-word-before":
      return !wordBefore;
    case "no-word-after":
      return !wordAfter;
  }
}

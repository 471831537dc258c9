import { InvalidInput, StithyError } from "../errors.ts";
import { Turns } from "../turns.ts";

/** How deep arrays and objects may be nested in a body. */
const maxLevels = 100;
/** Bytes that are looked at before others may have their turn: about a millisecond. */
const stepBytes = 1024 * 1024;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A JSON body has more values than the server takes, which would cost far more memory and time than its bytes. */
class TooManyValues extends StithyError {
  constructor(limit: number) {
    super(
      "too-large",
      "body-too-large",
      `The body has more than the ${limit} keys and values that the server takes in one body: send it in several parts`,
      { limit },
    );
  }
}

/**
 * Counts the keys and values of JSON before it is parsed, in one pass over its bytes: a body of small values takes a
 * hundred times as long to parse as it takes to look at, and all at once. What is no JSON is left for the parser to
 * refuse. Throws TooManyValues (code "body-too-large") and InvalidInput for JSON that is nested too deeply.
 */
export async function checkJson(bytes: Uint8Array, maxValues: number): Promise<void> {
  const counter = new JsonCounter(maxValues);
  const turns = new Turns();
  for (let from = 0; from < bytes.length; from += stepBytes) {
    counter.take(bytes, from, Math.min(bytes.length, from + stepBytes));
    if (turns.over) {
      await turns.pass();
    }
  }
}

/** Counts the keys and values of JSON whose bytes come in pieces. */
export class JsonCounter {
  #values = 0;
  #levels = 0;
  #isInText = false;
  #isEscaped = false;

  constructor(private readonly maxValues: number) {}

  /** Counts the values in these bytes. Throws TooManyValues and InvalidInput, see checkJson. */
  take(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      at = this.#isInText ? this.#skipText(bytes, at, to) : at;
      if (at < to) {
        this.#count(bytes[at]!);
      }
    }
    if (this.#values > this.maxValues) {
      throw new TooManyValues(this.maxValues);
    }
  }

  /** Where the text ends that `at` is in: at its quote, or `to`. */
  #skipText(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    for (; at < to; at++) {
      const byte = bytes[at]!;
      if (this.#isEscaped) {
        this.#isEscaped = false;
      } else if (byte === backslash) {
        this.#isEscaped = true;
      } else if (byte === quote) {
        break;
      }
    }
    return at;
  }

  #count(byte: number): void {
    switch (byte) {
      case quote:
        this.#isInText = !this.#isInText;
        break;
      case comma:
      case colon:
        this.#values++;
        break;
      case openList:
      case openObject:
        this.#values++;
        this.#levels++;
        if (this.#levels > maxLevels) {
          throw new InvalidInput(`The body must not be nested deeper than ${maxLevels} levels`);
        }
        break;
      case closeList:
      case closeObject:
        this.#levels--;
        break;
    }
  }
}

import type { ByteSteps } from "../job/job.ts";
import { WholeAnswer } from "./whole-answer.ts";

/** How many bytes all responses in the making may have put aside together, because readers may be slow. */
const maxGatheredBytes = 8 * 1024 * 1024;
let gatheredBytes = 0;

/** How it went on with an answer that was put aside: it is whole, or was left to the first reader. */
type Outcome = { readonly whole: WholeAnswer; readonly bytes: number } | { readonly tooLarge: boolean };

interface Making {
  readonly steps: ByteSteps;
  /** how much the first reader wants at once */
  readonly pieceBytes: () => number;
  /** A larger response is left to the first reader. */
  readonly maxBytes: number;
  /** Whether it costs next to nothing to make again: then it is left to the first reader, too. */
  readonly isCheap: () => boolean;
  /** called once */
  readonly onOutcome: (outcome: Outcome) => void;
}

/**
 * A response in the making that several requests for the same data share. The request that has its turn makes the next
 * piece, and the piece is kept. The first request gets each piece as it comes. The others wait for the whole response.
 * If it becomes too large to keep, the first request continues alone, and each of the others makes its own.
 */
export class AnswerInMaking {
  /** what is put aside */
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  /** how many of them the first has taken */
  #taken = 0;
  #outcome: Outcome | null = null;
  #failure: { readonly error: unknown } | null = null;
  #hasFirst = true;
  #waiting = 0;

  constructor(private readonly making: Making) {}

  /** The answer for the first, as it is made. Throws what making it throws. */
  *lead(): ByteSteps {
    const { steps, pieceBytes } = this.making;
    try {
      while (this.#outcome === null) {
        const chunk = this.#chunks[this.#taken];
        if (chunk !== undefined) {
          this.#taken++;
          yield chunk;
        } else if (!this.#step()) {
          yield undefined;
        }
      }
      if ("whole" in this.#outcome) {
        yield* this.#outcome.whole.read(pieceBytes, this.#taken);
        return;
      }
      for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) {
        this.#putBack(chunk.length);
        yield chunk;
      }
      if (this.#failure !== null) {
        throw this.#failure.error;
      }
      yield* steps;
    } finally {
      this.#hasFirst = false;
      this.#stopUnread();
    }
  }

  /** Waits for the whole response that another request makes. Returns null if it became too large or failed. */
  *wait(): Generator<undefined, WholeAnswer | null> {
    this.#waiting++;
    try {
      while (this.#outcome === null) {
        this.#step();
        yield undefined;
      }
      return "whole" in this.#outcome ? this.#outcome.whole : null;
    } finally {
      this.#waiting--;
      this.#stopUnread();
    }
  }

  /** Does one step; whether there is something new to read or to know. */
  #step(): boolean {
    try {
      const { done, value } = this.making.steps.next();
      if (done === true) {
        this.#end({ whole: new WholeAnswer([...this.#chunks], this.#bytes), bytes: this.#bytes });
      } else if (value === undefined) {
        return false;
      } else {
        this.#gather(value);
      }
    } catch (error) {
      this.#failure = { error };
      this.#end({ tooLarge: false });
    }
    return true;
  }

  #gather(chunk: Uint8Array): void {
    // Copied, since what was yielded may be filled again.
    this.#chunks.push(chunk.slice());
    this.#bytes += chunk.length;
    gatheredBytes += chunk.length;
    const tooLarge = this.#bytes > this.making.maxBytes;
    if (tooLarge || gatheredBytes > maxGatheredBytes || this.making.isCheap()) {
      this.#end({ tooLarge });
    }
  }

  #end(outcome: Outcome): void {
    this.#outcome = outcome;
    // The pieces that the first reader has taken are dropped at once, since a large answer may be read for minutes
    // after this.
    const gone = "whole" in outcome ? this.#chunks.splice(0) : this.#chunks.splice(0, this.#taken);
    this.#putBack(gone.reduce((bytes, { length }) => bytes + length, 0));
    this.making.onOutcome(outcome);
    this.#stopUnread();
  }

  #putBack(bytes: number): void {
    gatheredBytes -= bytes;
    this.#bytes -= bytes;
  }

  /** Ends the work that nobody is left to read, or to wait for. */
  #stopUnread(): void {
    if (this.#hasFirst || (this.#outcome === null && this.#waiting > 0)) {
      return;
    }
    this.#putBack(this.#bytes);
    this.#chunks.length = 0;
    this.making.steps.return();
    if (this.#outcome === null) {
      this.#outcome = { tooLarge: false };
      this.making.onOutcome(this.#outcome);
    }
  }
}

import { FairShare } from "../fair-share.ts";
import { currentPrincipal } from "../request-context.ts";
import { AnswerTooLarge, writeJson, writeSmallJson } from "./write-json.ts";

/** Written JSON. The holder of `place` disposes of it when the bytes are sent; null for few bytes. */
export type WrittenJson = { content: string; place: null } | { content: Uint8Array; place: Disposable | null };

/** Larger answers keep their place until they are sent. */
const keptBytes = 1024 * 1024;

/** As many large answers are in memory at once, each of another principal. */
const share = { what: "large answers", places: 3, placesEach: 1, waiting: 100, waitingEach: 20 };

/** Writes the JSON of answers: small values at once, others in turns, with a limit of bytes and of how many there are at once. */
export class JsonWriter {
  readonly #share = new FairShare(share);

  constructor(private readonly limitBytes: number) {}

  /** Waits for a place for a large answer of the current principal. Throws Busy and the signal's reason. */
  takePlace(signal: AbortSignal): Promise<Disposable> {
    return this.#share.take(currentPrincipal(), signal);
  }

  /**
   * Writes a value that need not wait for a place: one of few bytes, or a large one if there is a place now. null: it has to wait. Throws
   * AnswerTooLarge and the signal's reason.
   */
  async writeNow(value: unknown, signal: AbortSignal): Promise<WrittenJson | null> {
    const small = writeSmallJson(value);
    if (small !== null) {
      return { content: small, place: null };
    }
    const place = this.#share.tryTake(currentPrincipal());
    return place === null ? writeKept(value, signal) : this.write(value, place, signal);
  }

  /** Writes a value in a place, and gives the place back unless the answer keeps it. Throws AnswerTooLarge and the signal's reason. */
  async write(value: unknown, place: Disposable, signal: AbortSignal): Promise<WrittenJson> {
    try {
      const content = await writeJson(value, this.limitBytes, signal);
      if (content.length > keptBytes) {
        return { content, place };
      }
      place[Symbol.dispose]();
      return { content, place: null };
    } catch (error) {
      place[Symbol.dispose]();
      throw error;
    }
  }
}

/** Writes a value that needs no place if it has few bytes: a list may turn out to be short. null: it has more. */
async function writeKept(value: unknown, signal: AbortSignal): Promise<WrittenJson | null> {
  try {
    return { content: await writeJson(value, keptBytes, signal), place: null };
  } catch (error) {
    if (error instanceof AnswerTooLarge) {
      return null;
    }
    throw error;
  }
}

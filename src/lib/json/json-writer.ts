import { FairShare } from "../fair-share.ts";
import { currentPrincipal } from "../principal.ts";
import { AnswerTooLarge, writeJson, writeSmallJson } from "./write-json.ts";

/** JSON that was written. Whoever has `place` disposes of it when the bytes are sent; null where there are few. */
export type WrittenJson = { content: string; place: null } | { content: Uint8Array; place: Disposable | null };

/** Larger answers keep their place until they are sent. */
const keptBytes = 1024 * 1024;

/** As many large answers are in memory at once, each of another principal. */
const share = { what: "large answers", places: 3, placesEach: 1, waiting: 100, waitingEach: 20 };

/** There is no place for a large answer now. Its value is not to be held meanwhile: forty lists of long texts are gigabytes. */
export class LargeAnswerWaits extends Error {}

/** Writes the JSON of answers: small values at once, others in turns, with a limit of bytes and of how many there are at once. */
export class JsonWriter {
  readonly #share = new FairShare(share);

  constructor(private readonly limitBytes: number) {}

  /** Waits for a place for a large answer of the current principal. Throws Busy and the signal's reason. */
  takePlace(signal: AbortSignal): Promise<Disposable> {
    return this.#share.take(currentPrincipal(), signal);
  }

  /**
   * Writes a value. `held`: a place that whoever asks has taken, and gives up; "none": there is to be no waiting for one. Throws LargeAnswerWaits
   * if there would be, AnswerTooLarge, Busy, and the signal's reason.
   */
  async write(value: unknown, signal: AbortSignal, held: Disposable | "none" | null = null): Promise<WrittenJson> {
    const small = writeSmallJson(value);
    if (small !== null) {
      if (held !== "none") {
        held?.[Symbol.dispose]();
      }
      return { content: small, place: null };
    }
    const now = held === "none" || held === null ? this.#share.tryTake(currentPrincipal()) : held;
    if (now === null && held === "none") {
      return { content: await writeKept(value, signal), place: null };
    }
    const place = now ?? (await this.takePlace(signal));
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

/** Writes a value that needs no place if it has few bytes: a list may turn out to be short. Throws LargeAnswerWaits if it has more. */
async function writeKept(value: unknown, signal: AbortSignal): Promise<Uint8Array> {
  try {
    return await writeJson(value, keptBytes, signal);
  } catch (error) {
    throw error instanceof AnswerTooLarge ? new LargeAnswerWaits() : error;
  }
}

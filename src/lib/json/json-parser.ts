import { releaseBytes } from "../release-bytes.ts";
import { WorkThreads } from "../work-threads.ts";
import { checkJson, JsonCounter } from "./check-json.ts";
import { parseJson, type ParsedJson } from "./parse-json.ts";

export interface JsonParserOptions {
  /** The workers' entry point, see `src/workers.ts`. */
  worker: URL | string;
  /** Most keys and values in one text. */
  maxValues: number;
}

/** More bytes are parsed in another thread: so many take 20 ms at most, as long as there are not too many values. */
const parsedHere = 2 * 1024 * 1024;

const threads = {
  timeLimitMs: 30_000,
  idleMs: 60_000,
  share: { what: "large JSON texts", places: 2, placesEach: 1, waiting: 50, waitingEach: 10 },
};

/** Parses JSON that callers send, so that nobody else waits for it: the number of values is limited. */
export class JsonParser implements Disposable {
  readonly #threads: WorkThreads<Uint8Array, ParsedJson>;

  constructor(private readonly options: JsonParserOptions) {
    this.#threads = new WorkThreads({ ...threads, worker: options.worker });
  }

  /** Parses UTF-8 JSON, whose memory is given away. `maxValues`: in place of that of callers' bodies. Throws TooManyValues, InvalidInput (nested too deeply), Busy, and the signal's reason. */
  async parse(bytes: Uint8Array, signal?: AbortSignal, maxValues = this.options.maxValues): Promise<ParsedJson> {
    try {
      await checkJson(bytes, maxValues);
    } catch (error) {
      releaseBytes(bytes);
      throw error;
    }
    if (bytes.length <= parsedHere) {
      return parseJson(bytes);
    }
    return this.#threads.run(bytes, bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [], signal);
  }

  /** Counts the values of a text that comes in pieces, as `parse` does with a whole one. */
  counter(): JsonCounter {
    return new JsonCounter(this.options.maxValues);
  }

  [Symbol.dispose](): void {
    this.#threads[Symbol.dispose]();
  }
}

import { StithyError } from "../errors.ts";
import { TaskTooLong, WorkThreads } from "../work-threads.ts";
import type { ParsedYaml } from "./parse-yaml.ts";

/** A text cannot be read as YAML. */
export class UnreadableYaml extends StithyError {
  constructor(
    problem: string,
    /** It took too long: others of the same author may, too. */
    readonly isSlow = false,
  ) {
    super("invalid", "unreadable-yaml", problem);
  }
}

const timeLimitMs = 2000;
const idleMs = 60_000;
const share = { what: "files in YAML to read", places: 1, placesEach: 1, waiting: 100, waitingEach: 10 };

/** Parses what strangers wrote in YAML, in a thread that principals share: 32 KB of anchors take the library a fifth of a second, and a repository has thirty such files. */
export class YamlReader implements Disposable {
  readonly #threads: WorkThreads<string, ParsedYaml>;

  /** `worker` is the entry point, see `src/workers.ts`. */
  constructor(worker: URL | string) {
    this.#threads = new WorkThreads({ worker, timeLimitMs, idleMs, share });
  }

  /** The value of a text, of plain values. Throws UnreadableYaml, Busy, and the signal's reason. */
  async read(text: string, signal?: AbortSignal): Promise<unknown> {
    const answer = await this.#threads.run(text, [], signal).catch((error: unknown) => {
      throw error instanceof TaskTooLong ? new UnreadableYaml("it takes too long to read", true) : error;
    });
    if ("problem" in answer) {
      throw new UnreadableYaml(answer.problem);
    }
    return JSON.parse(answer.json);
  }

  [Symbol.dispose](): void {
    this.#threads[Symbol.dispose]();
  }
}

import { StithyError } from "../lib/errors.ts";
import { TaskTooLong, WorkThreads } from "../lib/work-threads.ts";
import type { Definition, EditorconfigFile } from "./read-definition.ts";

export interface ToEditorconfigWorker {
  path: string;
  files: readonly EditorconfigFile[];
}

/** `failure`: the library could not read what the files say. */
export type FromEditorconfigWorker = { definition: Definition } | { failure: string };

/** What a repository's files say cannot be found out. */
export class UnreadableEditorconfig extends StithyError {
  constructor(reason: string) {
    super("invalid", "unreadable-editorconfig", `The repository's .editorconfig cannot be read: ${reason}`);
  }
}

const timeLimitMs = 1000;
const idleMs = 60_000;
const share = { what: ".editorconfig files to read", places: 1, placesEach: 1, waiting: 100, waitingEach: 10 };

/** Reads .editorconfig files in a thread that principals share: with large ones and a long path it takes a while. */
export class EditorconfigReader implements Disposable {
  readonly #threads: WorkThreads<ToEditorconfigWorker, FromEditorconfigWorker>;

  /** `worker` is the entry point, see `src/workers.ts`. */
  constructor(worker: URL | string) {
    this.#threads = new WorkThreads({ worker, timeLimitMs, idleMs, share });
  }

  /** What the files say of a path, see readDefinition. Throws UnreadableEditorconfig, Busy, and the signal's reason. */
  async read(path: string, files: readonly EditorconfigFile[], signal?: AbortSignal): Promise<Definition> {
    const answer = await this.#threads.run({ path, files }, [], signal).catch((error: unknown) => {
      throw error instanceof TaskTooLong ? new UnreadableEditorconfig("its patterns take too long") : error;
    });
    if ("failure" in answer) {
      throw new UnreadableEditorconfig(answer.failure);
    }
    return answer.definition;
  }

  [Symbol.dispose](): void {
    this.#threads[Symbol.dispose]();
  }
}

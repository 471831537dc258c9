import { readFileSync, statSync } from "node:fs";
import { OutputReader, type Failure } from "./output-reader.ts";

/** What is told of a run of test files while it lasts. */
export interface RunWatcher {
  fileDone(): void;
  failed(failure: Failure): void;
}

/** The log of a process of `bun test`, read as it grows. */
export class FollowedLog {
  readonly #reader = new OutputReader();
  readonly #decoder = new TextDecoder();
  #bytes = 0;
  #grewAt = Date.now();
  #filesTold = 0;
  #failuresTold = 0;

  constructor(
    private readonly path: string,
    private readonly watcher: RunWatcher | undefined,
  ) {}

  /** Files that the process came to, in order. */
  get files(): readonly string[] {
    return this.#reader.files;
  }

  /** For how long it has not grown, milliseconds, as of the last `look`. */
  get silentMs(): number {
    return Date.now() - this.#grewAt;
  }

  /** Reads what is new, and tells it. The file that the process is at is not done. */
  look(): void {
    if (statSync(this.path).size > this.#bytes) {
      const piece = readFileSync(this.path).subarray(this.#bytes);
      this.#bytes += piece.length;
      this.#grewAt = Date.now();
      this.#reader.read(this.#decoder.decode(piece, { stream: true }));
    }
    this.#tell(this.files.length - 1);
  }

  /** Reads the rest and a notice of its own, and tells that so many files are done. */
  end(notice: string, done: number): void {
    this.#reader.read(notice);
    this.#tell(done);
  }

  #tell(done: number): void {
    for (; this.#filesTold < done; this.#filesTold++) {
      this.watcher?.fileDone();
    }
    for (const failure of this.#reader.failures.slice(this.#failuresTold)) {
      this.watcher?.failed(failure);
      this.#failuresTold++;
    }
  }
}

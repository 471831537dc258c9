import { describeFailure, durationText } from "./describe-run.ts";
import type { Failure } from "./output-reader.ts";

/** So often a log is told how far a run is. */
const tellEveryMs = 30_000;

/** Where progress is shown. */
export interface Screen {
  /** whether a line can be written over */
  readonly isTerminal: boolean;
  write(text: string): void;
  now(): number;
}

/** Shows how many files of a run are done, and failures as they come: on one line of a terminal, on a few of a log. */
export class Progress {
  #done = 0;
  #failures = 0;
  readonly #began: number;
  #toldAt: number;
  #hasLine = false;

  constructor(
    private readonly files: number,
    private readonly screen: Screen,
  ) {
    this.#began = screen.now();
    this.#toldAt = this.#began;
  }

  fileDone(): void {
    this.#done++;
    this.show();
  }

  failed(failure: Failure): void {
    this.#failures++;
    this.clear();
    this.screen.write(`\n${describeFailure(failure).join("\n")}\n`);
    this.show();
  }

  /** Takes the line away, before something else is written. */
  clear(): void {
    if (this.#hasLine) {
      this.screen.write("\r\u001B[K");
      this.#hasLine = false;
    }
  }

  /** Shows it anew, because time has passed. */
  show(): void {
    const now = this.screen.now();
    const failures = this.#failures === 0 ? "" : `, ${this.#failures} failures`;
    const text = `${this.#done} of ${this.files} files${failures}, ${durationText(now - this.#began)}`;
    if (this.screen.isTerminal) {
      this.screen.write(`\r\u001B[K${text}`);
      this.#hasLine = true;
    } else if (now - this.#toldAt >= tellEveryMs) {
      this.screen.write(`${text}\n`);
      this.#toldAt = now;
    }
  }
}

/** A failure as `bun test` prints it below the name of its file. */
export interface Failure {
  readonly file: string;
  readonly line: string;
  /** what was printed since the test before it ended; of an error outside of tests, what follows */
  readonly text: readonly string[];
}

/** Reads what a process of `bun test` prints, piece by piece. */
export class OutputReader {
  /** Files that the process came to, in order. */
  readonly files: string[] = [];
  /** Failures so far, each once: the process names them again at its end. */
  readonly failures: Failure[] = [];
  #rest = "";
  #text: string[] = [];
  #isOver = false;

  /** Reads all that a process printed. */
  static of(output: string): OutputReader {
    const reader = new OutputReader();
    reader.read(`${output}\n`);
    return reader;
  }

  read(piece: string): void {
    const lines = `${this.#rest}${piece}`.split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      this.#readLine(line.trimEnd());
    }
  }

  #readLine(line: string): void {
    this.#isOver ||= /^\d+ tests? failed:$/.test(line);
    if (this.#isOver) {
      return;
    }
    const [, named] = /^(\S+\.test\.ts):$/.exec(line) ?? [];
    const [, lost] = /^✗ (\S+)/.exec(line) ?? [];
    const isUnhandled = line === "# Unhandled error between tests";
    const isFailure = line.startsWith("(fail) ");
    if (named !== undefined) {
      this.files.push(named);
    }
    if (named !== undefined || isUnhandled || /^\((pass|skip|todo)\) /.test(line)) {
      this.#text = [];
    } else if (!isFailure && lost === undefined) {
      this.#text.push(line);
    }
    if (isFailure || isUnhandled || lost !== undefined) {
      this.failures.push({ file: lost ?? this.files.at(-1) ?? "", line, text: this.#text });
    }
    if (isFailure || lost !== undefined) {
      this.#text = [];
    }
  }
}

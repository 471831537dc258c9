/**
 * Lets a command go on when the reader of its output has ended, as `head` does after its lines. The command still ends
 * what it has begun, such as the database that it started.
 */
export function ignoreClosedOutput(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") {
      throw error;
    }
  });
}

/** Writes a result line to standard output. */
export function printResult(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  printResult(JSON.stringify(value));
}

/** Tells a person something that is no result. */
export function printNote(text: string): void {
  process.stderr.write(`${text}\n`);
}

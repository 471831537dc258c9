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

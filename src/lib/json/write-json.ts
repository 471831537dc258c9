import { StithyError } from "../errors.ts";
import { releaseBytes } from "../release-bytes.ts";
import { Turns } from "../turns.ts";

/** A value of no more than about so many bytes of JSON is written at once, in less than a millisecond. */
const atOnce = 512 * 1024;
/** Longer texts are written in parts of so many UTF-16 code units. */
const partLength = 64 * 1024;
/** Parts are put together until they have so many bytes. */
const chunkBytes = 1024 * 1024;

/** An answer would have more bytes of JSON than the server makes. */
export class AnswerTooLarge extends StithyError {
  constructor(limitBytes: number) {
    super(
      "too-large",
      "answer-too-large",
      `The answer would have more than ${limitBytes} bytes: ask for less at a time, such as a smaller page with "limit"`,
      { limitBytes },
    );
  }
}

/** A list whose items are made one by one while they are written. */
class LateList {
  constructor(
    readonly rows: readonly unknown[],
    readonly present: (row: never) => unknown,
  ) {}
}

/**
 * A long list in an answer. `present` makes the JSON of one row at a time while the answer is written: the server never
 * holds all of it, and others have their turns. For the writer of answers only; its type is that of what it stands for.
 */
export function presentLate<Row, Presented>(rows: readonly Row[], present: (row: Row) => Presented): Presented[] {
  return new LateList(rows, present) as unknown as Presented[];
}

/** The JSON of a value if it is small; null if it has to be written in turns. */
export function writeSmallJson(value: unknown): string | null {
  return isSmall(value) ? JSON.stringify(value) : null;
}

/**
 * Writes a value as JSON.stringify does, in pieces between which others have their turns. Throws AnswerTooLarge as soon
 * as there are more than `limitBytes`.
 */
export async function writeJson(value: unknown, limitBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
  const turns = new Turns();
  using output = new Output(limitBytes);
  for (const _ of piecesOf(value, output)) {
    if (turns.over) {
      await turns.pass();
      signal?.throwIfAborted();
    }
  }
  return output.finish();
}

class Output implements Disposable {
  readonly #chunks: Uint8Array[] = [];
  #parts: string[] = [];
  #partBytes = 0;
  #bytes = 0;

  constructor(private readonly limitBytes: number) {}

  add(part: string): void {
    const bytes = Buffer.byteLength(part);
    this.#bytes += bytes;
    this.#partBytes += bytes;
    if (this.#bytes > this.limitBytes) {
      throw new AnswerTooLarge(this.limitBytes);
    }
    this.#parts.push(part);
    if (this.#partBytes >= chunkBytes) {
      this.#pack();
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Throws AnswerTooLarge when, with so many more bytes, it would be far too large. */
  foresee(bytes: number): void {
    if (this.#bytes + bytes > 2 * this.limitBytes) {
      throw new AnswerTooLarge(this.limitBytes);
    }
  }

  #pack(): void {
    this.#chunks.push(Buffer.from(this.#parts.join("")));
    this.#parts = [];
    this.#partBytes = 0;
  }

  finish(): Uint8Array {
    this.#pack();
    return Buffer.concat(this.#chunks, this.#bytes);
  }

  [Symbol.dispose](): void {
    this.#chunks.forEach(releaseBytes);
  }
}

/** Adds the JSON of a value to the output; yields after each piece. */
function* piecesOf(value: unknown, output: Output): Generator<void> {
  if (value instanceof LateList) {
    yield* listPieces(lateItems(value, output), output);
  } else if (isSmall(value)) {
    output.add(JSON.stringify(value) ?? "null");
    yield;
  } else if (typeof value === "string") {
    yield* textPieces(value, output);
  } else if (Array.isArray(value)) {
    yield* listPieces(value, output);
  } else if (typeof value === "object" && value !== null) {
    yield* objectPieces(value, output);
  }
}

/** Rows after which the size of the rest is foreseeable. */
const sampleRows = 256;

function* lateItems({ rows, present }: LateList, output: Output): Generator<unknown> {
  const before = output.bytes;
  for (const [index, row] of rows.entries()) {
    if (index % sampleRows === 0 && index > 0) {
      output.foresee(((output.bytes - before) / index) * (rows.length - index));
    }
    yield present(row as never);
  }
}

function* listPieces(items: Iterable<unknown>, output: Output): Generator<void> {
  let separator = "[";
  for (const item of items) {
    output.add(separator);
    separator = ",";
    yield* piecesOf(item, output);
  }
  output.add(separator === "[" ? "[]" : "]");
}

function* objectPieces(value: object, output: Output): Generator<void> {
  let separator = "{";
  for (const [key, item] of Object.entries(value) as [string, unknown][]) {
    if (item !== undefined && typeof item !== "function" && typeof item !== "symbol") {
      output.add(`${separator}${JSON.stringify(key)}:`);
      separator = ",";
      yield* piecesOf(item, output);
    }
  }
  output.add(separator === "{" ? "{}" : "}");
}

function* textPieces(text: string, output: Output): Generator<void> {
  output.add('"');
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + partLength);
    // The two halves of a character stay together: a half alone is written as an escape.
    if (to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) {
      to++;
    }
    output.add(JSON.stringify(text.slice(from, to)).slice(1, -1));
    from = to;
    yield;
  }
  output.add('"');
}

/** About how many bytes of JSON values have that never change, and that stand in many answers. */
const lengths = new WeakMap<object, number>();

/** Has the length of a frozen value known, so that it is not worked out for each answer. */
export function rememberLength(value: object): void {
  const left = roomAfter(value, atOnce);
  if (left >= 0) {
    lengths.set(value, atOnce - left);
  }
}

function isSmall(value: unknown): boolean {
  return roomAfter(value, atOnce) >= 0;
}

/** Returns about how much room is left after a value; negative as soon as the value does not fit. */
function roomAfter(value: unknown, room: number): number {
  if (typeof value === "string") {
    return room - value.length - 3;
  }
  if (typeof value !== "object" || value === null) {
    return room - 8;
  }
  if (value instanceof LateList) {
    return -1;
  }
  const known = lengths.get(value);
  if (known !== undefined) {
    return room - known;
  }
  if ("toJSON" in value) {
    return room - 64;
  }
  let left = room - 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) {
      left = roomAfter(value[index], left);
    }
    return left;
  }
  for (const key in value) {
    left = roomAfter((value as Record<string, unknown>)[key], left - key.length - 4);
    if (left < 0) {
      return left;
    }
  }
  return left;
}

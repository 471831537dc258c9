import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { SeedError } from "./seed-error.ts";
import { messageOf } from "../../../lib/errors.ts";
import { parseSeed } from "./read-seed.ts";
import type { Seed } from "./seed.ts";

/** A part of a seed's file: all of it, or one line. */
export interface SeedPart {
  readonly seed: Seed;
  /** The beginning of places in it: `line 3: `, or nothing. */
  readonly prefix: string;
  /** Bytes of the file up to its end. */
  readonly end: number;
}

/** Largest line, and largest file that is not made of lines, bytes. */
const largestPart = 64 * 1024 * 1024;

/**
 * Reads a file that is one seed, or has a seed on each line, of which one is in memory at a time. It is lines where the first one
 * is JSON by itself. Throws SeedError.
 */
export async function* readSeedParts(path: string): AsyncGenerator<SeedPart> {
  const size = await sizeOf(path);
  let isLines = false;
  for await (const { text, number, end } of linesOf(path)) {
    if (text.trim() === "") {
      continue;
    }
    isLines ||= isJson(text);
    if (!isLines) {
      break;
    }
    const prefix = `line ${number}: `;
    yield { seed: prefixed(prefix, () => parseSeed(text, "The line")), prefix, end };
  }
  if (isLines) {
    return;
  }
  if (size > largestPart) {
    throw new SeedError([
      `The file ${path} has more than ${largestPart / 1024 ** 2} MiB: write it as several seeds, each on a line of its own`,
    ]);
  }
  const text = await Bun.file(path).text();
  yield { seed: parseSeed(text, path), prefix: "", end: size };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    throw new SeedError([`The file ${path} cannot be read: ${messageOf(error)}`]);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function prefixed<Result>(prefix: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw error instanceof SeedError ? new SeedError(error.problems.map((problem) => prefix + problem)) : error;
  }
}

async function* linesOf(path: string): AsyncGenerator<{ text: string; number: number; end: number }> {
  let rest: Buffer[] = [];
  let held = 0;
  let end = 0;
  let number = 1;
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const text = Buffer.concat([...rest, chunk.subarray(from, at)]).toString();
      end += held + at - from + 1;
      yield { text, number: number++, end };
      [rest, held, from] = [[], 0, at + 1];
    }
    rest.push(chunk.subarray(from));
    held += chunk.length - from;
    if (held > largestPart) {
      throw new SeedError([
        `line ${number}: it has more than ${largestPart / 1024 ** 2} MiB: divide it into several lines`,
      ]);
    }
  }
  if (held > 0) {
    yield { text: Buffer.concat(rest).toString(), number, end: end + held };
  }
}

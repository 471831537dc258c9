import { closeSync, openSync, readFileSync } from "node:fs";
import { FileRange } from "./inflate-pieces.ts";
import { largeBlobBytes } from "./pack-limits.ts";

/** The content of a blob, in a file. */
export interface FiledBytes {
  /** absolute */
  readonly path: string;
  readonly size: number;
}

/** The content itself where it is not too large to be held. */
export function holdIfSmall(bytes: Uint8Array | FiledBytes): Uint8Array | FiledBytes {
  return bytes instanceof Uint8Array || bytes.size > largeBlobBytes ? bytes : readFileSync(bytes.path);
}

/** The content in pieces, each of which is valid until the next is asked for. */
export function* filedPieces({ path, size }: FiledBytes): Generator<Uint8Array, void> {
  const descriptor = openSync(path, "r");
  try {
    const range = new FileRange(descriptor, path, 0, size);
    for (let piece = range.next(); piece !== null; piece = range.next()) {
      yield piece;
    }
  } finally {
    closeSync(descriptor);
  }
}

import type { PackageType } from "../../db/schema/packages.ts";
import { StithyError } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import type { Work } from "../spine/work.ts";
import {
  countIndexes,
  getIndexBytes,
  insertStanzas,
  listPartBytes,
  type NewStanza,
  type PartBytes,
} from "./index-queries.ts";

/** The index has all that it may have: it is written anew for every change. */
class IndexTooLarge extends StithyError {
  constructor(name: string, limitBytes: number) {
    super(
      "too-large",
      "package-index-too-large",
      `The lists of the index "${clip(name, 80)}" would have more than ${limitBytes} bytes; delete old versions, or begin another one`,
      { name, limitBytes },
    );
  }
}

/** The owner has as many indexes of a format as one may have. */
class TooManyIndexes extends StithyError {
  constructor(name: string) {
    super(
      "too-large",
      "too-many-package-indexes",
      `There are ${mostIndexes} indexes of this format already, and "${clip(name, 80)}" would be another; delete the packages of one first`,
      { name },
    );
  }
}

/** Distributions, groups or repositories of a format that one owner may have. */
const mostIndexes = 100;

/** How many bytes the lists of an index have that is written from these parts. */
export type ListedBytes = (parts: readonly PartBytes[]) => number;

/**
 * Adds to indexes what a file adds to them. `listedBytes` is for formats that write a part into more than one list. Throws IndexTooLarge and
 * TooManyIndexes.
 */
export async function addStanzas(
  { tx, config }: Work,
  file: { id: number; ownerId: number; type: PackageType },
  stanzas: readonly NewStanza[],
  listedBytes?: ListedBytes,
): Promise<void> {
  const { ownerId, type } = file;
  const limit = config.packages.index_limit_bytes;
  for (const name of await insertStanzas(tx, file, stanzas)) {
    if ((await countIndexes(tx, ownerId, type)) > mostIndexes) {
      throw new TooManyIndexes(name);
    }
    const index = { ownerId, type, name };
    const bytes = listedBytes ? listedBytes(await listPartBytes(tx, index)) : await getIndexBytes(tx, index);
    if (bytes > limit) {
      throw new IndexTooLarge(name, limit);
    }
  }
}

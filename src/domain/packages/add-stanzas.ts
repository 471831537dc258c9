import type { PackageType } from "../../db/schema/packages.ts";
import { StithyError } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import type { Work } from "../work.ts";
import { insertStanzas, type NewStanza } from "./index-queries.ts";

/** The index has all that it may have: it is written anew for every change. */
class IndexTooLarge extends StithyError {
  constructor(name: string, limitBytes: number) {
    super(
      "too-large",
      "package-index-too-large",
      `The index "${clip(name, 80)}" would name packages with more than ${limitBytes} bytes; delete old versions, or begin another one`,
      { name, limitBytes },
    );
  }
}

/** Adds to indexes what a file adds to them. Throws IndexTooLarge. */
export async function addStanzas(
  { tx, config }: Work,
  file: { id: number; ownerId: number; type: PackageType },
  stanzas: readonly NewStanza[],
): Promise<void> {
  const largest = await insertStanzas(tx, file, stanzas);
  const limit = config.packages.index_limit_bytes;
  if (largest !== null && largest.bytes > limit) {
    throw new IndexTooLarge(largest.name, limit);
  }
}

import { InvalidInput } from "../lib/errors.ts";
import { clip } from "../lib/show-value.ts";

/** Reads the id of a row in an address or a form; null for a text that can be none. */
export function readRowId(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

/** Reads the id of a row in the field of a form. Throws InvalidInput. */
export function getRowId(text: string, field: string): number {
  const id = readRowId(text);
  if (id === null) {
    throw new InvalidInput(`"${clip(text, 80)}" is no id`, field);
  }
  return id;
}

/** Reads the id of a row in an address or a form; null for a text that can be none. */
export function readRowId(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

import type { AttributeValue } from "../attributes/parse-attributes.ts";

/** How far git looks for a NUL. */
const searchedBytes = 8000;

/** Whether a file is text to git: what its `diff` attribute says, or else that no NUL is near its beginning. */
export function isBinary(content: Uint8Array, diff: AttributeValue | undefined): boolean {
  return typeof diff === "boolean" ? !diff : content.subarray(0, searchedBytes).includes(0);
}

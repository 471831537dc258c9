/**
 * The result of parsing JSON: its value, why it is malformed, or the key of a text that contains a NUL (empty: the
 * value itself).
 */
export type ParsedJson = { value: unknown } | { malformed: string } | { nulIn: string };

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Parses UTF-8 JSON (RFC 8259); nothing but blanks is an empty object. No text that is stored can have a NUL. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { malformed: "it is not UTF-8" };
  }
  if (text.trim() === "") {
    return { value: {} };
  }
  let nulIn: string | null = null;
  const noteNul = (key: string, value: unknown): unknown => {
    if (key.includes("\0") || (typeof value === "string" && value.includes("\0"))) {
      nulIn ??= key.replaceAll("\0", "");
    }
    return value;
  };
  try {
    // Looking closer costs only those bodies that seem to have one.
    const value: unknown = text.includes("\\u0000") ? JSON.parse(text, noteNul) : JSON.parse(text);
    return nulIn === null ? { value } : { nulIn };
  } catch (error) {
    return { malformed: `it is not JSON (${error instanceof Error ? error.message : String(error)})` };
  }
}

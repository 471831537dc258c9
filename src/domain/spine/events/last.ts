/**
 * Things as they were when they were deleted, for receivers that hear of it after their rows are gone: as JSON in which dates and bytes come back
 * as what they were.
 */
export function keepLast(value: unknown): unknown {
  if (value instanceof Date) {
    return { $date: value.toISOString() };
  }
  if (value instanceof Uint8Array) {
    return { $bytes: Buffer.from(value).toString("base64") };
  }
  if (Array.isArray(value)) {
    return value.map(keepLast);
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, keepLast(one)]))
    : value;
}

/** Reads what `keepLast` made; null stays null. The caller knows what it was. */
export function readLast<Value>(json: unknown): Value | null {
  return json === null || json === undefined ? null : (revive(json) as Value);
}

function revive(json: unknown): unknown {
  if (Array.isArray(json)) {
    return json.map(revive);
  }
  if (typeof json !== "object" || json === null) {
    return json;
  }
  const { $date: date, $bytes: bytes } = json as { $date?: string; $bytes?: string };
  if (date !== undefined) {
    return new Date(date);
  }
  return bytes === undefined
    ? Object.fromEntries(Object.entries(json).map(([key, one]) => [key, revive(one)]))
    : new Uint8Array(Buffer.from(bytes, "base64"));
}

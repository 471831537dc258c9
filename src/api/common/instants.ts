import { InvalidInput } from "../../lib/errors.ts";

/** An instant that never was, as the family writes it. */
export const never = "1970-01-01T00:00:00Z";

const earliest = Date.parse("0001-01-01T00:00:00Z");
const latest = Date.parse("9999-12-31T23:59:59Z");

/** An instant that a caller gives. Throws InvalidInput for what is none, and beyond the years that RFC 3339 can write. */
export function readInstant(text: string, field: string): Date {
  const instant = new Date(text);
  if (!(instant.getTime() >= earliest && instant.getTime() <= latest)) {
    throw new InvalidInput(`${field} must be a time in RFC 3339, not "${text.slice(0, 60)}"`, field);
  }
  return instant;
}

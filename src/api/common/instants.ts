import { InvalidInput } from "../../lib/errors.ts";

/** The time that stands for "never" in responses, as in Gitea and Forgejo. */
export const never = "1970-01-01T00:00:00Z";

/** The zero of Go's times, which the family's clients send for none; milliseconds. */
export const zeroOfGo = Date.parse("0001-01-01T00:00:00Z");
const latest = Date.parse("9999-12-31T23:59:59Z");

/** Parses a time that the caller sent. Throws InvalidInput if it is not a time, or outside the years of RFC 3339. */
export function readInstant(text: string, field: string): Date {
  const instant = new Date(text);
  if (!(instant.getTime() >= zeroOfGo && instant.getTime() <= latest)) {
    throw new InvalidInput(`${field} must be a time in RFC 3339, not "${text.slice(0, 60)}"`, field);
  }
  return instant;
}

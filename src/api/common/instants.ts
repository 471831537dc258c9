import { InvalidInput } from "../../lib/errors.ts";
import { formatInstant, parseInstant } from "../../lib/instant.ts";

/** The time that stands for "never" in responses, as in Gitea and Forgejo. */
export const never = "1970-01-01T00:00:00Z";

/** The zero of Go's times, which the family's clients send for none; milliseconds. */
export const zeroOfGo = Date.parse("0001-01-01T00:00:00Z");
const latest = Date.parse("9999-12-31T23:59:59Z");

/**
 * A time as every JSON response and webhook payload has it: RFC 3339 with whole seconds, since clients parse no fractions. Rows keep more, and
 * lists are in that order. `readSpan` takes these seconds back.
 */
export function presentInstant(at: Date): string;
export function presentInstant(at: Date | null | undefined): string | null;
export function presentInstant(at: Date | null | undefined): string | null {
  return at == null ? null : formatInstant(at);
}

/** Parses a time that the caller sent. Throws InvalidInput if it is not a time in RFC 3339, or before Go's zero. */
export function readInstant(text: string, field: string): Date {
  const instant = parseInstant(text);
  if (instant === null || instant.getTime() < zeroOfGo || instant.getTime() > latest) {
    throw new InvalidInput(`${field} must be a time in RFC 3339, not "${text.slice(0, 60)}"`, field);
  }
  return instant;
}

/** The start of the second of a time that the caller sent. */
function readSecond(text: string, field: string): Date {
  const instant = readInstant(text, field).getTime();
  return new Date(Math.floor(instant / 1000) * 1000);
}

/**
 * The end of the second of a time that the caller sent, excluded. A response shows whole seconds, so "up to this time" includes everything of its
 * second. Undefined for no text. Throws InvalidInput.
 */
export function readEnd(text: string | undefined, field: string): Date | undefined {
  return text === undefined || text === "" ? undefined : new Date(readSecond(text, field).getTime() + 1000);
}

/**
 * The span of time that a list is asked for: from the start of the second of `since` to the end of that of `before`, which is excluded. `sinceField`
 * is what the caller calls `since`. Throws InvalidInput.
 */
export function readSpan(
  { since, before }: { since?: string | undefined; before?: string | undefined },
  sinceField = "since",
): { since: Date | undefined; before: Date | undefined } {
  return {
    since: since === undefined || since === "" ? undefined : readSecond(since, sinceField),
    before: readEnd(before, "before"),
  };
}

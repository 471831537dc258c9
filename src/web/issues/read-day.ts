import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";

/** Reads the value of a date field; null: it is empty. What is due on a day is due at its end in UTC. Throws InvalidInput. */
export function readDay(text: string, field: string): Date | null {
  if (text === "") {
    return null;
  }
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T23:59:59Z`) : new Date(Number.NaN);
  if (Number.isNaN(at.getTime())) {
    throw new InvalidInput(`"${clip(text, 80)}" is no date such as 2026-12-24`, field);
  }
  return at;
}

/** The value of a date field for a time. */
export function dayValue(at: Date | null): string {
  return at?.toISOString().slice(0, 10) ?? "";
}

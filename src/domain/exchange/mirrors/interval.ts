import { InvalidInput } from "../../../lib/errors.ts";
import { showValue } from "../../../lib/show-value.ts";

const seconds = { h: 3600, m: 60, s: 1 } as const;
const longest = 366 * 24 * 3600;

/**
 * Reads an interval as the family writes it, such as `8h30m0s`: seconds; 0 is never. Throws InvalidInput for anything else, and for one
 * shorter than `least`.
 */
export function readInterval(text: string, field: string, least: number): number {
  const parts = /^(?:(\d{1,6})h)?(?:(\d{1,8})m)?(?:(\d{1,9})s)?$/.exec(text);
  if (text !== "0" && (parts === null || text === "")) {
    throw new InvalidInput(
      `${field} must be hours, minutes and seconds such as 8h30m0s, not ${showValue(text)}`,
      field,
    );
  }
  const [, hours = "0", minutes = "0", rest = "0"] = parts ?? [];
  const total = Number(hours) * seconds.h + Number(minutes) * seconds.m + Number(rest);
  if (total > longest || (total > 0 && total < least)) {
    throw new InvalidInput(
      `${field} must be between ${writeInterval(least)} and ${writeInterval(longest)}, or 0 for never, not ${showValue(text)}`,
      field,
    );
  }
  return total;
}

/** The interval as the family writes it. */
export function writeInterval(total: number): string {
  return `${Math.floor(total / seconds.h)}h${Math.floor((total % seconds.h) / seconds.m)}m${total % seconds.m}s`;
}

const pattern =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/**
 * Parses a time as RFC 3339 writes it, with the offset, which `new Date` does not ask for. Returns null for anything else, for days that no
 * calendar has, and for leap seconds. A fraction keeps its milliseconds.
 */
export function parseInstant(text: string): Date | null {
  const [, year, month, day, hour, minute, second, fraction = "", sign, offsetHour, offsetMinute] =
    pattern.exec(text) ?? [];
  if (year === undefined) {
    return null;
  }
  const local = new Date(0);
  local.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (local.getUTCMonth() !== Number(month) - 1 || local.getUTCDate() !== Number(day)) {
    return null;
  }
  local.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, "0").slice(0, 3)));
  const offsetMinutes = sign === undefined ? 0 : Number(offsetHour) * 60 + Number(offsetMinute);
  return new Date(local.getTime() - (sign === "-" ? -1 : 1) * offsetMinutes * 60_000);
}

/** Writes a time in RFC 3339, in UTC, with whole seconds: what is finer is left out. */
export function formatInstant(at: Date): string {
  return `${at.toISOString().slice(0, -5)}Z`;
}

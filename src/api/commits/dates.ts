/** The first and last second that RFC 3339 can write with a year of four digits. */
const first = -62_135_596_800;
const last = 253_402_300_799;

function pad(value: number): string {
  return String(Math.floor(value)).padStart(2, "0");
}

/** An instant of a commit in RFC 3339, in the offset that it was written in. Old histories hold dates that no calendar has: these are moved to the nearest. */
export function commitDate({ seconds, offsetMinutes }: { seconds: number; offsetMinutes: number }): string {
  const minutes = Math.abs(offsetMinutes) < 24 * 60 ? offsetMinutes : 0;
  const local = Math.min(Math.max(seconds + minutes * 60, first), last);
  const text = new Date(local * 1000).toISOString().slice(0, 19);
  if (minutes === 0) {
    return `${text}Z`;
  }
  return `${text}${minutes < 0 ? "-" : "+"}${pad(Math.abs(minutes) / 60)}:${pad(Math.abs(minutes) % 60)}`;
}

/** Returns the date in UTC, for times without an offset. */
export function utcDate(seconds: number): string {
  return commitDate({ seconds, offsetMinutes: 0 });
}

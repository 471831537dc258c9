import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["week", 7 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** So many zones are remembered: to make a format takes longer than to write a page. */
const mostZones = 600;

/** Returns the format of these options for a zone. It throws RangeError if there is no zone of this name. */
function formatBy(options: Intl.DateTimeFormatOptions): (zone: string) => Intl.DateTimeFormat {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (zone) => {
    const format = formats.get(zone) ?? new Intl.DateTimeFormat("en", { ...options, timeZone: zone });
    if (formats.size < mostZones) {
      formats.set(zone, format);
    }
    return format;
  };
}

const toMinute = formatBy({ dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
const toDay = formatBy({ dateStyle: "medium" });

export function isZone(zone: string): boolean {
  try {
    toMinute(zone);
    return true;
  } catch {
    return false;
  }
}

/** How long ago, or in what time, in words: "3 days ago", "yesterday", "now". */
export function inWords(at: number, now: number): string {
  const difference = at - now;
  const step = steps.find(([, ms]) => Math.abs(difference) >= ms);
  return step === undefined ? "now" : relative.format(Math.trunc(difference / step[1]), step[0]);
}

/** A time of the past or the future: how long ago, and on hover when. */
export function ago({ now, zone }: Reader, at: Date): Html {
  if (Number.isNaN(at.getTime())) {
    // Commits may name any time at all.
    return html`at an unknown time`;
  }
  return html`<time datetime="${at.toISOString()}" title="${toMinute(zone).format(at)} ${zone}">${inWords(at.getTime(), now)}</time>`;
}

/** The day of a time in the reader's zone, such as "Nov 27, 2026". */
export function dayOf({ zone }: Reader, at: Date): string {
  return Number.isNaN(at.getTime()) ? "At an unknown time" : toDay(zone).format(at);
}

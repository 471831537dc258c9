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

/** A format for each zone that readers came with: to make one takes longer than to write a page. */
const formats = new Map<string, Intl.DateTimeFormat>();
const mostFormats = 600;

/** The format of a zone. Throws RangeError if there is no zone of this name. */
function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en", {
      timeZone: zone,
      dateStyle: "medium",
      timeStyle: "short",
      hourCycle: "h23",
    });
    if (formats.size < mostFormats) {
      formats.set(zone, format);
    }
  }
  return format;
}

export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
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
  return html`<time datetime="${at.toISOString()}" title="${formatOf(zone).format(at)} ${zone}">${inWords(at.getTime(), now)}</time>`;
}

const days = new Map<string, Intl.DateTimeFormat>();

/** The day of a time in the reader's zone, such as "Nov 27, 2026". */
export function dayOf({ zone }: Reader, at: Date): string {
  if (Number.isNaN(at.getTime())) {
    return "At an unknown time";
  }
  let format = days.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en", { timeZone: zone, dateStyle: "medium" });
    if (days.size < mostFormats) {
      days.set(zone, format);
    }
  }
  return format.format(at);
}

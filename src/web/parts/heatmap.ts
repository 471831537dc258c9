import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { counted } from "./size.ts";

const dayMs = 86_400_000;
const weeks = 53;

/** The time from which on a heatmap of now needs to know what was done. */
export function yearBefore(now: number): Date {
  return new Date(now - 366 * dayMs);
}

/** The name of a month needs this many. */
const leastWeeks = 3;
/** Pixels from one day to the next, and of one. */
const [step, side] = [13, 11];
const [left, top] = [28, 16];

const shortMonth = new Intl.DateTimeFormat("en", { month: "short", timeZone: "UTC" });
const longMonth = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });
const longDay = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

/** The day of a time in a zone, as the number of days since 1970. */
function dayIn(format: Intl.DateTimeFormat, seconds: number): number {
  const [month, day, year] = format
    .format(seconds * 1000)
    .split("/")
    .map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day ?? 1) / dayMs;
}

/** Sums what was done in slices of time by the days of a zone. The keys are days since 1970. */
export function countByDay(
  slices: readonly { timestamp: number; contributions: number }[],
  zone: string,
): Map<number, number> {
  const format = new Intl.DateTimeFormat("en-US", {
    year: "numeric",
    month: "numeric",
    day: "numeric",
    timeZone: zone,
  });
  const days = new Map<number, number>();
  for (const { timestamp, contributions } of slices) {
    const day = dayIn(format, timestamp);
    days.set(day, (days.get(day) ?? 0) + contributions);
  }
  return days;
}

/** One of four steps of a scale on which the busiest day is the last. */
function levelOf(count: number, most: number): number {
  return Math.min(4, Math.ceil((4 * Math.log1p(count)) / Math.log1p(Math.max(most, 4))));
}

/** From 0, Monday: 1970 began on a Thursday. */
const weekday = (day: number) => (day + 3) % 7;

/** The last year of somebody, a square for each day in which they did something; its text says how much in each month. */
export function heatmap(reader: Reader, slices: readonly { timestamp: number; contributions: number }[]): Html {
  const days = countByDay(slices, reader.zone);
  const today = dayIn(
    new Intl.DateTimeFormat("en-US", { year: "numeric", month: "numeric", day: "numeric", timeZone: reader.zone }),
    reader.now / 1000,
  );
  const first = today - weekday(today) - 7 * (weeks - 1);
  const most = Math.max(0, ...days.values());
  const squares: Html[] = [];
  const months: { month: number; label: Html }[] = [];
  const byMonth = new Map<string, number>();
  let idle = "";
  let total = 0;
  for (let day = first; day <= today; day++) {
    const date = day * dayMs;
    const [column, row] = [Math.floor((day - first) / 7), weekday(day)];
    const month = new Date(date).getUTCMonth();
    if (row === 0 && month !== months.at(-1)?.month) {
      if (column < leastWeeks) {
        months.length = 0;
      }
      months.push({ month, label: html`<text x="${left + column * step}" y="10">${shortMonth.format(date)}</text>` });
    }
    const count = days.get(day) ?? 0;
    if (count > 0) {
      total += count;
      byMonth.set(longMonth.format(date), (byMonth.get(longMonth.format(date)) ?? 0) + count);
    }
    const [x, y] = [left + column * step, top + row * step];
    if (count === 0) {
      idle += `M${x} ${y}h${side}v${side}h-${side}z`;
    } else {
      squares.push(
        html`<rect class="l${levelOf(count, most)}" x="${x}" y="${y}" width="${side}" height="${side}" rx="2"><title>${counted(count, "contribution")} on ${longDay.format(date)}</title></rect>`,
      );
    }
  }
  const text = `${counted(total, "contribution")} in the last year${[...byMonth].map(([month, count]) => `; ${month}: ${count}`).join("")}`;
  const rows = ["Mon", "Wed", "Fri"].map(
    (name, index) => html`<text x="0" y="${top + 2 * index * step + 9}">${name}</text>`,
  );
  return html`<figure class="heatmap"><div class="scroll" tabindex="0" role="group" aria-label="Contributions"><svg width="${left + weeks * step}" height="${top + 7 * step}" role="img" aria-label="${text}">${months.map(({ label }) => label)}${rows}<path class="l0" d="${idle}"/>${squares}</svg></div><figcaption class="split small soft"><span>${counted(total, "contribution")} in the last year</span><span class="line not-narrow">less<svg class="scale" width="63" height="11" aria-hidden="true">${[0, 1, 2, 3, 4].map((level) => html`<rect class="l${level}" x="${level * step}" width="${side}" height="${side}" rx="2"/>`)}</svg>more</span></figcaption></figure>`;
}

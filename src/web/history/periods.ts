const day = 86_400;

/** A time up to now. */
export interface Period {
  readonly key: string;
  readonly words: string;
  readonly days: number;
  readonly bucketSeconds: number;
  /** what a bar stands for */
  readonly unit: "day" | "week";
}

export const periods: readonly Period[] = [
  { key: "day", words: "Day", days: 1, bucketSeconds: day, unit: "day" },
  { key: "week", words: "Week", days: 7, bucketSeconds: day, unit: "day" },
  { key: "month", words: "Month", days: 30, bucketSeconds: day, unit: "day" },
  { key: "quarter", words: "Quarter", days: 91, bucketSeconds: 7 * day, unit: "week" },
  { key: "year", words: "Year", days: 365, bucketSeconds: 7 * day, unit: "week" },
];

const usual = periods[1]!;

/** Reads `?period=`. */
export function periodOf(query: URLSearchParams): Period {
  return periods.find(({ key }) => key === query.get("period")) ?? usual;
}

/** The beginning of a period in seconds: that of a day, so that answers can be kept for as long. */
export function sinceOf({ days }: Period, now: number): number {
  return (Math.floor(now / 1000 / day) - days + 1) * day;
}

import type { Signature } from "../objects/signature.ts";

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The letters that follow `%a` and `%c` for a date in git's formats. */
export type DateFormat = "d" | "D" | "i" | "I" | "s" | "t";

const two = (value: number) => String(value).padStart(2, "0");

/** Formats the time of a signature in the signer's time zone. */
export function formatDate({ seconds, offsetMinutes }: Signature, format: DateFormat): string {
  const local = new Date((seconds + offsetMinutes * 60) * 1000);
  if (format === "t" || Number.isNaN(local.getTime())) {
    return String(seconds);
  }
  const sign = offsetMinutes < 0 ? "-" : "+";
  const hours = two(Math.floor(Math.abs(offsetMinutes) / 60));
  const minutes = two(Math.abs(offsetMinutes) % 60);
  const day = days[local.getUTCDay()];
  const month = months[local.getUTCMonth()];
  const year = local.getUTCFullYear();
  const date = `${String(year).padStart(4, "0")}-${two(local.getUTCMonth() + 1)}-${two(local.getUTCDate())}`;
  const time = `${two(local.getUTCHours())}:${two(local.getUTCMinutes())}:${two(local.getUTCSeconds())}`;
  switch (format) {
    case "d":
      return `${day} ${month} ${local.getUTCDate()} ${time} ${year} ${sign}${hours}${minutes}`;
    case "D":
      return `${day}, ${local.getUTCDate()} ${month} ${year} ${time} ${sign}${hours}${minutes}`;
    case "i":
      return `${date} ${time} ${sign}${hours}${minutes}`;
    case "I":
      return `${date}T${time}${sign}${hours}:${minutes}`;
    case "s":
      return date;
  }
}

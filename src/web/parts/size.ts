const units = ["kB", "MB", "GB", "TB"] as const;

/** A length as people read it: bytes up to 999, then the largest unit of ten that fits, with one digit after the point. */
export function fileSize(bytes: number): string {
  if (bytes < 1000) {
    return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  }
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const grouped = new Intl.NumberFormat("en");

/** A number on a button: 1.2K from a thousand on. */
export function shortNumber(number: number): string {
  return compact.format(number);
}

/** A number in a text, its thousands apart: 12,345. */
export function wholeNumber(number: number): string {
  return grouped.format(number);
}

/** A number with its noun: 1 file, 12,345 files. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${wholeNumber(number)} ${number === 1 ? one : many}`;
}

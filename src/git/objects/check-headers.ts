import type { ObjectFormat } from "./object-format.ts";

/** Reads the header lines of a commit or tag one by one, as text in which a byte is a character. */
export class HeaderLines {
  /** where the next line starts */
  private at = 0;

  constructor(private readonly text: string) {}

  /** The value of the next line if it is a header of this name, else null. */
  take(name: string): string | null {
    const valueAt = this.at + name.length + 1;
    if (!this.text.startsWith(name, this.at) || this.text[valueAt - 1] !== " ") {
      return null;
    }
    const end = this.text.indexOf("\n", valueAt);
    const value = this.text.slice(valueAt, end < 0 ? undefined : end);
    this.at = end < 0 ? this.text.length : end + 1;
    return value;
  }
}

/**
 * The header part of a commit or tag, or what is wrong with its form: it has to end with a line break and must not hold
 * a NUL, at which programs that take it for a C string would see it end.
 */
export function headerPart(bytes: Uint8Array): { text: string } | { problem: string } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blank = buffer.indexOf("\n\n", 0, "latin1");
  const end = blank < 0 ? buffer.length : blank + 1;
  const text = buffer.toString("latin1", 0, end);
  if (text.includes("\0")) {
    return { problem: "nulInHeader: has a NUL byte in its header" };
  }
  return text.endsWith("\n") ? { text } : { problem: "unterminatedHeader: its header does not end" };
}

/** Whether a header's value is an oid. */
export function isOidValue(value: string, format: ObjectFormat): boolean {
  return value.length === format.hexLength && /^[0-9a-fA-F]+$/.test(value);
}

/** Checks a line of name, email and date by git's rules. Returns the fault, or null. */
export function checkSignature(value: string): string | null {
  const open = value.search(/[<>]/);
  if (value.startsWith("<")) {
    return "missingNameBeforeEmail: has no space before an email address";
  }
  if (open < 0) {
    return "missingEmail: has a name without an email address";
  }
  if (value[open] === ">") {
    return 'badName: has a name with ">" in it';
  }
  if (value[open - 1] !== " ") {
    return "missingSpaceBeforeEmail: has no space before an email address";
  }
  const rest = value.slice(open + 1);
  const close = rest.search(/[<>]/);
  if (close < 0 || rest[close] !== ">") {
    return 'badEmail: has an email address that does not end with ">"';
  }
  return checkDate(rest.slice(close + 1));
}

/** Seconds that the usual 64-bit clock cannot hold. */
const endOfTime = 2n ** 63n;

function checkDate(text: string): string | null {
  if (!text.startsWith(" ")) {
    return "missingSpaceBeforeDate: has no space before a date";
  }
  const parts = /^ ([0-9]+)( ?)(.*)$/s.exec(text);
  if (parts === null) {
    return "badDate: has a date that is no number of seconds";
  }
  const [, seconds = "", separator, zone = ""] = parts;
  if (seconds.startsWith("0") && seconds !== "0") {
    return "zeroPaddedDate: has a date that starts with a zero";
  }
  if (seconds.length > 19 || BigInt(seconds) >= endOfTime) {
    return "badDateOverflow: has a date beyond all clocks";
  }
  if (separator !== " ") {
    return "badDate: has a date that is no number of seconds";
  }
  return /^[+-][0-9]{4}$/.test(zone) ? null : "badTimezone: has a date without a time zone";
}

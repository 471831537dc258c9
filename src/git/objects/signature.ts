import { CorruptObject } from "./errors.ts";

/** A person and a time: `Name <email> 1700000000 +0100`. */
export interface Signature {
  readonly name: string;
  readonly email: string;
  /** Seconds since 1970-01-01 UTC. */
  readonly seconds: number;
  /** Minutes east of UTC where it was written. `-0` stands for `-0000`, which git uses for "unknown". */
  readonly offsetMinutes: number;
}

/**
 * Reads the value of an `author`, `committer` or `tagger` header.
 * Old histories hold odd ones, so only a missing email is an error (CorruptObject): an unreadable date counts as 0.
 */
export function parseSignature(text: string): Signature {
  const open = text.indexOf("<");
  const close = text.lastIndexOf(">");
  if (open < 0 || close < open) {
    throw new CorruptObject(`Cannot read "${text}" as a name, email and date`);
  }
  const date = /^ *(-?\d+)(?: ([+-])(\d{1,2})(\d{2}))?/.exec(text.slice(close + 1));
  const minutes = Number(date?.[3] ?? 0) * 60 + Number(date?.[4] ?? 0);
  return {
    name: text.slice(0, open).trim(),
    email: text.slice(open + 1, close),
    seconds: Number(date?.[1] ?? 0),
    offsetMinutes: date?.[2] === "-" ? -minutes : minutes,
  };
}

/** Writes what parseSignature reads. Characters that would break the line apart are dropped, as git drops them. */
export function writeSignature(signature: Signature): string {
  const minutes = Math.abs(signature.offsetMinutes);
  const sign = signature.offsetMinutes < 0 || Object.is(signature.offsetMinutes, -0) ? "-" : "+";
  const zone = `${sign}${String(Math.floor(minutes / 60)).padStart(2, "0")}${String(minutes % 60).padStart(2, "0")}`;
  const name = clean(signature.name);
  return `${name}${name === "" ? "" : " "}<${clean(signature.email)}> ${Math.floor(signature.seconds)} ${zone}`;
}

/** `<`, `>`, newline and NUL delimit the parts; git also trims what it calls crud from both ends. */
function clean(text: string): string {
  const kept = text.replaceAll("\0", "").replaceAll(/[<>\n]/g, "");
  let from = 0;
  let to = kept.length;
  while (from < to && isCrud(kept.charCodeAt(from))) from++;
  while (to > from && isCrud(kept.charCodeAt(to - 1))) to--;
  return kept.slice(from, to);
}

function isCrud(charCode: number): boolean {
  return charCode <= 0x20 || ".,:;\"'\\".includes(String.fromCharCode(charCode));
}

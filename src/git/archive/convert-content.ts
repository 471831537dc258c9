import type { AttributeValue } from "../attributes/parse-attributes.ts";

type Said = ReadonlyMap<string, AttributeValue>;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * A file as git would check it out where no setting says otherwise: `$Id$` filled in, line ends made CRLF, then
 * `$Format:…$` filled in. Encodings of the working tree and filter programs are not applied.
 */
export function convertContent(
  bytes: Uint8Array,
  said: Said,
  oid: () => string,
  substitute: ((content: Uint8Array) => Uint8Array) | null,
): Uint8Array {
  let content = bytes;
  if (said.get("ident") === true) {
    content = expandIdent(content, oid());
  }
  if (wantsCrlf(content, said)) {
    content = toCrlf(content);
  }
  return said.get("export-subst") === true && substitute !== null ? substitute(content) : content;
}

/** Whether anything of that may be wanted. */
export function wantsConversion(said: Said): boolean {
  return said.get("ident") === true || said.get("eol") === "crlf" || said.get("export-subst") === true;
}

/** gitattributes(5), "End-of-line conversion"; `crlf` is the old name of `text`. */
function wantsCrlf(content: Uint8Array, said: Said): boolean {
  const text = readText(said.get("text")) ?? readText(said.get("crlf"));
  if (said.get("eol") !== "crlf" || text === "binary") {
    return false;
  }
  const counts = countLineEnds(content);
  // A file stays unchanged if git decides and it looks binary, or has some such line ends already.
  return counts.lonelyLf > 0 && (text !== "auto" || (counts.lonelyCr === 0 && counts.crlf === 0 && !counts.binary));
}

function readText(value: AttributeValue | undefined): "text" | "binary" | "auto" | null {
  if (typeof value === "boolean") {
    return value ? "text" : "binary";
  }
  return value === "auto" ? "auto" : value === "input" ? "text" : null;
}

function countLineEnds(content: Uint8Array): { lonelyLf: number; lonelyCr: number; crlf: number; binary: boolean } {
  const counts = { lonelyLf: 0, lonelyCr: 0, crlf: 0, binary: false };
  let printable = 0;
  let unprintable = 0;
  for (let at = 0; at < content.length; at++) {
    const byte = content[at]!;
    if (byte === carriageReturn) {
      if (content[at + 1] === lineFeed) {
        counts.crlf++;
        at++;
      } else {
        counts.lonelyCr++;
      }
    } else if (byte === lineFeed) {
      counts.lonelyLf++;
    } else if (byte === 0) {
      counts.binary = true;
    } else if (byte === 0x7f || (byte < 0x20 && !isLayout(byte))) {
      unprintable++;
    } else {
      printable++;
    }
  }
  if (content.at(-1) === 0x1a) {
    // The end of a file, as CP/M marked it.
    unprintable--;
  }
  counts.binary ||= counts.lonelyCr > 0 || Math.floor(printable / 128) < unprintable;
  return counts;
}

/** Backspace, tab, escape and form feed stand in texts. */
function isLayout(byte: number): boolean {
  return byte === 0x08 || byte === 0x09 || byte === 0x1b || byte === 0x0c;
}

function toCrlf(content: Uint8Array): Uint8Array {
  const result = new Uint8Array(content.length * 2);
  let length = 0;
  for (let at = 0; at < content.length; at++) {
    const byte = content[at]!;
    if (byte === lineFeed && content[at - 1] !== carriageReturn) {
      result[length++] = carriageReturn;
    }
    result[length++] = byte;
  }
  return result.slice(0, length);
}

/**
 * `$Id$` and `$Id: … $` become `$Id: <oid> $`. What has a space in the middle was written by another version control
 * system and stays, as does what does not end on its line.
 */
function expandIdent(content: Uint8Array, oid: string): Uint8Array {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("latin1");
  const expanded = text.replaceAll(/\$Id(?::([^$\n]*))?\$/g, (whole, old: string | undefined) => {
    const space = old === undefined ? -1 : old.indexOf(" ", 1);
    return space >= 0 && space < old!.length - 1 ? whole : `$Id: ${oid} $`;
  });
  return expanded === text ? content : Buffer.from(expanded, "latin1");
}

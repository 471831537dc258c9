/**
 * Commits and tags share a form: lines `name SP value LF`, an empty line, then the message. A line that starts with a
 * space continues the value before it (a signature has many lines).
 */
interface HeaderedText {
  readonly headers: readonly Header[];
  readonly message: Uint8Array;
}

export type Header = readonly [name: string, value: string];

/**
 * Splits the bytes of a commit or tag. A line without a space, which git lets pass, is a header without a value. Values are
 * in the encoding that the header of that name says, as the message is.
 */
export function parseHeaders(bytes: Uint8Array): HeaderedText {
  const parsed = parseAs(bytes, undefined);
  const encoding = parsed.headers.find(([name]) => name === "encoding")?.[1];
  return encoding === undefined || isUtf8(encoding) || !keepsAscii(encoding) ? parsed : parseAs(bytes, encoding);
}

function parseAs(bytes: Uint8Array, encoding: string | undefined): HeaderedText {
  const headers: [string, string][] = [];
  let at = 0;
  while (at < bytes.length && bytes[at] !== 0x0a) {
    const newline = bytes.indexOf(0x0a, at);
    const end = newline < 0 ? bytes.length : newline;
    const line = decodeText(bytes.subarray(at, end), encoding);
    const last = headers.at(-1);
    if (line.startsWith(" ") && last !== undefined) {
      last[1] += `\n${line.slice(1)}`;
    } else {
      const space = line.indexOf(" ");
      headers.push(space < 0 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)]);
    }
    at = end + 1;
  }
  return { headers, message: bytes.subarray(Math.min(at + 1, bytes.length)) };
}

/** Writes one header, continuing a value of several lines. */
export function writeHeader(name: string, value: string): string {
  return `${name} ${value.replaceAll("\n", "\n ")}\n`;
}

/** Text in the encoding that a commit names; UTF-8 with replacement characters for one that is not known. */
export function decodeText(bytes: Uint8Array, encoding?: string): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (encoding === undefined || isUtf8(encoding)) {
    return buffer.toString("utf8");
  }
  try {
    return new TextDecoder(encoding as Bun.Encoding).decode(bytes);
  } catch {
    return buffer.toString("utf8");
  }
}

/** Whether names, dates and oids are the same in it: not in UTF-16, which a header may say, too. */
function keepsAscii(encoding: string): boolean {
  const sample = "tree 0123 A <a@b.c>";
  return decodeText(Buffer.from(sample), encoding) === sample;
}

function isUtf8(encoding: string): boolean {
  return /^utf-?8$/i.test(encoding);
}

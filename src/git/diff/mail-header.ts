const longestEncodedLine = 76;
const longestLine = 78;

/**
 * A header of a mail with text of a commit: encoded as RFC 2047 has it where it is not ASCII, folded where it is long.
 * `prefix` is what stands before, `Subject: [PATCH] ` or `From: `.
 */
export function mailHeader(prefix: string, text: string, kind: "subject" | "name"): string {
  if (needsEncoding(text)) {
    return prefix + encodeWords(text, prefix.length, kind);
  }
  const quoted = kind === "name" && /[()<>[\]:;@,."\\]/.test(text) ? `"${text.replaceAll(/["\\]/g, "\\$&")}"` : text;
  return prefix + fold(quoted, prefix.length);
}

/** The From header of an author; the address goes to a line of its own when the first one is full. */
export function fromHeader(name: string, email: string): string {
  const header = mailHeader("From: ", name, "name");
  const limit = needsEncoding(name) ? longestEncodedLine : longestLine;
  const lastLine = header.length - (header.lastIndexOf("\n") + 1);
  const address = ` <${email}>`;
  return `${header}${lastLine + Buffer.byteLength(address) > limit ? "\n" : ""}${address}\n`;
}

/** Whether git sees 8-bit text: also in an escape character, with which other encodings begin. */
export function isEightBit(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- ASCII without the escape character is what is looked for
  return /[^\x00-\x1a\x1c-\x7f]/.test(text);
}

function needsEncoding(text: string): boolean {
  return isEightBit(text) || text.includes("\n") || text.includes("=?");
}

function encodeWords(text: string, column: number, kind: "subject" | "name"): string {
  const start = "=?UTF-8?q?";
  let out = start;
  let length = column + start.length;
  for (const character of text) {
    const encoded = encodeCharacter(character, kind);
    if (length + encoded.length + 2 > longestEncodedLine) {
      out += `?=\n ${start}`;
      length = start.length + 1;
    }
    out += encoded;
    length += encoded.length;
  }
  return `${out}?=`;
}

function encodeCharacter(character: string, kind: "subject" | "name"): string {
  const plain = kind === "name" ? /^[A-Za-z0-9!*+\-/]$/ : /^[!-<>@-^`-~]$/;
  if (plain.test(character)) {
    return character;
  }
  return [...Buffer.from(character)].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

/** Breaks a text at spaces into lines; all but the first begin with a space. */
function fold(text: string, firstColumn: number): string {
  let out = "";
  let lineStart = 0;
  let column = firstColumn;
  let written: number | null = 0;
  for (let at = 0; ;) {
    const isEnd = at === text.length;
    if (!isEnd && !/[ \t\r]/.test(text[at]!)) {
      column++;
      at++;
    } else if (column <= longestLine || written === null) {
      out +=
        written === null ? (isEnd && at === lineStart ? "" : ` ${text.slice(lineStart, at)}`) : text.slice(written, at);
      if (isEnd) {
        return out;
      }
      written = at;
      column = text[at] === "\t" ? (column | 7) + 1 : column + 1;
      at++;
    } else {
      out += "\n";
      lineStart = written + (/[ \t\r]/.test(text[written] ?? "") ? 1 : 0);
      at = lineStart;
      written = null;
      column = 1;
    }
  }
}

const longestEncodedLine = 76;
const longestLine = 78;

/**
 * Returns a header of a mail with text of a commit. Text that is not ASCII is encoded as in RFC 2047, and long text is
 * folded. `prefix` is the text before it, `Subject: [PATCH] ` or `From: `.
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

const [space, tab, carriageReturn] = [0x20, 0x09, 0x0d];

function isBlank(code: number): boolean {
  return code === space || code === tab || code === carriageReturn;
}

/** Breaks a text at spaces into lines; all but the first begin with a space. */
function fold(text: string, firstColumn: number): string {
  const lines: string[] = [];
  const lineOf = (from: number, to: number) => (lines.length === 0 ? "" : " ") + text.slice(from, to);
  let lineStart = 0;
  let column = firstColumn;
  /** The last place of this line where it can end; null: there is none yet. */
  let breakAt: number | null = 0;
  for (let at = 0; ;) {
    const isEnd = at === text.length;
    const code = isEnd ? space : text.charCodeAt(at);
    if (!isEnd && !isBlank(code)) {
      column++;
      at++;
    } else if (column <= longestLine || breakAt === null) {
      if (isEnd) {
        lines.push(breakAt === null && at === lineStart ? "" : lineOf(lineStart, at));
        return lines.join("\n");
      }
      breakAt = at;
      column = code === tab ? (column | 7) + 1 : column + 1;
      at++;
    } else {
      lines.push(lineOf(lineStart, breakAt));
      lineStart = breakAt + (isBlank(text.charCodeAt(breakAt)) ? 1 : 0);
      at = lineStart;
      breakAt = null;
      column = 1;
    }
  }
}

import { isUtf8 } from "node:buffer";
import { clip } from "../../lib/show-value.ts";
import { BadPackage } from "../shared/bad-package.ts";

/**
 * Reads a record in the Debian control format as R has it: "Field: value" lines, and lines that begin with a blank or a tab and continue the
 * field before them. Blanks around a value do not count, and the lines of a value are joined by one blank. Source: R's documentation of
 * read.dcf, and "Writing R Extensions", 1.1.1.
 */

/** Names are those of the file. Only the first record counts. */
export type DcfRecord = ReadonlyMap<string, string>;

const fieldName = /^[!-9;-~]{1,100}$/;
const mostFields = 500;

/**
 * Parses a record. If a field comes twice, the last one counts, as in R. Throws BadPackage for a line that is neither a
 * field nor continues one.
 */
export function parseRecord(bytes: Buffer): DcfRecord {
  // Files in another encoding name it, and R's own tools wrote Latin-1 for a long time.
  const text = bytes.toString(isUtf8(bytes) ? "utf8" : "latin1").replace(/^\u{feff}/u, "");
  if (text.includes("\0")) {
    throw new BadPackage("DESCRIPTION has a NUL character");
  }
  const fields = new Map<string, string[]>();
  let current: string[] | null = null;
  for (const line of text.split(/\r?\n|\r/)) {
    if (line.trim() === "") {
      if (fields.size > 0) {
        break;
      }
      continue;
    }
    if (/^[ \t]/.test(line)) {
      if (current === null) {
        throw new BadPackage("DESCRIPTION begins with a line that continues a field");
      }
      current.push(line.trim());
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0));
    if (!fieldName.test(name)) {
      throw new BadPackage(`DESCRIPTION has a line that is no field: "${clip(line, 80)}"`);
    }
    if (fields.size >= mostFields) {
      throw new BadPackage(`DESCRIPTION has more than ${mostFields} fields`);
    }
    current = [line.slice(colon + 1).trim()];
    fields.set(name, current);
  }
  return new Map([...fields].map(([name, lines]) => [name, lines.join(" ").trim()]));
}

import type { CommitFormatter } from "./format-commit.ts";

/** How much may be put into one file: a placeholder of two bytes can stand for a message of megabytes. */
const maxFilled = 1024 * 1024;

/** Replaces each `$Format:…$` of a file by what it says of the commit (gitattributes(5), "export-subst"). */
export function substituteFormats(content: Uint8Array, formatter: CommitFormatter): Uint8Array {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("latin1");
  let room = maxFilled;
  const filled = text.replaceAll(/\$Format:([^$]*)\$/g, (whole, format: string) => {
    const written = formatter.format(Buffer.from(format, "latin1").toString("utf8").slice(0, room));
    room -= written.length;
    return room < 0 ? whole : Buffer.from(written, "utf8").toString("latin1");
  });
  return filled === text ? content : Buffer.from(filled, "latin1");
}

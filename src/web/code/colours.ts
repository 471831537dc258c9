import type { Forge } from "../../domain/spine/forge.ts";
import type { CodeSymbol } from "../../highlight/code-language.ts";
import type { WantedCode } from "../../highlight/code-colours.ts";
import { html, trusted, type Html } from "../html.ts";

interface ColouredFile {
  /** The lines of the text, each with its own markup. */
  readonly lines: readonly Html[];
  /** What it declares, in order of lines; empty where that is not known. */
  readonly symbols: readonly CodeSymbol[];
}

/** The lines of a text. What ends the last one begins none. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") {
    lines.pop();
  }
  return lines;
}

/** A file's lines with their colours, and what it declares. Where colours are late, the lines are plain. Never throws. */
export async function colourFile(
  forge: Pick<Forge, "colours">,
  { oid, path, text }: Pick<WantedCode, "oid" | "path"> & { readonly text: string },
  signal: AbortSignal,
): Promise<ColouredFile> {
  const [found] = await forge.colours.find([{ oid, path, read: async () => text }], signal);
  return found === null || found === undefined
    ? { lines: linesOf(text).map((line) => html`${line}`), symbols: [] }
    : { lines: linesOf(found.markup).map(trusted), symbols: found.symbols };
}

/**
 * The coloured lines of several files, which share the time of one page. `read` is called for what nobody coloured before.
 * null for a file without colours. Never throws.
 */
export async function colourFiles(
  forge: Pick<Forge, "colours">,
  files: readonly WantedCode[],
  signal: AbortSignal,
): Promise<readonly (readonly Html[] | null)[]> {
  const found = await forge.colours.find(files, signal);
  return found.map((file) => (file === null ? null : linesOf(file.markup).map(trusted)));
}

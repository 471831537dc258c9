import type { Forge } from "../../domain/spine/forge.ts";
import { html, type Html } from "../html.ts";

/** Something that a file declares. */
export interface CodeSymbol {
  readonly name: string;
  readonly kind: "class" | "interface" | "type" | "enum" | "function" | "method" | "variable" | "module" | "heading";
  /** From 1. */
  readonly line: number;
  /** 0: within nothing else. */
  readonly depth: number;
}

interface CodeFile {
  /** The blob's, in hexadecimal; with something behind it for a part of a blob. */
  readonly oid: string;
  readonly path: string;
}

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
  _forge: Forge,
  { text }: CodeFile & { readonly text: string },
  _signal: AbortSignal,
): Promise<ColouredFile> {
  return { lines: linesOf(text).map((line) => html`${line}`), symbols: [] };
}

/**
 * The coloured lines of several files, which share the time of one page. `read` is called for what nobody coloured before.
 * null for a file without colours. Never throws.
 */
export async function colourFiles(
  _forge: Forge,
  files: readonly (CodeFile & { read(): Promise<string | null> })[],
  _signal: AbortSignal,
): Promise<readonly (readonly Html[] | null)[]> {
  return files.map(() => null);
}

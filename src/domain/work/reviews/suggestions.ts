import { InvalidInput } from "../../../lib/errors.ts";

/** A part of the text of a comment: Markdown, or the lines that somebody would put in the place of those that the comment is on. */
export type CommentPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "suggestion"; readonly lines: readonly string[] };

const fence = /^ {0,3}(`{3,}|~{3,}(?!~))([^`]*)$/;

/** Divides the text of a comment at its blocks of code named "suggestion". A block that nothing ends goes to the end. */
export function splitSuggestions(body: string): CommentPart[] {
  const parts: CommentPart[] = [];
  let text: string[] = [];
  let block: { readonly marks: string; readonly lines: string[] | null } | null = null;
  const endText = () => {
    if (text.some((line) => line.trim() !== "")) {
      parts.push({ kind: "text", text: text.join("\n") });
    }
    text = [];
  };
  for (const line of body.split("\n")) {
    const [, marks = "", info = ""] = fence.exec(line) ?? [];
    if (block === null && marks !== "") {
      const isSuggestion = info.trim() === "suggestion";
      block = { marks, lines: isSuggestion ? [] : null };
      if (isSuggestion) {
        endText();
        continue;
      }
    } else if (block !== null && marks.startsWith(block.marks) && info.trim() === "") {
      const { lines }: { lines: string[] | null } = block;
      block = null;
      if (lines !== null) {
        parts.push({ kind: "suggestion", lines });
        continue;
      }
    }
    (block?.lines ?? text).push(line);
  }
  if (block?.lines != null) {
    parts.push({ kind: "suggestion", lines: block.lines });
  }
  endText();
  return parts;
}

/** Lines that take the place of those from `first` to `last`, from 1. */
export interface Replacement {
  readonly first: number;
  readonly last: number;
  readonly lines: readonly string[];
}

/**
 * Puts lines into a text. They end as the last one that they replace does. Throws InvalidInput where two are for the same lines, or
 * the text has no such lines.
 */
export function replaceLines(text: string, replacements: readonly Replacement[]): string {
  const lines = text === "" ? [] : text.split(/(?<=\n)/);
  let from = lines.length;
  for (const { first, last, lines: added } of replacements.toSorted((one, other) => other.last - one.last)) {
    if (first < 1 || last > lines.length) {
      throw new InvalidInput(`The file has no line ${last}`, "suggestion");
    }
    if (last > from) {
      throw new InvalidInput(`Two of the suggestions are for line ${last}: choose one of them`, "suggestion");
    }
    const [end = ""] = /\r?\n$/.exec(lines[last - 1]!) ?? [];
    lines.splice(
      first - 1,
      last - first + 1,
      ...added.map((line, at) => line + (at === added.length - 1 ? end : end || "\n")),
    );
    from = first - 1;
  }
  return lines.join("");
}

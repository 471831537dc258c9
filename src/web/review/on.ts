import { diffAnchor } from "../code/diff-file.ts";
import type { DiffSide } from "../../git/diff/line-places.ts";

/** What the open form of a page is for: to comment on lines, to reply to a comment, or to write another text of one. */
export type On =
  | {
      readonly kind: "lines";
      /** The file, as `fileKey` names it. */
      readonly file: string;
      readonly side: DiffSide;
      readonly from: number;
      readonly line: number;
    }
  | { readonly kind: "reply" | "edit"; readonly id: number };

/** How addresses name a file of a diff. */
export function fileKey(path: string): string {
  return diffAnchor(path).slice("diff-".length);
}

/** Reads `?on=`: `reply7`, `edit7`, or a file with lines of its old (L) or new (R) side, such as `k3f9aR12` or `k3f9aR8-12`. null: none of these. */
export function parseOn(text: string): On | null {
  const [, act, id] = /^(reply|edit)([1-9]\d{0,14})$/.exec(text) ?? [];
  if (act !== undefined) {
    return { kind: act === "reply" ? "reply" : "edit", id: Number(id) };
  }
  const [, file, side, from, line = from] =
    /^([0-9a-z]{1,20})([LR])([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/.exec(text) ?? [];
  return file === undefined
    ? null
    : { kind: "lines", file, side: side === "L" ? "old" : "new", from: Number(from), line: Number(line) };
}

export function writeOn(on: On): string {
  if (on.kind !== "lines") {
    return `${on.kind}${on.id}`;
  }
  const { file, side, from, line } = on;
  return `${file}${side === "old" ? "L" : "R"}${from === line ? "" : `${from}-`}${line}`;
}
